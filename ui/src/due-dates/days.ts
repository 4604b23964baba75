import { SEVERITIES, type Severity } from '../app/search.ts';

/** The limit of the API. */
export const MAX_DAYS = 3_650;

/** What a change of due dates does. */
export const EFFECT =
  'Changes apply to findings that are found, or regress, from now on. Existing findings keep their due dates.';

/** Days as entered: the field is empty or contains text. */
export type EnteredDays = number | string;

/** The message for an entered number of days; null if it is valid. */
export const daysProblem = (days: EnteredDays): string | null =>
  Number.isInteger(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS
    ? null
    : 'Enter a whole number from 1 to 3,650';

/** Days in words. */
export const daysText = (days: number | null): string =>
  days === null || days === 0 ? 'no due date' : days === 1 ? '1 day' : `${days.toLocaleString('en')} days`;

/** A value for each severity. */
export const bySeverity = <T>(make: (severity: Severity) => T): Record<Severity, T> =>
  Object.fromEntries(SEVERITIES.map((severity) => [severity, make(severity)])) as Record<Severity, T>;
