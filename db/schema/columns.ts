import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { timestamp } from 'drizzle-orm/pg-core';

/** A point in time, kept to the millisecond like everything the API shows. */
export const time = <Name extends string>(name: Name) =>
  timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** The time of the database, which is not in the future once it is stored: a column of {@link time} rounds to the nearest millisecond. */
export const flooredNow = sql`date_trunc('milliseconds', now())`;

/** The position of a column's value among `values`, from 1, to order by. */
export const rankIn = (values: readonly string[], column: SQLWrapper): SQL<number> =>
  sql<number>`case ${column} ${sql.join(
    values.map((value, i) => sql.raw(`when '${value}' then ${i + 1}`)),
    sql` `,
  )} end`;
