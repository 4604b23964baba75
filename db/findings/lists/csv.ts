import { type AnyColumn, is, type SQL, sql } from 'drizzle-orm';
import { PgUUID } from 'drizzle-orm/pg-core';
import { type Fields, inner, isBare, isTime, timeText } from '../../resources.ts';

/**
 * An SQL expression for a line of CSV (RFC 4180), with its end. Texts stand between quotes; those a spreadsheet would
 * take for a formula begin with `'`.
 */
export function csvText(fields: Fields): SQL<string> {
  const values = Object.entries(fields).map(([key, field]) => sql`coalesce(${csvValue(key, field)}, '')`);
  return sql<string>`${sql.join(values, sql`\n  || ',' || `)} || ${sql.raw("E'\\r\\n'")}`;
}

/** The line above them. */
export const csvHeader = (fields: Fields): string => `${Object.keys(fields).join(',')}\r\n`;

function csvValue(key: string, field: AnyColumn | SQL.Aliased): SQL {
  const value = inner(field);
  if (isTime(key, field)) return timeText(value);
  if (is(field, PgUUID) || isBare(field)) return sql`${value}::text`;
  return sql`'"' || case when ascii(left(${value}, 1)) in ${FORMULA} then '''' else '' end || replace(${value}, '"', '""') || '"'`;
}

/** The first characters of formulas, according to OWASP's "CSV Injection"; the last four are full-width. */
const FORMULA = sql.raw(
  `(${['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'].map((sign) => sign.codePointAt(0)).join(', ')})`,
);
