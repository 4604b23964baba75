import { createIds } from '../../db/ids.ts';
import { KEEP_ALL, noteRetention, readRetention, takeRetentionOf } from '../../db/retention/settings.ts';
import { takeTurn } from '../retention/expire.ts';
import { AdminError } from './error.ts';
import { type OrgTablesCall, readyOrg } from './org-tables.ts';

export interface RetentionResult {
  org_id: string;
  org: string;
  resolved_findings: number | null;
  scans: number | null;
  findings_removed: number;
  scans_removed: number;
}

const TURN_MS = 10_000;

/** Removes what has expired in an organization now. Servers may be running. */
export async function runRetention(
  { database, log, migrations }: OrgTablesCall,
  orgName: string,
): Promise<RetentionResult> {
  const { sql, db } = database;
  const org = await readyOrg(database, orgName, migrations);
  const days = (await readRetention(db, org.id)) ?? KEEP_ALL;
  const result = { org_id: org.id, org: org.slug, ...days, findings_removed: 0, scans_removed: 0 };
  if (days.resolved_findings === null && days.scans === null) return result;
  let turn = await takeRetentionOf(sql, org.id);
  if (!turn) throw new AdminError(`a server is removing what has expired in ${org.slug}, or it is deleted`);
  const clock = () => new Date();
  const services = { database, log, clock, nextId: createIds(clock), tables: org.tables };
  for (;;) {
    const { findings, scans, next } = await takeTurn(services, turn, TURN_MS);
    result.findings_removed += findings;
    result.scans_removed += scans;
    if (next === undefined) return result;
    turn = { ...turn, position: next };
    await noteRetention(sql, turn, next);
  }
}
