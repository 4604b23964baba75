import { z } from 'zod';
import { parseRange } from './http/network.ts';
import type { TrustProxy } from './http/peer.ts';

/** What the environment says, checked. */
export interface Config {
  port: number;
  /** Address to listen on; undefined is every interface. */
  host: string | undefined;
  /** Undefined starts the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  dataDir: string;
  /** Connections of each process. */
  dbPoolMax: number;
  /** Processes that serve. */
  workers: number;
  /** The first signs, all of them verify. Without one an ephemeral secret is made: sessions end with the process. */
  jwtSecrets: readonly string[];
  /** Passwords that each process hashes at once; undefined is by its processors. */
  hashConcurrency: number | undefined;
  /** No search takes longer, in milliseconds. */
  searchMs: number;
  allowedOrigins: readonly string[];
  /** Lower-case host name without port; undefined switches subdomains and the base-domain restriction off. */
  baseDomain: string | undefined;
  /** Whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
  trustProxy: TrustProxy;
  /** The production profile: the default of each of the switches below that close a hole. */
  strict: boolean;
  /** An account whose primary address is not verified can only verify it and sign out. */
  requireVerifiedEmail: boolean;
  /** An invited member is `pending`, without access, until their account has verified the invited address. */
  pendingInvitations: boolean;
  /** A session without a request for so long is over, before its 24 hours are. 0 lets it live. */
  sessionIdleMinutes: number;
  /** Secrets below 32 bytes and a plain-http public URL stop the start. */
  refuseInsecureSettings: boolean;
  /** Base of the links in mails, without a slash at its end. */
  publicUrl: string;
  /** The service is reached over HTTPS: `SVC_PUBLIC_URL` says so, in strict mode also by its default. */
  https: boolean;
  /** `Strict-Transport-Security` covers the subdomains too. */
  hstsSubdomains: boolean;
  /** Host names, beside its own, at which `/metrics` answers in strict mode. */
  metricsHosts: readonly string[];
  mail: MailConfig;
  /** Request limits for signing in and for codes, shared by all processes. */
  authLimits: boolean;
  /** What becomes of a chosen password that is on the list of leaked ones, or contains a word that is easy to guess. */
  breachedPasswords: (typeof BREACHED_PASSWORDS)[number];
  /** What no password may contain, beside the product's name and the e-mail address. */
  passwordWords: readonly string[];
  quotas: Quotas;
  /** The first encrypts, all of them decrypt. Without one TOTP secrets are stored as they are. */
  encryptionKeys: readonly string[];
  logLevel: LogLevel;
  logFormat: 'text' | 'json';
}

/** How much an account or an organization may have of something. */
export interface Quotas {
  orgsPerAccount: number;
  sessionsPerAccount: number;
  emailsPerAccount: number;
  mfaDevicesPerAccount: number;
  membersPerOrg: number;
  projectsPerOrg: number;
  tokensPerOrg: number;
  tokensPerProject: number;
  /** To one address, of each kind of mail that can be asked for. */
  mailsPerHour: number;
}

/** Who takes our mails. Without a provider they go to a file, `outbox.jsonl` in the data directory. */
export interface MailConfig {
  from: string;
  resend: { apiKey: string; baseUrl: string | undefined } | undefined;
  smtpUrl: string | undefined;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const BREACHED_PASSWORDS = ['off', 'warn', 'refuse'] as const;

/** A setting with a value that is not allowed; the message is one line for the operator. */
export class ConfigError extends Error {}

const SWITCH = { on: true, true: true, '1': true, off: false, false: false, '0': false } as const;
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const quota = (standard: number) =>
  [integer(1, 1_000_000).default(standard), 'a whole number from 1 to 1000000'] as const;
const onOff = z
  .string()
  .toLowerCase()
  .pipe(z.enum(Object.keys(SWITCH) as (keyof typeof SWITCH)[]))
  .transform((v) => SWITCH[v]);
/** Values separated by commas, without empty ones. */
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
 * A list of secrets, separated by commas. A value with a comma may also be one secret of a version that knew no lists: the
 * whole value comes last, so that what it signed or encrypted can still be read.
 */
const secrets = z
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

const trustProxy = z.string().transform((text, ctx): TrustProxy => {
  const given = text.toLowerCase();
  if (/^(?:[1-9]|10)$/.test(given)) return Number(given);
  if (Object.hasOwn(SWITCH, given)) return SWITCH[given as keyof typeof SWITCH] ? 1 : false;
  const ranges = given.split(',').map((range) => parseRange(range.trim()));
  if (ranges.every((range) => range !== undefined)) return ranges;
  ctx.addIssue('not proxies');
  return z.NEVER;
});

/** Each variable with its default and, for the error message, what it allows. An empty value is an unset one. */
const VARIABLES = {
  SVC_PORT: [integer(0, 65535).default(8080), 'a port number from 0 to 65535'],
  SVC_HOST: [z.string().optional(), 'an address to listen on'],
  DATABASE_URL: [
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'postgres://user:password@host:port/database',
  ],
  SVC_DATA_DIR: [z.string().default('./data'), 'a directory'],
  SVC_DB_POOL_MAX: [integer(1, 1000).default(10), 'a whole number from 1 to 1000'],
  SVC_SEARCH_TIMEOUT: [integer(1, 30).default(5), 'a whole number of seconds from 1 to 30'],
  SVC_WORKERS: [integer(1, 64).default(1), 'a whole number from 1 to 64'],
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
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    'the http or https address of the service',
  ],
  SVC_HSTS_SUBDOMAINS: [onOff.default(false), 'on or off'],
  SVC_METRICS_HOSTS: [
    list.pipe(z.array(z.string().toLowerCase().regex(HOST_NAME))),
    'host names without scheme and port, separated by commas',
  ],
  RESEND_API_KEY: [z.string().optional(), 'an API key'],
  RESEND_BASE_URL: [z.url({ protocol: /^https?$/ }).optional(), 'an http or https address'],
  SVC_SMTP_URL: [z.url({ protocol: /^smtps?$/ }).optional(), 'smtp://user:password@host:port'],
  SVC_MAIL_FROM: [z.string().regex(/@/).optional(), 'a sender such as Findings <findings@example.com>'],
  SVC_STRICT: [onOff.default(false), 'on or off'],
  SVC_REQUIRE_VERIFIED_EMAIL: [onOff.optional(), 'on or off'],
  SVC_PENDING_INVITATIONS: [onOff.optional(), 'on or off'],
  SVC_SESSION_IDLE_MINUTES: [
    // A session's last request is noted once a minute.
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
  SVC_MAX_MEMBERS_PER_ORG: quota(5_000),
  SVC_MAX_PROJECTS_PER_ORG: quota(1_000),
  SVC_MAX_TOKENS_PER_ORG: quota(1_000),
  SVC_MAX_TOKENS_PER_PROJECT: quota(500),
  SVC_MAX_MAILS_PER_HOUR: quota(30),
  SVC_ENCRYPTION_KEY: [secrets, 'secrets, separated by commas'],
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

/** All that is read, for the documents to be held to. */
export const VARIABLE_NAMES: readonly string[] = Object.keys(VARIABLES);

const SECRET = new Set([
  'JWT_SECRET',
  'DATABASE_URL',
  'SVC_SMTP_URL',
  'RESEND_API_KEY',
  'SVC_ENCRYPTION_KEY',
]);

/**
 * Reads the configuration from environment variables.
 * @throws ConfigError naming the variable, its value (secrets excepted) and what is allowed
 */
export function parseConfig(env: Record<string, string | undefined>): Config {
  const read = <K extends keyof typeof VARIABLES>(name: K): z.output<(typeof VARIABLES)[K][0]> => {
    const [schema, allowed] = VARIABLES[name];
    const given = env[name]?.trim() || undefined;
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data as z.output<(typeof VARIABLES)[K][0]>;
    const shown = SECRET.has(name) ? 'the value given' : JSON.stringify(given);
    throw new ConfigError(`${name}: ${shown} is not allowed; it takes ${allowed}`);
  };
  const strict = read('SVC_STRICT');
  const baseDomain = read('SVC_BASE_DOMAIN');
  const port = read('SVC_PORT');
  const resendKey = read('RESEND_API_KEY');
  const givenUrl = read('SVC_PUBLIC_URL');
  const publicUrl = givenUrl ?? (baseDomain ? `https://${baseDomain}` : `http://localhost:${port}`);
  const config: Config = {
    port,
    host: read('SVC_HOST'),
    databaseUrl: read('DATABASE_URL'),
    dataDir: read('SVC_DATA_DIR'),
    dbPoolMax: read('SVC_DB_POOL_MAX'),
    workers: read('SVC_WORKERS'),
    jwtSecrets: read('JWT_SECRET'),
    hashConcurrency: read('SVC_HASH_CONCURRENCY'),
    searchMs: read('SVC_SEARCH_TIMEOUT') * 1_000,
    allowedOrigins: read('SVC_ALLOWED_ORIGINS'),
    baseDomain,
    trustProxy: read('SVC_TRUST_PROXY'),
    strict,
    requireVerifiedEmail: read('SVC_REQUIRE_VERIFIED_EMAIL') ?? strict,
    pendingInvitations: read('SVC_PENDING_INVITATIONS') ?? strict,
    sessionIdleMinutes: read('SVC_SESSION_IDLE_MINUTES') ?? (strict ? 480 : 0),
    refuseInsecureSettings: read('SVC_REFUSE_INSECURE_SETTINGS') ?? strict,
    publicUrl,
    https: (givenUrl ?? (strict ? publicUrl : '')).startsWith('https:'),
    hstsSubdomains: read('SVC_HSTS_SUBDOMAINS'),
    metricsHosts: read('SVC_METRICS_HOSTS'),
    mail: {
      from: read('SVC_MAIL_FROM') ?? `Security findings <no-reply@${new URL(publicUrl).hostname}>`,
      resend: resendKey === undefined ? undefined : { apiKey: resendKey, baseUrl: read('RESEND_BASE_URL') },
      smtpUrl: read('SVC_SMTP_URL'),
    },
    authLimits: read('SVC_AUTH_LIMITS') ?? strict,
    breachedPasswords: read('SVC_BREACHED_PASSWORDS') ?? (strict ? 'refuse' : 'warn'),
    passwordWords: read('SVC_PASSWORD_WORDS'),
    quotas: {
      orgsPerAccount: read('SVC_MAX_ORGS_PER_ACCOUNT'),
      sessionsPerAccount: read('SVC_MAX_SESSIONS_PER_ACCOUNT'),
      emailsPerAccount: read('SVC_MAX_EMAILS_PER_ACCOUNT'),
      mfaDevicesPerAccount: read('SVC_MAX_MFA_DEVICES_PER_ACCOUNT'),
      membersPerOrg: read('SVC_MAX_MEMBERS_PER_ORG'),
      projectsPerOrg: read('SVC_MAX_PROJECTS_PER_ORG'),
      tokensPerOrg: read('SVC_MAX_TOKENS_PER_ORG'),
      tokensPerProject: read('SVC_MAX_TOKENS_PER_PROJECT'),
      mailsPerHour: read('SVC_MAX_MAILS_PER_HOUR'),
    },
    encryptionKeys: read('SVC_ENCRYPTION_KEY'),
    logLevel: read('LOG_LEVEL'),
    logFormat: read('LOG_FORMAT'),
  };
  const [insecure] = config.refuseInsecureSettings ? insecureSettings(config) : [];
  if (insecure) {
    throw new ConfigError(
      `${insecure.variable}: the value given is not allowed while ${strict ? 'SVC_STRICT' : 'SVC_REFUSE_INSECURE_SETTINGS'} is on; it takes ${insecure.takes}`,
    );
  }
  return config;
}

/** A setting that works and is not safe. */
export interface InsecureSetting {
  variable: string;
  /** Why it is not safe. */
  problem: string;
  /** What would be. */
  takes: string;
}

/** A secret with fewer bytes can be guessed by who has something that it signed or encrypted. */
const SECRET_BYTES = 32;

const isWeak = (secret: string) => new TextEncoder().encode(secret).length < SECRET_BYTES;
const STRONG = `secrets of ${SECRET_BYTES} bytes or more (openssl rand -hex 32)`;

/** Host names that lead to the machine itself, which browsers trust without TLS. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

/**
 * Settings that `SVC_REFUSE_INSECURE_SETTINGS` refuses. Every secret of `JWT_SECRET` signs sessions that are believed, so all
 * count; of `SVC_ENCRYPTION_KEY` only the first encrypts, and the others may be weak ones that are being replaced.
 */
export function insecureSettings({
  jwtSecrets,
  encryptionKeys,
  publicUrl,
}: Pick<Config, 'jwtSecrets' | 'encryptionKeys' | 'publicUrl'>): InsecureSetting[] {
  const found: InsecureSetting[] = [];
  if (jwtSecrets.some(isWeak)) {
    const problem = `a secret is shorter than ${SECRET_BYTES} bytes: whoever has a session cookie can guess it and forge others`;
    found.push({ variable: 'JWT_SECRET', problem, takes: STRONG });
  }
  if (encryptionKeys.slice(0, 1).some(isWeak)) {
    const problem = `the first secret is shorter than ${SECRET_BYTES} bytes: whoever has a copy of the database can guess it`;
    found.push({ variable: 'SVC_ENCRYPTION_KEY', problem, takes: STRONG });
  }
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    const problem = 'links in mails lead to plain http: passwords and sessions can be read on the way';
    found.push({
      variable: 'SVC_PUBLIC_URL',
      problem,
      takes: 'an https address (or http on localhost or loopback)',
    });
  }
  return found;
}
