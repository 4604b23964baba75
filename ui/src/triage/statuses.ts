import type { FindingStatus } from '../app/search.ts';

/** The statuses that users set. Only agents set `verified`. */
export type UserStatus = Exclude<FindingStatus, 'verified'>;

/** The key that sets each status. */
export const STATUS_KEYS: Record<UserStatus, string> = {
  open: 'r',
  confirmed: 'c',
  fixed: 'f',
  false_positive: 'p',
  wontfix: 'w',
};

export const USER_STATUSES = Object.keys(STATUS_KEYS) as UserStatus[];
