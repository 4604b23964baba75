import { UsageError } from '../errors.ts';

/** A host that may receive keys: `acme.example.com`, `acme.example.com:8443` or `*.example.com`. */
export interface HostPattern {
  /** As `URL` normalizes it; for a wildcard, the part after `*.`. */
  name: string;
  isWildcard: boolean;
  /** Undefined matches any port. */
  port: string | undefined;
}

const PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

const nameOf = (url: URL) => url.hostname.replace(/\.$/, '');

/** Parses one host. @param source such as `SVC_TRUSTED_HOSTS`, for error messages @throws UsageError */
export function parseHost(text: string, source: string): HostPattern {
  const [, wildcard, host = '', port] =
    /^(\*\.)?((?:\[[\da-f:.]+\])|(?:[^\s/@:?#*\\[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  // The regular expression captures the port, because URL drops the default port of its scheme.
  const url = host !== '' && URL.canParse(`https://${host}`) ? new URL(`https://${host}`) : undefined;
  const isAddress = url !== undefined && /^\[|^[\d.]+$/.test(url.hostname);
  if (url === undefined || (wildcard && (isAddress || !nameOf(url).includes('.')))) {
    throw new UsageError(
      `${source}: “${text}” is not a host. Examples: acme.example.com, acme.example.com:8443, *.example.com`,
    );
  }
  return { name: nameOf(url), isWildcard: wildcard !== undefined, port };
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

/** Whether a URL matches a pattern. A wildcard matches every name below its domain, but not the domain itself. */
export function matchesHost(url: URL, patterns: readonly HostPattern[]): boolean {
  const host = nameOf(url);
  const actualPort = url.port || PORTS[url.protocol];
  return patterns.some(({ name, isWildcard, port }) => {
    if (port !== undefined && port !== actualPort) return false;
    return isWildcard ? host.endsWith(`.${name}`) : host === name;
  });
}
