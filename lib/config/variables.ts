import { z } from 'zod';
import type { TrustProxy } from '../network.ts';
import { parseRange } from '../network.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export const BREACHED_PASSWORDS = ['off', 'warn', 'refuse'] as const;

const SWITCH = { on: true, true: true, '1': true, off: false, false: false, '0': false } as const;

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

const quota = (standard: number) =>
  [integer(1, 1_000_000).default(standard), 'a whole number from 1 to 1000000'] as const;

const UNITS = { KIB: 1024, MIB: 1024 ** 2 } as const;
const MIN_REPORT = 1024;
const MAX_REPORT = 512 * UNITS.MIB;

/** A size in bytes, or with a unit. A plain number of at most 512 is a number of MiB. */
const reportSize = z.string().transform((text, ctx) => {
  const [, digits, unit] = /^(\d{1,9})(?: ?(KiB|MiB))?$/i.exec(text) ?? [];
  const number = Number(digits);
  const factor = unit ? UNITS[unit.toUpperCase() as keyof typeof UNITS] : number <= 512 ? UNITS.MIB : 1;
  const bytes = number * factor;
  if (bytes >= MIN_REPORT && bytes <= MAX_REPORT) return bytes;
  ctx.addIssue('not a size');
  return z.NEVER;
});

/** Bytes of a size such as `20GiB`; undefined if it is none. */
export function storageBytes(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6}) ?(MiB|GiB|TiB)$/i.exec(text.trim()) ?? [];
  const power = ['MIB', 'GIB', 'TIB'].indexOf(unit?.toUpperCase() ?? '') + 2;
  return Number(digits) > 0 ? Number(digits) * 1024 ** power : undefined;
}

const storageSize = z.string().transform((text, ctx) => {
  const bytes = storageBytes(text);
  if (bytes !== undefined) return bytes;
  ctx.addIssue('not a size');
  return z.NEVER;
});

const onOff = z
  .string()
  .toLowerCase()
  .pipe(z.enum(Object.keys(SWITCH) as (keyof typeof SWITCH)[]))
  .transform((v) => SWITCH[v]);

/** Values separated by commas. Empty ones are ignored. */
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  );

/**
 * A list of secrets, separated by commas. Older versions took the value as one secret, even with a comma in it. The whole
 * value is therefore the last secret, so that tokens and texts of those versions remain valid.
 */
export const secrets = z
  .string()
  .optional()
  .transform((value) => {
    if (value === undefined) return [];
    const parts = value.split(',').map((part) => part.trim());
    return [...new Set([...parts.filter(Boolean), value])];
  });

const origin = z.string().transform((text, ctx) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  ctx.addIssue('not an origin');
  return z.NEVER;
});

export const trustProxy = z.string().transform((text, ctx): TrustProxy => {
  const value = text.toLowerCase();
  if (/^(?:[1-9]|10)$/.test(value)) return Number(value);
  if (Object.hasOwn(SWITCH, value)) return SWITCH[value as keyof typeof SWITCH] ? 1 : false;
  const ranges = value.split(',').map((range) => parseRange(range.trim()));
  if (ranges.every((range) => range !== undefined)) return ranges;
  ctx.addIssue('not proxies');
  return z.NEVER;
});

const networkRange = z.string().transform((text, ctx) => {
  const range = parseRange(text);
  if (range) return range;
  ctx.addIssue('not a range');
  return z.NEVER;
});

/** Each variable with its default and, for error messages, its allowed values. An empty value counts as unset. */
export const VARIABLES = {
  SVC_PORT: [integer(0, 65535).default(8080), 'a port number from 0 to 65535'],
  SVC_HOST: [z.string().optional(), 'an address to listen on'],
  DATABASE_URL: [
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'postgres://user:password@host:port/database',
  ],
  DATABASE_MIGRATION_URL: [
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'postgres://user:password@host:port/database',
  ],
  DATABASE_REPLICA_URL: [
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'postgres://user:password@host:port/database',
  ],
  SVC_REPLICA_MAX_LAG: [z.coerce.number().min(0.1).max(60).default(1), 'a number of seconds from 0.1 to 60'],
  SVC_DATA_DIR: [z.string().default('./data'), 'a directory'],
  SVC_DB_POOL_MAX: [integer(1, 1000).default(10), 'a whole number from 1 to 1000'],
  SVC_SEARCH_TIMEOUT: [integer(1, 30).default(5), 'a whole number of seconds from 1 to 30'],
  JWT_SECRET: [secrets, 'secrets, separated by commas'],
  SVC_HASH_CONCURRENCY: [integer(1, 64).optional(), 'a whole number from 1 to 64'],
  SVC_ALLOWED_ORIGINS: [
    list.pipe(z.array(origin)),
    'origins such as https://app.example.com, separated by commas',
  ],
  SVC_BASE_DOMAIN: [
    z.string().toLowerCase().regex(HOST_NAME).optional(),
    'a host name without scheme and port',
  ],
  SVC_TRUST_PROXY: [
    trustProxy.default(false),
    'on, off, a number of proxies from 1 to 10, or addresses and CIDR blocks separated by commas',
  ],
  SVC_PUBLIC_URL: [
    z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
      .optional(),
    'the http or https address of the service',
  ],
  SVC_HSTS_SUBDOMAINS: [onOff.default(false), 'on or off'],
  SVC_METRICS_TOKEN: [
    z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .optional(),
    'a token without spaces',
  ],
  RESEND_API_KEY: [z.string().optional(), 'an API key'],
  RESEND_BASE_URL: [z.url({ protocol: /^https?$/ }).optional(), 'an http or https address'],
  SVC_SMTP_URL: [z.url({ protocol: /^smtps?$/ }).optional(), 'smtp://user:password@host:port'],
  SVC_MAIL_FROM: [z.string().regex(/@/).optional(), 'a sender such as svc-findings <findings@example.com>'],
  SVC_STRICT: [onOff.default(false), 'on or off'],
  SVC_REQUIRE_VERIFIED_EMAIL: [onOff.optional(), 'on or off'],
  SVC_PENDING_INVITATIONS: [onOff.optional(), 'on or off'],
  SVC_OWNER_ACCEPTANCE: [onOff.optional(), 'on or off'],
  SVC_SESSION_IDLE_MINUTES: [
    // Shorter times would be inexact, because `last_active_at` is written once a minute.
    integer(0, 1440)
      .refine((minutes) => minutes === 0 || minutes >= 5)
      .optional(),
    '0, or a whole number from 5 to 1440',
  ],
  SVC_AUTH_LIMITS: [onOff.optional(), 'on or off'],
  SVC_BREACHED_PASSWORDS: [
    z.string().toLowerCase().pipe(z.enum(BREACHED_PASSWORDS)).optional(),
    BREACHED_PASSWORDS.join(', '),
  ],
  SVC_PASSWORD_WORDS: [
    list.pipe(z.array(z.string().min(4))),
    'words of at least four characters, separated by commas',
  ],
  SVC_REFUSE_INSECURE_SETTINGS: [onOff.optional(), 'on or off'],
  SVC_MAX_ORGS_PER_ACCOUNT: quota(200),
  SVC_MAX_SESSIONS_PER_ACCOUNT: quota(100),
  SVC_MAX_EMAILS_PER_ACCOUNT: quota(50),
  SVC_MAX_MFA_DEVICES_PER_ACCOUNT: quota(50),
  SVC_MAX_PERSONAL_TOKENS_PER_ACCOUNT: quota(50),
  SVC_MAX_MEMBERS_PER_ORG: quota(5_000),
  SVC_MAX_FORMER_SLUGS_PER_ORG: quota(10),
  SVC_MAX_PROJECTS_PER_ORG: quota(1_000),
  SVC_MAX_TOKENS_PER_ORG: quota(1_000),
  SVC_MAX_TOKENS_PER_PROJECT: quota(500),
  SVC_MAX_MAILS_PER_HOUR: quota(30),
  SVC_MAX_STORAGE_PER_ORG: [storageSize.prefault('20GiB'), 'a size such as 500MiB, 20GiB or 1TiB'],
  SVC_MAX_ROWS_PER_ORG: [
    integer(1, 1_000_000_000_000).default(10_000_000),
    'a whole number from 1 to 1000000000000',
  ],
  SVC_AUDIT_DAYS: [integer(0, 36_500).default(400), 'a whole number from 0 to 36500'],
  SVC_MAX_REPORT: [reportSize.prefault('64MiB'), 'a size from 1KiB to 512MiB'],
  SVC_ENCRYPTION_KEY: [secrets, 'secrets, separated by commas'],
  SVC_OUTBOUND_ALLOW: [
    list.pipe(z.array(networkRange)),
    'addresses and CIDR blocks such as 10.0.0.0/8, separated by commas',
  ],
  SVC_SSO_ALLOW_HTTP: [onOff.default(false), 'on or off'],
  SVC_SSO_ISSUER: [z.url({ protocol: /^https?$/ }).optional(), 'the https address of an issuer'],
  SVC_SSO_CLIENT_ID: [z.string().max(255).optional(), 'the client id at the issuer'],
  SVC_SSO_CLIENT_SECRET: [z.string().max(1024).optional(), 'the client secret at the issuer'],
  SVC_SSO_NAME: [z.string().max(100).default('single sign-on'), 'a name of at most 100 characters'],
  SVC_SSO_DOMAINS: [
    list.pipe(z.array(z.string().toLowerCase().regex(HOST_NAME))),
    'domains of e-mail addresses, separated by commas',
  ],
  SVC_SSO_TRUST_MFA: [onOff.default(false), 'on or off'],
  LOG_LEVEL: [z.string().toLowerCase().pipe(z.enum(LOG_LEVELS)).default('info'), LOG_LEVELS.join(', ')],
  LOG_FORMAT: [
    z
      .string()
      .toLowerCase()
      .pipe(z.enum(['text', 'json']))
      .default('text'),
    'text or json',
  ],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

/** All variables. A test compares them with docs/configuration.md. */
export const VARIABLE_NAMES: readonly string[] = Object.keys(VARIABLES);

/** Variables whose values are not shown in error messages. */
export const SECRET = new Set([
  'JWT_SECRET',
  'DATABASE_URL',
  'DATABASE_MIGRATION_URL',
  'DATABASE_REPLICA_URL',
  'SVC_SMTP_URL',
  'RESEND_API_KEY',
  'SVC_ENCRYPTION_KEY',
  'SVC_METRICS_TOKEN',
  'SVC_SSO_CLIENT_SECRET',
]);
