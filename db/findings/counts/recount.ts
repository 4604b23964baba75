import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Sql } from '../../pool/query.ts';
import { defineOrgTables, type OrgTables } from '../../schema/org.ts';
import { orgSchemaName } from '../../schema/org-schema.ts';
import { run, type SqlClient } from '../../statements.ts';

/** A count that was not what the rows say. */
export interface Miscount {
  of: 'findings' | 'regressed findings' | 'proposed findings' | 'scans';
  project_id: string;
  /** Null for scans. */
  severity: string | null;
  status: string;
  /** The count that was kept. */
  kept: number;
  /** How many rows there are. */
  counted: number;
}

/** A table that is counted, the stored counts, and their key. */
interface Counts {
  rows: PgTable;
  kept: PgTable;
  keys: SQL;
  /** The columns of the counts: what each counts, and how. */
  columns: [name: string, of: Miscount['of'], value: SQL][];
}

const countsOf = ({ findings, findingCounts, scans, scanCounts }: OrgTables): Counts[] => [
  {
    rows: findings,
    kept: findingCounts,
    keys: sql.raw('project_id, severity, status'),
    columns: [
      ['count', 'findings', sql`count(*)`],
      ['regressed', 'regressed findings', sql`count(*) filter (where regressed)`],
      ['proposed', 'proposed findings', sql`count(*) filter (where proposed)`],
    ],
  },
  {
    rows: scans,
    kept: scanCounts,
    keys: sql.raw('project_id, status'),
    columns: [['count', 'scans', sql`count(*)`]],
  },
];

/**
 * Counts an org's findings and scans anew, and puts right what was kept wrongly. Meanwhile nothing is written to them;
 * reading goes on.
 * @returns what was wrong
 */
export async function recountOrg(client: Sql, orgId: string): Promise<Miscount[]> {
  return await client.begin(async (tx) => {
    await run(tx, sql`set local lock_timeout = '60s'`);
    await run(tx, sql`set local statement_timeout = 0`);
    const tables = defineOrgTables(orgSchemaName(orgId));
    // In the order in which all other transactions take these two, so that nobody waits in a circle.
    await run(tx, sql`lock table ${tables.scans} in exclusive mode`);
    await run(tx, sql`lock table ${tables.findings} in share row exclusive mode`);
    return await recountTables(tx, orgId);
  });
}

/** The same in a transaction that keeps others from writing. */
export async function recountTables(tx: SqlClient, orgId: string): Promise<Miscount[]> {
  const wrong: Miscount[] = [];
  for (const counts of countsOf(defineOrgTables(orgSchemaName(orgId))))
    wrong.push(...(await recount(tx, counts)));
  return wrong;
}

async function recount(tx: SqlClient, { rows, kept, keys, columns }: Counts): Promise<Miscount[]> {
  const names = sql.raw(columns.map(([name]) => name).join(', '));
  const values = columns.map(([name, , value]) => sql`${value} as ${sql.raw(name)}`);
  const counted = sql`select ${keys}, ${sql.join(values, sql`, `)} from ${rows} group by ${keys}`;
  const wrong: Miscount[] = [];
  for (const [name, of] of columns) {
    const column = sql.raw(name);
    const found = await run<Omit<Miscount, 'of'>>(
      tx,
      sql`select project_id, ${sql.raw(of === 'scans' ? 'null as severity' : 'severity')}, status,
         coalesce(k.${column}, 0)::int as kept, coalesce(c.${column}, 0)::int as counted
       from ${kept} k full join (${counted}) c using (${keys})
       where coalesce(k.${column}, 0) <> coalesce(c.${column}, 0) order by ${keys}`,
    );
    wrong.push(...found.map((miscount) => ({ of, ...miscount })));
  }
  if (wrong.length > 0) {
    await run(tx, sql`delete from ${kept}`);
    await run(tx, sql`insert into ${kept} (${keys}, ${names}) ${counted}`);
  }
  return wrong;
}
