import type { Sql, TransactionSql } from '../pool/query.ts';
import { orgSchemaName } from '../schema/org-schema.ts';

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

const KEYS = { findings: 'project_id, severity, status', scans: 'project_id, status' };
const TABLES = { findings: 'finding_counts', scans: 'scan_counts' };

/**
 * Counts an org's findings and scans anew, and puts right what was kept wrongly. Meanwhile nothing is written to them;
 * reading goes on.
 * @returns what was wrong
 */
export async function recountOrg(sql: Sql, orgId: string): Promise<Miscount[]> {
  const schema = orgSchemaName(orgId);
  return await sql.begin(async (tx) => {
    await tx.unsafe("set local lock_timeout = '60s'; set local statement_timeout = 0").simple();
    // In the order in which all other transactions take these two, so that nobody waits in a circle.
    await tx.unsafe(`lock table "${schema}".scans in exclusive mode`);
    await tx.unsafe(`lock table "${schema}".findings in share row exclusive mode`);
    const ofFindings = await recount(tx, schema, 'findings');
    const ofScans = await recount(tx, schema, 'scans');
    return [...ofFindings, ...ofScans];
  });
}

async function recount(tx: TransactionSql, schema: string, of: Miscount['of']): Promise<Miscount[]> {
  const keys = KEYS[of];
  const kept = `"${schema}".${TABLES[of]}`;
  const counted = `select ${keys}, count(*) from "${schema}".${of} group by ${keys}`;
  const wrong = await tx.unsafe<Miscount[]>(
    `select '${of}' as of, project_id, ${of === 'findings' ? 'severity' : 'null as severity'}, status,
       coalesce(k.count, 0)::int as kept, coalesce(c.count, 0)::int as counted
     from ${kept} k full join (${counted}) c using (${keys})
     where coalesce(k.count, 0) <> coalesce(c.count, 0) order by ${keys}`,
  );
  if (wrong.length > 0) {
    await tx.unsafe(`delete from ${kept}`);
    await tx.unsafe(`insert into ${kept} (${keys}, count) ${counted}`);
  }
  return [...wrong];
}
