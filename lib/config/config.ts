import type { z } from 'zod';
import type { TrustProxy } from '../http/peer.ts';
import { insecureSettings } from './insecure.ts';
import { type BREACHED_PASSWORDS, type LogLevel, SECRET, VARIABLES } from './variables.ts';

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

/** A setting with a value that is not allowed; the message is one line for the operator. */
export class ConfigError extends Error {}

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
