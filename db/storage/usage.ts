import { type AnyColumn, getTableColumns, getTableName, is, type SQL, sql, Table } from 'drizzle-orm';
import type { OrgTables } from '../schema/org.ts';
import { memberships, orgs, orgUsage } from '../schema/orgs.ts';
import { settings } from '../schema/platform.ts';
import type { Engine } from '../server-facts.ts';
import { arrayText, orgStatement, run, type SqlClient } from '../statements.ts';

/**
 * The account, or its stand-in, whose share and storage quota an organization uses: the creator. When the creator is no longer an owner,
 * the first of the owners who have come: others may not know that they were invited.
 */
export const shareOf = sql<string | null>`coalesce((
  select m.user_id from ${memberships} m
  where m.org_id = ${orgs.id} and m.role = 'owner'
    and (m.user_id = ${orgs.createdBy} or m.invited_email is null or m.confirmed_at > m.created_at)
  order by coalesce(m.user_id = ${orgs.createdBy}, false) desc, coalesce(m.owner_since, m.created_at), m.user_id limit 1
), ${orgs.createdBy}, ${orgs.shareId})`;

export interface Usage {
  bytes: number;
  /** Findings, scans, exploits and entries of activities. */
  rows: number;
}

/** Functions for the size of a table with and without its indexes, in bytes. */
const SIZES: Record<Engine, { total: SQL; table: SQL }> = {
  postgres: { total: sql.raw('pg_total_relation_size(c.oid)'), table: sql.raw('pg_table_size(c.oid)') },
  citus: { total: sql.raw('citus_total_relation_size(c.oid)'), table: sql.raw('citus_table_size(c.oid)') },
};

interface TableSize {
  name: string;
  total: number;
  /** Without its indexes. */
  size: number;
  /** About how many rows it has. 0 on Citus. */
  rows: number;
}

/**
 * Counting ends with a crash of PostgreSQL; then the number at the last vacuum remains. The names of the tables are for the index of
 * `pg_class`.
 */
const readSizes = (client: SqlClient, tables: OrgTables, engine: Engine): Promise<TableSize[]> => {
  const { schemaName: name } = tables.schema;
  const names = Object.values(tables).flatMap((table) => (is(table, Table) ? getTableName(table) : []));
  return run<TableSize>(
    client,
    sql`select c.relname as name, ${SIZES[engine].total}::float8 as total, ${SIZES[engine].table}::float8 as size,
      coalesce(nullif(pg_stat_get_live_tuples(c.oid), 0), greatest(c.reltuples, 0))::float8 as rows
    from pg_class c where c.relname = any (${arrayText(names)}::name[]) and c.relkind = 'r'
      and c.relnamespace = to_regnamespace(${name})`,
  );
};

const readCounts = orgStatement<object, { rows: number }>(
  ({ findingCounts, scanCounts }) => sql`
select ((select coalesce(sum(count), 0) from ${findingCounts}) + (select coalesce(sum(count), 0) from ${scanCounts}))::float8 as rows`,
);

/** Read of a table to find out how much of it is in use. */
const SAMPLE_BYTES = 16 * 1024 * 1024;
/** The overhead of a row. */
const ROW_BYTES = 28;

/** The bytes of the rows of a table, from a sample of its pages. Values that are stored compressed count as that. */
const readLiveBytes = async (
  client: SqlClient,
  table:
    | OrgTables['findings']
    | OrgTables['deletedFindings']
    | OrgTables['exploits']
    | OrgTables['findingEvents']
    | OrgTables['scans'],
  size: number,
): Promise<number> => {
  const percent = Math.min(100, (100 * SAMPLE_BYTES) / size);
  const columns: AnyColumn[] = Object.values(getTableColumns(table));
  const ofRow = columns.map(({ name }) => sql`coalesce(pg_column_size(${sql.identifier(name)}), 0)`);
  const [row] = await run<{ bytes: number }>(
    client,
    sql`select coalesce(sum(${sql.raw(String(ROW_BYTES))} + ${sql.join(ofRow, sql` + `)}), 0)::float8 as bytes
      from ${table} tablesample system (${sql.raw(percent.toFixed(6))})`,
  );
  return ((row?.bytes ?? 0) * 100) / percent;
};

/**
 * Measures what an organization stores. PostgreSQL keeps the space of deleted rows for new ones. Above the limit this space does not
 * count, as long as it is smaller than the limit.
 */
export async function measureUsage(
  client: SqlClient,
  tables: OrgTables,
  engine: Engine,
  maxBytes: number,
): Promise<Usage> {
  const [sizes, [counts]] = await Promise.all([
    readSizes(client, tables, engine),
    readCounts(tables).run(client, {}),
  ]);
  const { deletedFindings, exploits, findingEvents, findings, scans } = tables;
  const rowsOf = (name: string) => sizes.find((one) => one.name === name)?.rows ?? 0;
  const rows =
    (counts?.rows ?? 0) + Math.round(rowsOf(getTableName(exploits)) + rowsOf(getTableName(findingEvents)));
  const allocated = sizes.reduce((sum, { total }) => sum + total, 0);
  if (allocated <= maxBytes) return { bytes: allocated, rows };
  let free = 0;
  for (const table of [findings, deletedFindings, exploits, findingEvents, scans]) {
    const found = sizes.find(({ name }) => name === getTableName(table));
    if (!found || found.size === 0) continue;
    const live = await readLiveBytes(client, table, found.size);
    free += found.total * Math.max(0, 1 - live / found.size);
  }
  return { bytes: Math.round(allocated - Math.min(free, maxBytes)), rows };
}

/** Stores what an organization uses, and returns it, unless it was purged. */
export const writeUsage = (
  client: SqlClient,
  orgId: string,
  { bytes, rows }: Usage,
): Promise<Pick<OrgUsage, 'bytes' | 'rows' | 'measured_at'>[]> =>
  run(
    client,
    sql`insert into ${orgUsage} as u (org_id, bytes, rows, measured_at)
      select id, ${bytes}::bigint, ${rows}::bigint, now() from ${orgs} where id = ${orgId}::uuid
      on conflict (org_id) do update set bytes = excluded.bytes, rows = excluded.rows, measured_at = excluded.measured_at
      returning bytes::float8 as bytes, rows::float8 as rows, measured_at`,
  );

/** The keys of settings that give an organization a quota of its own: `quota.storage.<id>` and `quota.rows.<id>`. */
export const QUOTA_KEYS = { bytes: 'quota.storage.', rows: 'quota.rows.' } as const;

export interface OrgUsage {
  id: string;
  slug: string;
  /** As {@link shareOf}. Null: its own. */
  account: string | null;
  has_tables: boolean;
  /** Null: not measured yet. */
  bytes: number | null;
  rows: number | null;
  /** As PostgreSQL writes it. */
  measured_at: string | null;
  /** Seconds since then. */
  age: number | null;
  /** Values of settings. */
  own_bytes: string | null;
  own_rows: string | null;
}

const setting = (prefix: string) =>
  sql`(select value from ${settings} s where s.key = ${prefix} || ${orgs.id}::text)`;

/** The use of organizations, and of all others with a share in common with one of them. */
export async function readUsage(client: SqlClient, orgIds: readonly string[]): Promise<OrgUsage[]> {
  const ids = arrayText(orgIds);
  const found = await run<{ account: string | null }>(
    client,
    sql`select distinct ${shareOf} as account from ${orgs} where id = any (${ids}::uuid[])`,
  );
  const accounts = arrayText(found.flatMap(({ account }) => account ?? []));
  return run<OrgUsage>(
    client,
    sql`select * from (select ${orgs.id}, ${orgs.slug}, ${shareOf} as account, ${orgs.schemaVersion} > 0 as has_tables,
        u.bytes::float8 as bytes, u.rows::float8 as rows, u.measured_at,
        extract(epoch from now() - u.measured_at)::float8 as age,
        ${setting(QUOTA_KEYS.bytes)} as own_bytes, ${setting(QUOTA_KEYS.rows)} as own_rows
      from ${orgs} left join ${orgUsage} u on u.org_id = ${orgs.id}
      where ${orgs.id} = any (${ids}::uuid[]) or ${orgs.createdBy} = any (${accounts}::uuid[])
        or ${orgs.shareId} = any (${accounts}::uuid[])
        or ${orgs.id} in (select org_id from ${memberships} where user_id = any (${accounts}::uuid[]) and role = 'owner')
    ) found where id = any (${ids}::uuid[]) or account = any (${accounts}::uuid[])`,
  );
}
