import type { Schemas } from '../app/api.ts';

export type ApiToken = Schemas['ApiToken'];
export type TokenState = 'active' | 'expired' | 'revoked';

const DAY_MS = 86_400_000;
/** Time enough to replace it. */
const SOON_MS = 14 * DAY_MS;

const timeLeft = ({ expires_at }: ApiToken, now: number): number =>
  expires_at === undefined ? Number.POSITIVE_INFINITY : new Date(expires_at).getTime() - now;

/** Whether a token works. */
export function tokenState(token: ApiToken, now = Date.now()): TokenState {
  if (token.revoked) return 'revoked';
  return timeLeft(token, now) <= 0 ? 'expired' : 'active';
}

/** Whether a token works, but not for long. */
export const expiresSoon = (token: ApiToken, now = Date.now()): boolean =>
  tokenState(token, now) === 'active' && timeLeft(token, now) < SOON_MS;

/** Whether a token works. */
export const isUsable = (token: ApiToken): boolean => tokenState(token) === 'active';

/** The day after so many days. */
export const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY_MS);
