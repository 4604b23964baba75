const short = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Such as "Nov 3", of a date as the service writes it. */
export const shortDay = (date: string): string => short.format(new Date(`${date}T00:00:00Z`));
