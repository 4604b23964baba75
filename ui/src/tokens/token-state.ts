import type { Schemas } from '../app/api.ts';

export type ApiToken = Schemas['ApiToken'];
export type TokenState = 'active' | 'expired' | 'revoked';

const DAY_MS = 86_400_000;
/** Enough time to replace a token. */
const SOON_MS = 14 * DAY_MS;

const timeLeft = ({ expires_at }: ApiToken, now: number): number =>
  expires_at === undefined ? Number.POSITIVE_INFINITY : new Date(expires_at).getTime() - now;

/** The state of a token. */
export function tokenState(token: ApiToken, now = Date.now()): TokenState {
  if (token.revoked) return 'revoked';
  return timeLeft(token, now) <= 0 ? 'expired' : 'active';
}

/** Whether a valid token expires soon. */
export const expiresSoon = (token: ApiToken, now = Date.now()): boolean =>
  tokenState(token, now) === 'active' && timeLeft(token, now) < SOON_MS;

/** Whether a token is valid. */
export const isUsable = (token: ApiToken): boolean => tokenState(token) === 'active';

/** The date in a number of days. */
export const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY_MS);

/** Whether it is a CI system that the project trusts: it has no secret of its own. */
export const isCiSystem = ({ prefix }: ApiToken): boolean => prefix === '';
