const DAY_MS = 24 * 60 * 60_000;

const two = (number: number) => String(number).padStart(2, '0');

/** The date of a time in the user's time zone, as date fields have it: `2026-01-31`. */
export function dayOf(time: string | number | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The date in some days. */
export const dayIn = (days: number, now = Date.now()): string => dayOf(now + days * DAY_MS);

/** The end of a day in the user's time zone; undefined if it is no date. */
export function endOf(day: string): string | undefined {
  const time = new Date(`${day}T23:59:59`);
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
}
