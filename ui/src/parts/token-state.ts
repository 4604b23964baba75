import type { Schemas } from '../api.ts';

export type ApiToken = Schemas['ApiToken'];
export type TokenState = 'active' | 'expiring' | 'expired' | 'revoked';

const DAY_MS = 86_400_000;
/** Time enough to replace it. */
const SOON_MS = 14 * DAY_MS;

/** Whether a token works, and for long. */
export function tokenState({ revoked, expires_at }: ApiToken, now = Date.now()): TokenState {
  if (revoked) return 'revoked';
  if (expires_at === undefined) return 'active';
  const left = new Date(expires_at).getTime() - now;
  if (left <= 0) return 'expired';
  return left < SOON_MS ? 'expiring' : 'active';
}

/** Whether a token works. */
export const isUsable = (token: ApiToken): boolean => ['active', 'expiring'].includes(tokenState(token));

/** The day after so many days. */
export const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY_MS);
