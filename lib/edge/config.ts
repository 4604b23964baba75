import type { Config } from '../config/config.ts';
import { ConfigError, parseConfig } from '../config/parse.ts';
import type { Logger } from '../logger.ts';
import { warnOfSettings } from '../services.ts';

/** What Cloudflare gives the worker (wrangler.toml), beside variables and secrets, which are text. */
export interface Env {
  HYPERDRIVE: { connectionString: string };
  ASSETS: { fetch(request: Request): Promise<Response> };
  [variable: string]: unknown;
}

/**
 * Reads the server's variables where they are bindings.
 * @throws ConfigError also for what a server can do without, or does in another way
 */
export function parseEdgeConfig(env: Env): Config {
  const texts = Object.entries(env).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const variables: Record<string, string> = { LOG_FORMAT: 'json', ...Object.fromEntries(texts) };
  const config = parseConfig(variables);
  const require = (name: string, why: string) => new ConfigError(`${name}: must be set on the edge, ${why}`);
  if (!env.HYPERDRIVE) throw require('HYPERDRIVE', 'as a binding (wrangler.toml): the way to PostgreSQL');
  if (config.jwtSecrets.length === 0)
    throw require('JWT_SECRET', 'where every isolate would make a secret of its own');
  if (!variables.SVC_PUBLIC_URL && !config.baseDomain)
    throw require('SVC_PUBLIC_URL', 'or SVC_BASE_DOMAIN: the links in mails lead there');
  if (config.mail.smtpUrl && !config.mail.resend)
    throw new ConfigError('SVC_SMTP_URL: mail by SMTP is not possible on the edge; set RESEND_API_KEY');
  return config;
}

/** Says what works without being set, but not as well. */
export function warnOfUnset(config: Config, log: Logger): void {
  warnOfSettings(config, log);
  if (!config.mail.resend)
    log.warn('RESEND_API_KEY is not set: mails are not sent, their links are in the log');
}
