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
  const errors: string[] = [];
  const refuse = (isWrong: boolean, error: string) => isWrong && errors.push(error);
  const is = (name: string) => Boolean(variables[name]?.trim());
  refuse(is('DATABASE_REPLICA_URL'), 'DATABASE_REPLICA_URL: a replica is not supported on the edge');
  refuse(
    is('DATABASE_MIGRATION_URL'),
    'DATABASE_MIGRATION_URL: a worker does not migrate; set it for the command "migrate"',
  );
  refuse(!env.HYPERDRIVE, 'HYPERDRIVE: must be set on the edge, as a binding (wrangler.toml) to PostgreSQL');
  refuse(
    !is('JWT_SECRET'),
    'JWT_SECRET: must be set on the edge, because every isolate would otherwise generate its own secret',
  );
  refuse(
    !is('SVC_PUBLIC_URL') && !is('SVC_BASE_DOMAIN'),
    'SVC_PUBLIC_URL: must be set on the edge, or SVC_BASE_DOMAIN, as the base of the links in mails',
  );
  refuse(
    is('SVC_SMTP_URL') && !is('RESEND_API_KEY'),
    'SVC_SMTP_URL: mail by SMTP is not possible on the edge; set RESEND_API_KEY',
  );
  const config = attempt(
    () => parseConfig({ ...variables, DATABASE_REPLICA_URL: undefined, DATABASE_MIGRATION_URL: undefined }),
    errors,
  );
  if (config === undefined || errors.length > 0) throw new ConfigError(errors.join('\n'));
  return config;
}

function attempt<T>(run: () => T, errors: string[]): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    errors.push(error.message);
    return undefined;
  }
}

/** Warns about unset variables that reduce security or function. */
export function warnOfUnset(config: Config, log: Logger): void {
  warnOfSettings(config, log);
  if (!config.mail.resend)
    log.warn('RESEND_API_KEY is not set: mails are not sent, their links are written to the log');
}
