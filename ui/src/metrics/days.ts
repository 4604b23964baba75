import { TAG } from '#strings/language.ts';

const short = new Intl.DateTimeFormat(TAG, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** A date of the API, such as "Nov 3". */
export const shortDay = (date: string): string => short.format(new Date(`${date}T00:00:00Z`));
