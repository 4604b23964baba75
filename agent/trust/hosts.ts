import { UsageError } from '../errors.ts';

/** A host that may receive keys: `acme.example.com`, `acme.example.com:8443`, `*.example.com` or `http://localhost:8080`. */
export interface HostPattern {
  /** As it was written. */
  text: string;
  /** As `URL` normalizes it; for a wildcard, the part after `*.`. */
  name: string;
  isWildcard: boolean;
  /** As `URL` writes it, such as `http:`. */
  scheme: string | undefined;
  port: string | undefined;
}

const PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

const nameOf = (url: URL) => url.hostname.replace(/\.$/, '');

const PATTERN =
  /^(?:(?<scheme>https?:)\/\/)?(?<wildcard>\*\.)?(?<host>\[[\da-f:.]+\]|[^\s/@:?#*\\[\]]+)(?::(?<port>\d{1,5}))?$/i;

/** Parses one host. @param source such as `SVC_TRUSTED_HOSTS`, for error messages @throws UsageError */
export function parseHost(text: string, source: string): HostPattern {
  const { scheme, wildcard, host = '', port } = PATTERN.exec(text)?.groups ?? {};
  // The regular expression captures the port, because URL drops the default port of its scheme.
  const url = host !== '' && URL.canParse(`https://${host}`) ? new URL(`https://${host}`) : undefined;
  const isAddress = url !== undefined && /^\[|^[\d.]+$/.test(url.hostname);
  if (url === undefined || (wildcard && (isAddress || !nameOf(url).includes('.')))) {
    throw new UsageError(
      `${source}: “${text}” is not a host. Examples: acme.example.com, acme.example.com:8443, *.example.com, http://localhost:8080`,
    );
  }
  const isWildcard = wildcard !== undefined;
  return { text, name: nameOf(url), isWildcard, scheme: scheme?.toLowerCase(), port };
}

/** Parses a comma-separated list of hosts. @throws UsageError if the list is empty or a host is invalid */
export function parseHosts(list: string, source: string): HostPattern[] {
  const texts = list
    .split(',')
    .map((text) => text.trim())
    .filter(Boolean);
  if (texts.length === 0) throw new UsageError(`${source} lists no host`);
  return texts.map((text) => parseHost(text, source));
}

/** The pattern of one service: its host, with scheme unless it is https, and with port unless it is the default one. */
export const hostPattern = (url: URL): string => (url.protocol === 'https:' ? url.host : url.origin);

/**
 * Whether a URL has a host of the list, and the scheme and port that the list writes for it. A wildcard matches every name
 * below its domain, but not the domain itself.
 */
export const matchesHost = (url: URL, patterns: readonly HostPattern[]): boolean =>
  patterns.some(({ name, isWildcard, scheme = url.protocol, port = portOf(url) }) => {
    if (scheme !== url.protocol || port !== portOf(url)) return false;
    return isWildcard ? nameOf(url).endsWith(`.${name}`) : nameOf(url) === name;
  });

/** The same, and what the list does not write is https and the default port of the scheme. */
export const matchesTrusted = (url: URL, patterns: readonly HostPattern[]): boolean =>
  matchesHost(
    url,
    patterns.map((pattern) => {
      const { scheme = 'https:' } = pattern;
      return { ...pattern, scheme, port: pattern.port ?? PORTS[scheme] };
    }),
  );

const portOf = (url: URL): string | undefined => url.port || PORTS[url.protocol];
