import { dateIn, type Given, textOf, wholeNumber, withoutUndefined } from '../app/search.ts';
import { DAY_MS, dateOf } from '../metrics/range.ts';

/** The parameters of the address. Days are in UTC, and the last day is included. */
export interface AuditSearch {
  /** The id of a user or a token. */
  actor?: string;
  action?: string;
  target?: string;
  from?: string;
  to?: string;
  page?: number;
}

/** Parses the parameters of an address and omits invalid ones. */
export const auditSearch = (given: Given): AuditSearch =>
  withoutUndefined<AuditSearch>({
    actor: textOf(given.actor),
    action: textOf(given.action),
    target: textOf(given.target),
    from: dateIn(given.from),
    to: dateIn(given.to),
    page: wholeNumber(given.page),
  });

/** The filter of the API for an address. */
export const filterOf = ({ actor, action, target, from, to }: AuditSearch) =>
  withoutUndefined({ actor, action, target, from, to: to && dateOf(Date.parse(to) + DAY_MS) });
