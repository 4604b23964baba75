import { DATES } from '#strings/language.ts';

/*
 * The formats of dates and times. Pages show a past or future moment as a relative time with `Ago` and a day that somebody has
 * chosen with `Day` (`Time.tsx`). Both have the exact time as a tooltip.
 */

const days = new Intl.DateTimeFormat(DATES, { dateStyle: 'medium' });
const utcDays = new Intl.DateTimeFormat(DATES, { dateStyle: 'medium', timeZone: 'UTC' });
const shortUtcDays = new Intl.DateTimeFormat(DATES, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const times = new Intl.DateTimeFormat(DATES, { dateStyle: 'medium', timeStyle: 'medium' });

/** A date in the time zone of the user, such as "Nov 3, 2026". */
export const dayOf = (time: string | Date): string => days.format(new Date(time));

/** Date and time in the time zone of the user. */
export const dateTime = (time: string | Date): string => times.format(new Date(time));

const utc = (date: string) => new Date(`${date.slice(0, 10)}T00:00:00Z`);

/** A day in UTC, such as "Nov 3, 2026". */
export const utcDay = (date: string): string => utcDays.format(utc(date));

/** A day in UTC without its year, such as "Nov 3". */
export const shortUtcDay = (date: string): string => shortUtcDays.format(utc(date));
