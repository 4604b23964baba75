import { eq, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { arrayText } from '../../db/statements.ts';

/** An id in a path or filter. Others are the id of nothing. */
export const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a column has the id of a filter. */
export const hasId = (column: PgColumn, id: string): SQL => (ID.test(id) ? eq(column, id) : sql`false`);

/** Whether a column has one of many ids, as one parameter. */
export const isAnyOf = (column: PgColumn, ids: readonly string[]): SQL =>
  sql`${column} = any (${arrayText(ids)}::uuid[])`;

/** Rows by a key. */
export function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const found = groups.get(keyOf(row));
    if (found) found.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}
