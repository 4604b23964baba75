import type { z } from 'zod';
import type { Config } from './config.ts';
import { insecureSettings } from './insecure.ts';
import { SECRET, VARIABLES } from './variables.ts';

/** An invalid setting. The message is one line for the operator. */
export class ConfigError extends Error {}

/**
 * Reads the configuration from environment variables.
 * @throws ConfigError naming the variable, its value (secrets excepted) and what is allowed
 */
export function parseConfig(env: Record<string, string | undefined>): Config {
  const read = <K extends keyof typeof VARIABLES>(name: K): z.output<(typeof VARIABLES)[K][0]> => {
    const [schema, allowed] = VARIABLES[name];
    const value = env[name]?.trim() || undefined;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data as z.output<(typeof VARIABLES)[K][0]>;
    const shown = SECRET.has(name) ? 'the value given' : JSON.stringify(value);
    throw new ConfigError(`${name}: ${shown} is not allowed; it takes ${allowed}`);
  };
  const strict = read('SVC_STRICT');
  const baseDomain = read('SVC_BASE_DOMAIN');
  const port = read('SVC_PORT');
  const resendKey = read('RESEND_API_KEY');
  const configuredUrl = read('SVC_PUBLIC_URL');
  const publicUrl = configuredUrl ?? (baseDomain ? `https://${baseDomain}` : `http://localhost:${port}`);
  const config: Config = {
    port,
    host: read('SVC_HOST'),
    databaseUrl: read('DATABASE_URL'),
    replicaUrl: read('DATABASE_REPLICA_URL'),
    replicaMaxLagMs: read('SVC_REPLICA_MAX_LAG') * 1_000,
    dataDir: read('SVC_DATA_DIR'),
    dbPoolMax: read('SVC_DB_POOL_MAX'),
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
    https: (configuredUrl ?? (strict ? publicUrl : '')).startsWith('https:'),
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
      personalTokensPerAccount: read('SVC_MAX_PERSONAL_TOKENS_PER_ACCOUNT'),
      membersPerOrg: read('SVC_MAX_MEMBERS_PER_ORG'),
      formerSlugsPerOrg: read('SVC_MAX_FORMER_SLUGS_PER_ORG'),
      projectsPerOrg: read('SVC_MAX_PROJECTS_PER_ORG'),
      tokensPerOrg: read('SVC_MAX_TOKENS_PER_ORG'),
      tokensPerProject: read('SVC_MAX_TOKENS_PER_PROJECT'),
      mailsPerHour: read('SVC_MAX_MAILS_PER_HOUR'),
    },
    storage: { bytes: read('SVC_MAX_STORAGE_PER_ORG'), rows: read('SVC_MAX_ROWS_PER_ORG') },
    maxReport: read('SVC_MAX_REPORT'),
    encryptionKeys: read('SVC_ENCRYPTION_KEY'),
    logLevel: read('LOG_LEVEL'),
    logFormat: read('LOG_FORMAT'),
  };
  if (config.replicaUrl !== undefined && config.databaseUrl === undefined)
    throw new ConfigError('DATABASE_REPLICA_URL: needs DATABASE_URL; the embedded PostgreSQL has no replica');
  const [insecure] = config.refuseInsecureSettings ? insecureSettings(config) : [];
  if (insecure) {
    throw new ConfigError(
      `${insecure.variable}: the value given is not allowed while ${strict ? 'SVC_STRICT' : 'SVC_REFUSE_INSECURE_SETTINGS'} is on; it takes ${insecure.takes}`,
    );
  }
  return config;
}
