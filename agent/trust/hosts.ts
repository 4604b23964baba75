import { UsageError } from '../errors.ts';

/** A host that keys may be sent to: `acme.example.com`, `acme.example.com:8443`, or `*.example.com`. */
export interface HostPattern {
  /** As `URL` writes it; of a wildcard the part after `*.`. */
  name: string;
  isWildcard: boolean;
  /** Any port when undefined. */
  port: string | undefined;
}

const PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

const nameOf = (url: URL) => url.hostname.replace(/\.$/, '');

/** Reads one host. @param source such as `SVC_TRUSTED_HOSTS`, for the message @throws UsageError */
export function parseHost(text: string, source: string): HostPattern {
  const [, wildcard, host = '', port] =
    /^(\*\.)?((?:\[[\da-f:.]+\])|(?:[^\s/@:?#*\\[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  // An https URL, because URL drops the port that its scheme implies.
  const url = host !== '' && URL.canParse(`https://${host}`) ? new URL(`https://${host}`) : undefined;
  const isAddress = url !== undefined && /^\[|^[\d.]+$/.test(url.hostname);
  if (url === undefined || (wildcard && (isAddress || !nameOf(url).includes('.')))) {
    throw new UsageError(
      `${source}: “${text}” is no host. Examples: acme.example.com, acme.example.com:8443, *.example.com`,
    );
  }
  return { name: nameOf(url), isWildcard: wildcard !== undefined, port };
}

/** Reads a comma-separated list of hosts. @throws UsageError also when the list is empty, which would look like a restriction */
export function parseHosts(list: string, source: string): HostPattern[] {
  const texts = list
    .split(',')
    .map((text) => text.trim())
    .filter(Boolean);
  if (texts.length === 0) throw new UsageError(`${source} names no host`);
  return texts.map((text) => parseHost(text, source));
}

/** Whether a URL's host is one of the patterns. A wildcard covers every name below its domain, but not the domain. */
export function matchesHost(url: URL, patterns: readonly HostPattern[]): boolean {
  const host = nameOf(url);
  const actualPort = url.port || PORTS[url.protocol];
  return patterns.some(({ name, isWildcard, port }) => {
    if (port !== undefined && port !== actualPort) return false;
    return isWildcard ? host.endsWith(`.${name}`) : host === name;
  });
}
