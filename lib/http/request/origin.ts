import type { Config } from '../../config/config.ts';

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::\d{1,5})?$/i;

/** The name in a Host header: lower-cased, without port and trailing dot. Empty if the header is missing or invalid. */
export function hostName(host: string | undefined): string {
  return HOST.exec(host ?? '')?.[1]?.toLowerCase() ?? '';
}

/**
 * Whether a page of `origin` may call the API across origins: the origin is configured or on the base domain. If the service
 * is reached over HTTPS, a page loaded over plain HTTP may not, because a network attacker can have written it.
 * @param secure whether the request came over HTTPS
 */
export function isAllowedOrigin(
  origin: string,
  config: Pick<Config, 'allowedOrigins' | 'baseDomain' | 'https'>,
  secure: boolean,
): boolean {
  if (config.allowedOrigins.includes(origin)) return true;
  if (!config.baseDomain || !URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  if (!isAllowedScheme(protocol, config, secure)) return false;
  return hostname === config.baseDomain || hostname.endsWith(`.${config.baseDomain}`);
}

/**
 * Whether `origin` is the request's own host. If the service is reached over HTTPS, a page of that host loaded over plain
 * HTTP is not accepted, because a network attacker can have written it. An `https` page always is, because an untrusted
 * proxy may terminate TLS.
 * @param secure whether the request came over HTTPS
 */
export function isOwnOrigin(
  origin: string,
  host: string | undefined,
  config: Pick<Config, 'https'>,
  secure: boolean,
): boolean {
  const own = `http://${host}`;
  if (host === undefined || !URL.canParse(origin) || !URL.canParse(own)) return false;
  const page = new URL(origin);
  return page.host === new URL(own).host && isAllowedScheme(page.protocol, config, secure);
}

const isAllowedScheme = (protocol: string, { https }: Pick<Config, 'https'>, secure: boolean): boolean =>
  protocol === 'https:' || (protocol === 'http:' && !https && !secure);
