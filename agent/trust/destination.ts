import { UsageError } from '../errors.ts';
import { type HostPattern, matchesHost } from './hosts.ts';
import { originsOf } from './keys.ts';
import type { State } from './state.ts';

/** Hosts that the user restricts keys to, and where that is written. */
export interface TrustedHosts {
  hosts: readonly HostPattern[];
  /** Such as `SVC_TRUSTED_HOSTS`, or a file's path. */
  source: string;
}

/** Refuses a service that is none of the trusted hosts, whoever named it. @throws UsageError */
export function requireTrustedHost(baseUrl: string, source: string, trusted: TrustedHosts | undefined): void {
  const url = new URL(baseUrl);
  if (trusted === undefined || matchesHost(url, trusted.hosts)) return;
  throw new UsageError(
    `${url.origin} (from ${source}) is none of the hosts that ${trusted.source} allows. Nothing was sent. If the API key belongs to this service, add ${url.host} to ${trusted.source}.`,
  );
}

export interface Destination {
  /** The address that the workspace's file names. */
  baseUrl: string;
  /** The path of that file. */
  source: string;
  apiKey: string;
  /** What the user's own file names, if anything. */
  own: { value: string | undefined; source: string | undefined };
  trusted: TrustedHosts | undefined;
  /** The hosts of `--trust-host`. */
  allowed: readonly HostPattern[];
  state: State;
  /** The command that was given, with `--trust-host <host>` added. */
  commandWith(host: string): string;
}

/**
 * Decides about an address that a workspace's file names, because a repository can bring that file. Flags, the
 * environment and the user's own file are the user's word and are not asked about.
 * @returns lines of a warning; none when the key is known to belong there
 * @throws UsageError when the key belongs to another service
 */
export function checkWorkspaceDestination(destination: Destination): string[] {
  const { baseUrl, source, apiKey, own, trusted, allowed, state, commandWith } = destination;
  const url = new URL(baseUrl);
  const ownOrigin = own.value === undefined ? undefined : new URL(own.value).origin;
  if (ownOrigin === url.origin || matchesHost(url, allowed)) return [];
  const origins = originsOf(state, apiKey);
  if (origins.includes(url.origin)) return [];
  if (origins.length > 0) {
    throw new UsageError(
      `${source} names ${url.origin}, but this API key belongs to ${origins.join(', ')}. Nothing was sent. Only if you know that ${url.host} may have the key and the findings: ${commandWith(url.host)}`,
    );
  }
  // The user has named this host already.
  if (trusted !== undefined && matchesHost(url, trusted.hosts)) return [];
  return [
    '*** The API key and the findings go to an address that this workspace names. ***',
    `  workspace:               ${url.origin} (${source})`,
    `  your own configuration:  ${ownOrigin === undefined ? 'names no address' : `${ownOrigin} (${own.source})`}`,
    `  If you do not know ${url.host}, revoke the key. SVC_TRUSTED_HOSTS restricts keys to hosts that you name.`,
  ];
}
