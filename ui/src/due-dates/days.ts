import * as text from '#strings/due-dates.ts';
import { SEVERITIES, type Severity } from '../app/search.ts';

/** The limit of the API. */
export const MAX_DAYS = 3_650;

/** Days as entered: the field is empty or contains text. */
export type EnteredDays = number | string;

/** The message for an entered number of days; null if it is valid. */
export const daysProblem = (days: EnteredDays): string | null =>
  Number.isInteger(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS ? null : text.enterDays(MAX_DAYS);

/** Days in words. */
export const daysText = (days: number | null): string =>
  days === null || days === 0 ? text.never : text.days(days);

/** A value for each severity. */
export const bySeverity = <T>(make: (severity: Severity) => T): Record<Severity, T> =>
  Object.fromEntries(SEVERITIES.map((severity) => [severity, make(severity)])) as Record<Severity, T>;
