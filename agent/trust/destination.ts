import { UsageError } from '../errors.ts';
import { type HostPattern, matchesHost } from './hosts.ts';
import { keyOrigins } from './keys.ts';
import type { State } from './state.ts';

/** The hosts that may receive keys, and the source of the list. */
export interface TrustedHosts {
  hosts: readonly HostPattern[];
  /** Such as `SVC_TRUSTED_HOSTS` or the path of a file. */
  source: string;
}

/** Rejects a service that is not a trusted host, from any source. @throws UsageError */
export function requireTrustedHost(baseUrl: string, source: string, trusted: TrustedHosts | undefined): void {
  const url = new URL(baseUrl);
  if (trusted === undefined || matchesHost(url, trusted.hosts)) return;
  throw new UsageError(
    `${url.origin} (from ${source}) is not one of the hosts that ${trusted.source} allows. Nothing was sent. If the API key belongs to this service, add ${url.host} to ${trusted.source}.`,
  );
}

export interface Destination {
  /** The address in the workspace file. */
  baseUrl: string;
  source: string;
  apiKey: string;
  /** The address in the user file. */
  userSetting: { value: string | undefined; source: string | undefined };
  trustedHosts: TrustedHosts | undefined;
  /** The hosts in `--trust-host`. */
  allowedHosts: readonly HostPattern[];
  state: State;
  /** The current command line with `--trust-host <host>` added. */
  commandWith(host: string): string;
}

/**
 * Checks an address from the workspace file, which a repository can contain. Addresses from flags, the environment and
 * the user file need no check, because the user chose them.
 * @returns the lines of a warning; empty if the key may be sent to the address
 * @throws UsageError if the key belongs to another service
 */
export function checkWorkspaceDestination(destination: Destination): string[] {
  const { baseUrl, source, apiKey, userSetting, trustedHosts, allowedHosts, state, commandWith } =
    destination;
  const url = new URL(baseUrl);
  const userOrigin = userSetting.value === undefined ? undefined : new URL(userSetting.value).origin;
  if (userOrigin === url.origin || matchesHost(url, allowedHosts)) return [];
  const origins = keyOrigins(state, apiKey);
  if (origins.includes(url.origin)) return [];
  if (origins.length > 0) {
    throw new UsageError(
      `${source} names ${url.origin}, but this API key belongs to ${origins.join(', ')}. Nothing was sent. If you trust ${url.host} with the key and the findings, run: ${commandWith(url.host)}`,
    );
  }
  // The user has already listed this host.
  if (trustedHosts !== undefined && matchesHost(url, trustedHosts.hosts)) return [];
  return [
    '*** The API key and the findings are sent to an address from this workspace. ***',
    `  workspace:               ${url.origin} (${source})`,
    `  your own configuration:  ${userOrigin === undefined ? 'has no address' : `${userOrigin} (${userSetting.source})`}`,
    `  If you do not know ${url.host}, revoke the key. SVC_TRUSTED_HOSTS restricts keys to hosts that you list.`,
  ];
}
