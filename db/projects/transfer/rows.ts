import { getTableColumns, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { onItsWorker } from '../../citus.ts';
import type { OrgTables } from '../../schema/org.ts';

/*
 * Rows are read as JSON text from one organization and sent to the other as they are: a statement touches one organization only.
 */

/** The two organizations of a transfer. */
export interface Route {
  source: OrgTables;
  target: OrgTables;
}

/** A row as JSON text. */
export interface RowText {
  row: string;
}

/** Rows as one parameter of {@link insertRows}. */
export const toJson = (rows: readonly RowText[]): string => `[${rows.map(({ row }) => row).join(',')}]`;

/**
 * Inserts rows that were read with all their columns.
 * @param options.values what columns get instead of their value in the row `r`
 * @param options.conflict what follows the INSERT
 */
export function insertRows(
  tables: OrgTables,
  table: PgTable,
  rows: Placeholder,
  { values = {}, conflict = sql`` }: { values?: Record<string, SQL>; conflict?: SQL } = {},
): SQL {
  const columns = Object.values(getTableColumns(table));
  const names = columns.map(({ name }) => `"${name}"`);
  const types = columns.map((column) => `"${column.name}" ${column.getSQLType()}`);
  const selected = columns.map(({ name }) => values[name] ?? sql.raw(`r."${name}"`));
  return sql`
with given as materialized (
  select * from json_to_recordset(${rows}::text::json) as r(${sql.raw(types.join(', '))})
), inserted as (
  insert into ${table} (${sql.raw(names.join(', '))})
  select ${sql.join(selected, sql`, `)} from given r ${onItsWorker(tables)} ${conflict}
)
select 1`;
}

/**
 * The id of a scan in the target. Agents choose ids, so a scan of another project may have it there: then it is derived from both
 * ids, for scans and for what refers to them. Findings may name scans that were deleted.
 */
export function scanIdInTarget({ scans }: OrgTables, projectId: Placeholder, scanId: SQL): SQL {
  const derived = sql`md5(${projectId}::text || ${scanId})::uuid::text`;
  return sql`case when exists (select from ${scans} s where s.scan_id = ${scanId} and s.project_id <> ${projectId}::uuid)
    or exists (select from ${scans} s where s.scan_id = ${derived} and s.project_id = ${projectId}::uuid)
  then ${derived} else ${scanId} end`;
}
