import { changeFindings } from '../../../db/findings/triage/triage.ts';
import type { NewId } from '../../../db/ids.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { type ClosablePart, findClosableFindings, noteClosedScans } from '../../../db/scans/missing.ts';
import type { OrgTables } from '../../../db/schema/org.ts';
import type { Logger } from '../../logger.ts';

const CHUNK = 500;
/** The rest is closed after the next scan, so that an agent does not wait long for the end of this one. */
const MAX_CHUNKS = 40;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Context {
  nextId: () => NewId;
  log: Logger;
  sql: Sql;
  org: { id: string; tables: OrgTables };
  now: Date;
}

/**
 * Closes findings that several scans in a row did not report, after the last of them has completed. If it fails, the scan stays
 * completed, and the next one closes what is left.
 */
export async function closeMissing(context: Context, parts: readonly ClosablePart[] = []): Promise<void> {
  const [first] = parts;
  if (!first) return;
  const { log, org, sql } = context;
  try {
    if (await closeAll(context, parts, first.after)) await noteClosedScans(sql, org.tables, parts);
  } catch (error) {
    log.error('findings that scans no longer report were not closed', { org: org.id, error });
  }
}

/** @returns whether none is left */
async function closeAll(
  { sql, org: { tables }, now, nextId }: Context,
  parts: readonly ClosablePart[],
  scans: number,
): Promise<boolean> {
  const note =
    scans === 1
      ? 'Not reported by the latest comparable scan.'
      : `Not reported by the last ${scans} comparable scans.`;
  const changer = { now, actorId: null, changeId: nextId().id };
  let after = FIRST_ID;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const found = await findClosableFindings(sql, tables, parts, { after, limit: CHUNK });
    const changes = found.map(({ id, status }) => ({
      ...{ id, status: 'fixed' as const, note },
      ...{ if_status: status, if_missing: true },
    }));
    if (changes.length > 0) await changeFindings(sql, tables, changes, changer);
    const last = found.at(-1);
    if (!last || found.length < CHUNK) return true;
    after = last.id;
  }
  return false;
}
