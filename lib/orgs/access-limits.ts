import type { FoundMembership, FoundSession } from '../accounts/sessions/look-up.ts';
import { ApiError } from '../errors.ts';
import { isWithin, rangesOf } from '../network.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Whether an organization with these networks, CIDR blocks, may be used from an address. None: from everywhere. */
export const isAllowed = (networks: readonly string[], ip: string): boolean =>
  networks.length === 0 || isWithin(ip, rangesOf(networks));

/**
 * Requires a client in one of the organization's networks.
 * @param ip empty when it is not known
 * @throws ApiError `permission_error/address_not_allowed`
 */
export function requireNetwork(networks: readonly string[], ip: string): void {
  if (!isAllowed(networks, ip)) throw new ApiError('permission_error/address_not_allowed');
}

/**
 * Requires a session that is not older than the organization allows, and was not idle for longer. A step-up begins both anew.
 * @throws ApiError `permission_error/step_up_required`
 */
export function requireRecentSession(
  { authenticatedAt, idleSeconds, lastActiveAt }: FoundSession,
  {
    sessionIdleMinutes: idle,
    sessionMaxHours: hours,
  }: Pick<FoundMembership, 'sessionIdleMinutes' | 'sessionMaxHours'>,
  now: Date,
): void {
  const since = (time: Date) => now.getTime() - time.getTime();
  if (hours !== null && since(authenticatedAt) > hours * HOUR_MS)
    throw tooOld(`every ${hours === 1 ? 'hour' : `${hours} hours`}`);
  const idleMs = Math.max(idleSeconds * 1_000, since(lastActiveAt));
  if (idle !== null && idleMs > idle * MINUTE_MS) throw tooOld(`after ${idle} minutes without a request`);
}

const tooOld = (when: string) =>
  new ApiError('permission_error/step_up_required', {
    message: `Confirm your password: this organization requires it ${when}.`,
  });
