import type { z } from 'zod';
import type { Config } from './config.ts';
import { insecureSettings, missingSettings } from './insecure.ts';
import { SECRET, VARIABLES } from './variables.ts';

/** Invalid settings. The message has one line for each, for the operator. */
export class ConfigError extends Error {}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from environment variables.
 * @param refuse false for commands of the operator, which also work with settings that are not secure enough for a server
 * @throws ConfigError naming each variable that is invalid, missing or not secure enough
 */
export function parseConfig(env: Env, { refuse = true } = {}): Config {
  const { config, errors } = readConfig(env);
  if (refuse) errors.push(...refusedSettings(config, env));
  if (errors.length > 0) throw new ConfigError(errors.join('\n'));
  return config;
}

/** Why a server with this configuration does not start, one line each. */
export function refusedSettings(config: Config, env: Env = {}): string[] {
  if (!config.refuseInsecureSettings) return [];
  const by = config.strict ? 'SVC_STRICT' : 'SVC_REFUSE_INSECURE_SETTINGS';
  return [
    ...insecureSettings(config).map(
      ({ variable, problem, takes }) =>
        `${variable}: the value given is not allowed while ${by} is on; it takes ${takes}. Reason: ${problem}`,
    ),
    ...missingSettings(config)
      // An invalid value is an error of its own.
      .filter(({ variable }) => !variable.split(' or ').some((name) => env[name]?.trim()))
      .map(
        ({ variable, problem, takes }) =>
          `${variable}: must be set while ${by} is on; it takes ${takes}. Reason: ${problem}`,
      ),
  ];
}

/** @returns the configuration, with defaults for invalid values, and a line for each of those */
function readConfig(env: Env): { config: Config; errors: string[] } {
  const errors: string[] = [];
  const read = <K extends keyof typeof VARIABLES>(name: K): z.output<(typeof VARIABLES)[K][0]> => {
    const [schema, allowed] = VARIABLES[name];
    const value = env[name]?.trim() || undefined;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data as z.output<(typeof VARIABLES)[K][0]>;
    const shown = SECRET.has(name) ? 'the value given' : JSON.stringify(value);
    errors.push(`${name}: ${shown} is not allowed; it takes ${allowed}`);
    return schema.parse(undefined) as z.output<(typeof VARIABLES)[K][0]>;
  };
  const strict = read('SVC_STRICT');
  const baseDomain = read('SVC_BASE_DOMAIN');
  const port = read('SVC_PORT');
  const resendKey = read('RESEND_API_KEY');
  const issuer = read('SVC_SSO_ISSUER');
  const clientId = read('SVC_SSO_CLIENT_ID');
  const configuredUrl = read('SVC_PUBLIC_URL');
  const publicUrl = configuredUrl ?? (baseDomain ? `https://${baseDomain}` : `http://localhost:${port}`);
  const config: Config = {
    port,
    host: read('SVC_HOST'),
    databaseUrl: read('DATABASE_URL'),
    migrationUrl: read('DATABASE_MIGRATION_URL'),
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
    ownerAcceptance: read('SVC_OWNER_ACCEPTANCE') ?? strict,
    sessionIdleMinutes: read('SVC_SESSION_IDLE_MINUTES') ?? (strict ? 480 : 0),
    refuseInsecureSettings: read('SVC_REFUSE_INSECURE_SETTINGS') ?? strict,
    publicUrl,
    https: (configuredUrl ?? (strict ? publicUrl : '')).startsWith('https:'),
    hstsSubdomains: read('SVC_HSTS_SUBDOMAINS'),
    metricsToken: read('SVC_METRICS_TOKEN'),
    mail: {
      from: read('SVC_MAIL_FROM') ?? `svc-findings <no-reply@${new URL(publicUrl).hostname}>`,
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
    auditDays: read('SVC_AUDIT_DAYS'),
    maxReport: read('SVC_MAX_REPORT'),
    encryptionKeys: read('SVC_ENCRYPTION_KEY'),
    outboundAllow: read('SVC_OUTBOUND_ALLOW'),
    sso: {
      allowHttp: read('SVC_SSO_ALLOW_HTTP'),
      deployment:
        issuer === undefined || clientId === undefined
          ? undefined
          : {
              ...{ issuer, clientId, clientSecret: read('SVC_SSO_CLIENT_SECRET') },
              ...{ name: read('SVC_SSO_NAME'), domains: read('SVC_SSO_DOMAINS') },
              trustMfa: read('SVC_SSO_TRUST_MFA'),
            },
    },
    logLevel: read('LOG_LEVEL'),
    logFormat: read('LOG_FORMAT'),
  };
  if (config.migrationUrl !== undefined && !env.DATABASE_URL?.trim())
    errors.push('DATABASE_MIGRATION_URL: needs DATABASE_URL; the embedded PostgreSQL has one role');
  if ((issuer === undefined) !== (clientId === undefined))
    errors.push('SVC_SSO_ISSUER: needs SVC_SSO_CLIENT_ID, and the reverse');
  if (config.replicaUrl !== undefined && !env.DATABASE_URL?.trim())
    errors.push('DATABASE_REPLICA_URL: needs DATABASE_URL; the embedded PostgreSQL has no replica');
  return { config, errors };
}
