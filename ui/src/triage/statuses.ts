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

/** The key that undoes the last change. */
export const UNDO_KEY = 'u';

/** The statuses that users set, in the order of buttons and menus. */
export const USER_STATUSES = Object.keys(STATUS_KEYS) as UserStatus[];

/** Whether the form asks for the reason of a status. */
export const asksReason = (status: UserStatus): boolean =>
  status === 'false_positive' || status === 'wontfix';
