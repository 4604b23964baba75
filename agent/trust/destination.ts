import { UsageError } from '../errors.ts';
import { type HostPattern, hostPattern, matchesHost, matchesTrusted } from './hosts.ts';
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
    `${url.origin} (from ${source}) is not one of the hosts that ${trusted.source} allows. Nothing was sent. If the API key belongs to this service, add ${hostPattern(url)} to ${trusted.source}.`,
  );
}

export interface Destination {
  /** The address in the workspace file. */
  baseUrl: string;
  source: string;
  /** Undefined: the agent gets one from the service. */
  apiKey: string | undefined;
  /** The address in the user file. */
  userBaseUrl: string | undefined;
  trustedHosts: TrustedHosts | undefined;
  /** The hosts in `--trust-host`. */
  allowedHosts: readonly HostPattern[];
  state: State;
  /** Asks the user, if there is one. */
  confirm(question: string): Promise<boolean>;
  /** The current command line with `--trust-host <host>` added. */
  commandWith(host: string): string;
}

/**
 * Checks an address from the workspace file, which a repository can contain. Addresses from flags, the environment and
 * the user file need no check, because the user chose them.
 * @throws UsageError unless the user trusts the address or the key belongs to it
 */
export async function checkWorkspaceDestination(destination: Destination): Promise<void> {
  const { baseUrl, source, apiKey, userBaseUrl, trustedHosts, allowedHosts, state } = destination;
  const url = new URL(baseUrl);
  const userOrigin = userBaseUrl === undefined ? undefined : new URL(userBaseUrl).origin;
  if (userOrigin === url.origin || matchesTrusted(url, allowedHosts)) return;
  const origins = apiKey === undefined ? [] : keyOrigins(state, apiKey);
  if (origins.includes(url.origin)) return;
  const host = hostPattern(url);
  if (origins.length > 0) {
    throw new UsageError(
      `${source} names ${url.origin}, but this API key belongs to ${origins.join(', ')}. Nothing was sent. If you trust ${host} with the key and the findings, run: ${destination.commandWith(host)}`,
    );
  }
  if (trustedHosts !== undefined && matchesTrusted(url, trustedHosts.hosts)) return;
  const own = userOrigin === undefined ? '' : ` Your own configuration has ${userOrigin}.`;
  const question = `${source} of this workspace sends the API key and the findings to ${url.origin}.${own} Do you trust it?`;
  if (await destination.confirm(question)) return;
  throw new UsageError(
    `${source} of this workspace names ${url.origin}, which you have not trusted yet.${own} Nothing was sent. If the API key belongs to this service, set SVC_TRUSTED_HOSTS=${host}, or run: ${destination.commandWith(host)}`,
  );
}
