import { changeFindings } from '../../../db/findings/triage/triage.ts';
import type { NewId } from '../../../db/ids.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { type ClosablePart, findClosableFindings } from '../../../db/scans/missing.ts';
import type { OrgTables } from '../../../db/schema/org.ts';
import type { Logger } from '../../logger.ts';

const CHUNK = 500;
/** The rest is closed after the next scan, so that an agent does not wait long for the end of this one. */
const MAX_CHUNKS = 40;
/** The most findings that are closed after a scan. */
export const MAX_CLOSED = MAX_CHUNKS * CHUNK;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Context {
  nextId: () => NewId;
  log: Logger;
  sql: Sql;
  org: { id: string; tables: OrgTables };
  now: Date;
  /** The scan that has completed, if one has. */
  scanId?: string;
}

/**
 * Closes findings that several scans in a row did not report, after the last of them has completed. If it fails, the scan stays
 * completed, and the next one closes what is left.
 * @param note why they are closed. Default: how many scans did not report them
 * @returns whether none is left
 */
export async function closeMissing(
  context: Context,
  parts: readonly ClosablePart[],
  note?: string,
): Promise<boolean> {
  const [first] = parts;
  if (!first) return true;
  const { log, org } = context;
  try {
    return await closeAll(context, parts, note ?? noteOf(first.after));
  } catch (error) {
    log.error('findings that scans no longer report were not closed', { org: org.id, error });
    return false;
  }
}

const noteOf = (scans: number) =>
  scans === 1
    ? 'Not reported by the latest comparable scan.'
    : `Not reported by the last ${scans} comparable scans.`;

async function closeAll(
  { sql, org: { tables }, now, nextId, scanId }: Context,
  parts: readonly ClosablePart[],
  note: string,
): Promise<boolean> {
  const changer = { now, actorId: null, changeId: nextId().id, ...(scanId !== undefined && { scanId }) };
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
