import { z } from 'zod';

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
  /** No search takes longer, in milliseconds. */
  searchMs: number;
  /** Undefined makes an ephemeral secret: sessions end with the process. */
  jwtSecret: string | undefined;
  allowedOrigins: readonly string[];
  /** Lower-case host name without port; undefined switches subdomains and the base-domain restriction off. */
  baseDomain: string | undefined;
  trustProxy: boolean;
  /** Base of the links in mails, without a slash at its end. */
  publicUrl: string;
  mail: MailConfig;
  /** Request limits for signing in and for codes, shared by all processes. */
  authLimits: boolean;
  /** Seals TOTP secrets; undefined stores them as they are. */
  encryptionKey: string | undefined;
  logLevel: LogLevel;
  logFormat: 'text' | 'json';
}

/** Who takes our mails. Without a provider they go to a file, `outbox.jsonl` in the data directory. */
export interface MailConfig {
  from: string;
  resend: { apiKey: string; baseUrl: string | undefined } | undefined;
  smtpUrl: string | undefined;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A setting with a value that is not allowed; the message is one line for the operator. */
export class ConfigError extends Error {}

const SWITCH = { on: true, true: true, '1': true, off: false, false: false, '0': false } as const;
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const onOff = z
  .string()
  .toLowerCase()
  .pipe(z.enum(Object.keys(SWITCH) as (keyof typeof SWITCH)[]))
  .transform((v) => SWITCH[v]);
const origin = z.string().transform((text, ctx) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  ctx.addIssue('not an origin');
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
  JWT_SECRET: [z.string().optional(), 'any text'],
  SVC_ALLOWED_ORIGINS: [
    z
      .string()
      .default('')
      .transform((list) =>
        list
          .split(',')
          .map((item) => item.trim())
          .filter(Boolean),
      )
      .pipe(z.array(origin)),
    'origins such as https://app.example.com, separated by commas',
  ],
  SVC_BASE_DOMAIN: [
    z.string().toLowerCase().regex(HOST_NAME).optional(),
    'a host name without scheme and port',
  ],
  SVC_TRUST_PROXY: [onOff.default(false), 'on or off'],
  SVC_PUBLIC_URL: [
    z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    'the http or https address of the service',
  ],
  RESEND_API_KEY: [z.string().optional(), 'an API key'],
  RESEND_BASE_URL: [z.url({ protocol: /^https?$/ }).optional(), 'an http or https address'],
  SVC_SMTP_URL: [z.url({ protocol: /^smtps?$/ }).optional(), 'smtp://user:password@host:port'],
  SVC_MAIL_FROM: [z.string().regex(/@/).optional(), 'a sender such as Findings <findings@example.com>'],
  SVC_AUTH_LIMITS: [onOff.default(false), 'on or off'],
  SVC_ENCRYPTION_KEY: [z.string().optional(), 'any text'],
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
  const baseDomain = read('SVC_BASE_DOMAIN');
  const port = read('SVC_PORT');
  const resendKey = read('RESEND_API_KEY');
  const publicUrl =
    read('SVC_PUBLIC_URL') ?? (baseDomain ? `https://${baseDomain}` : `http://localhost:${port}`);
  return {
    port,
    host: read('SVC_HOST'),
    databaseUrl: read('DATABASE_URL'),
    dataDir: read('SVC_DATA_DIR'),
    dbPoolMax: read('SVC_DB_POOL_MAX'),
    workers: read('SVC_WORKERS'),
    searchMs: read('SVC_SEARCH_TIMEOUT') * 1_000,
    jwtSecret: read('JWT_SECRET'),
    allowedOrigins: read('SVC_ALLOWED_ORIGINS'),
    baseDomain,
    trustProxy: read('SVC_TRUST_PROXY'),
    publicUrl,
    mail: {
      from: read('SVC_MAIL_FROM') ?? `Security findings <no-reply@${new URL(publicUrl).hostname}>`,
      resend: resendKey === undefined ? undefined : { apiKey: resendKey, baseUrl: read('RESEND_BASE_URL') },
      smtpUrl: read('SVC_SMTP_URL'),
    },
    authLimits: read('SVC_AUTH_LIMITS'),
    encryptionKey: read('SVC_ENCRYPTION_KEY'),
    logLevel: read('LOG_LEVEL'),
    logFormat: read('LOG_FORMAT'),
  };
}
