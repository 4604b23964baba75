import { timestamp } from 'drizzle-orm/pg-core';

/** A point in time, kept to the millisecond like everything the API shows. */
export const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });
