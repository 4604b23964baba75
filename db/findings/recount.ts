import { sql } from 'drizzle-orm';
import type { Sql } from '../pool/query.ts';
import { defineOrgTables, type OrgTables } from '../schema/org.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { run, type SqlClient } from '../statements.ts';

/** A count that was not what the rows say. */
export interface Miscount {
  of: 'findings' | 'scans';
  project_id: string;
  /** Null for scans. */
  severity: string | null;
  status: string;
  /** The count that was kept. */
  kept: number;
  /** How many rows there are. */
  counted: number;
}

/** The table that is counted, the counts that are kept of it, and what they are kept by. */
const countsOf = ({ findings, findingCounts, scans, scanCounts }: OrgTables) => ({
  findings: { rows: findings, kept: findingCounts, keys: sql.raw('project_id, severity, status') },
  scans: { rows: scans, kept: scanCounts, keys: sql.raw('project_id, status') },
});

/**
 * Counts an org's findings and scans anew, and puts right what was kept wrongly. Meanwhile nothing is written to them;
 * reading goes on.
 * @returns what was wrong
 */
export async function recountOrg(client: Sql, orgId: string): Promise<Miscount[]> {
  const tables = defineOrgTables(orgSchemaName(orgId));
  return await client.begin(async (tx) => {
    await run(tx, sql`set local lock_timeout = '60s'`);
    await run(tx, sql`set local statement_timeout = 0`);
    // In the order in which all other transactions take these two, so that nobody waits in a circle.
    await run(tx, sql`lock table ${tables.scans} in exclusive mode`);
    await run(tx, sql`lock table ${tables.findings} in share row exclusive mode`);
    const ofFindings = await recount(tx, tables, 'findings');
    const ofScans = await recount(tx, tables, 'scans');
    return [...ofFindings, ...ofScans];
  });
}

async function recount(tx: SqlClient, tables: OrgTables, of: Miscount['of']): Promise<Miscount[]> {
  const { rows, kept, keys } = countsOf(tables)[of];
  const counted = sql`select ${keys}, count(*) from ${rows} group by ${keys}`;
  const wrong = await run<Omit<Miscount, 'of'>>(
    tx,
    sql`select project_id, ${sql.raw(of === 'findings' ? 'severity' : 'null as severity')}, status,
       coalesce(k.count, 0)::int as kept, coalesce(c.count, 0)::int as counted
     from ${kept} k full join (${counted}) c using (${keys})
     where coalesce(k.count, 0) <> coalesce(c.count, 0) order by ${keys}`,
  );
  if (wrong.length > 0) {
    await run(tx, sql`delete from ${kept}`);
    await run(tx, sql`insert into ${kept} (${keys}, count) ${counted}`);
  }
  return wrong.map((miscount) => ({ of, ...miscount }));
}
