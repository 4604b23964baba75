import type { Config } from '../config/config.ts';
import { ConfigError, parseConfig } from '../config/parse.ts';
import type { Logger } from '../logger.ts';
import { warnOfSettings } from '../warnings/unset.ts';

/** The bindings of the worker (wrangler.toml). Variables and secrets are strings. */
export interface Env {
  HYPERDRIVE: { connectionString: string };
  ASSETS: { fetch(request: Request): Promise<Response> };
  [variable: string]: unknown;
}

/**
 * Reads the configuration from the bindings.
 * @throws ConfigError also for variables that are optional on a server or not supported on the edge
 */
export function parseEdgeConfig(env: Env): Config {
  const texts = Object.entries(env).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const variables: Record<string, string> = { LOG_FORMAT: 'json', ...Object.fromEntries(texts) };
  if (variables.DATABASE_REPLICA_URL)
    throw new ConfigError('DATABASE_REPLICA_URL: a replica is not supported on the edge');
  const config = parseConfig(variables);
  const required = (name: string, why: string) => new ConfigError(`${name}: must be set on the edge, ${why}`);
  if (!env.HYPERDRIVE) throw required('HYPERDRIVE', 'as a binding (wrangler.toml) to PostgreSQL');
  if (config.jwtSecrets.length === 0)
    throw required('JWT_SECRET', 'because every isolate would otherwise generate its own secret');
  if (!variables.SVC_PUBLIC_URL && !config.baseDomain)
    throw required('SVC_PUBLIC_URL', 'or SVC_BASE_DOMAIN, as the base of the links in mails');
  if (config.mail.smtpUrl && !config.mail.resend)
    throw new ConfigError('SVC_SMTP_URL: mail by SMTP is not possible on the edge; set RESEND_API_KEY');
  return config;
}

/** Warns about unset variables that reduce security or function. */
export function warnOfUnset(config: Config, log: Logger): void {
  warnOfSettings(config, log);
  if (!config.mail.resend)
    log.warn('RESEND_API_KEY is not set: mails are not sent, their links are written to the log');
}
