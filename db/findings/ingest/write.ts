import type { NewId } from '../../ids.ts';
import { decideAll, type Policies, readPolicies } from '../../policies/policies.ts';
import type { Sql } from '../../pool/query.ts';
import type { FindingRow, Resource } from '../../resources.ts';
import type { OrgTables } from '../../schema/org.ts';
import type { FindingStatus } from '../../schema/values.ts';
import type { Engine } from '../../server-facts.ts';
import type { GroupRecord } from './idempotency.ts';
import { renameFindings } from './previous-fingerprints.ts';
import { type BatchRow, findingAfter, type Push, type PushRow, type WrittenRow } from './push.ts';
import { writeRouted } from './routed.ts';
import { writeAtOnce } from './statement.ts';

/** The result of a push. */
export type PushOutcome =
  | {
      kind: 'written';
      deduplicated: boolean;
      id: string;
      regressed: boolean;
      status: FindingStatus;
      /** The whole finding after the push. */
      finding(): Resource<FindingRow>;
    }
  /** No such scan is registered. */
  | { kind: 'no_scan' }
  /** The scan belongs to another project. */
  | { kind: 'other_project' };

/** Pushes of one request that one statement writes. No fingerprint, new or previous, is in two of them. */
export interface PushGroup {
  pushes: readonly Push[];
  /** Recorded by the same statement, so that a repeated request writes each push once. */
  record?: GroupRecord | undefined;
}

export interface Org {
  id: string;
  tables: OrgTables;
}

/** A group, and the token or user that sent it. */
export interface Item extends PushGroup {
  actorId: string;
}

/** Tries with the latest policies, before a batch follows those that were read last, whatever was changed meanwhile. */
const POLICY_TRIES = 5;

/** The result of a push, and what is left to do for it. */
export interface Written {
  outcome: PushOutcome | 'repeated';
  /** The push's scan, when it was written after the scan's end. */
  endedScan: string | undefined;
}

export const REPEATED: Written = { outcome: 'repeated', endedScan: undefined };

interface Deciding {
  nextId: () => NewId;
  policies: { current: Policies };
  engine: Engine;
}

/** Writes groups of pushes in one statement, by the latest policies. @returns the results of each group */
export async function writeBatch(
  sql: Sql,
  org: Org,
  items: Item[],
  { nextId, policies, engine }: Deciding,
): Promise<Written[][]> {
  const { tables } = org;
  const actorIds = [...new Set(items.map(({ actorId }) => actorId))];
  const pushes = items.flatMap(withRecords);
  const actors = items.flatMap(({ actorId, pushes }) => pushes.map(() => actorIds.indexOf(actorId) + 1));
  const ids = pushes.map(() => nextId());
  const renaming = pushes.filter(({ previous_fingerprints: previous }) => previous?.length);
  if (renaming.length > 0) await renameFindings(sql, tables, renaming);
  const write = engine === 'citus' ? writeRouted : writeAtOnce;
  let rows: BatchRow[] = [];
  let written: WrittenRow[] = [];
  for (let tries = 1; tries <= POLICY_TRIES && written.length === 0; tries++) {
    const { current } = policies;
    const decided = await decideAll(current, pushes, (ord) => (ids[ord] as NewId).at, { sql, tables });
    rows = pushes.map((push, ord) => {
      const { id, at } = ids[ord] as NewId;
      const fields = { id, at: at.toISOString(), actor: actors[ord] as number, ...decided[ord] };
      return { ord, ...fields, ...push, previous_fingerprints: undefined };
    });
    written = await write(sql, tables, {
      ...{ rows, actorIds, now: rows.at(-1)?.at as string },
      version: tries < POLICY_TRIES ? current.version : null,
    });
    if (written.length === 0) policies.current = await readPolicies(sql, org);
  }
  const results: Written[] = new Array(rows.length);
  for (const row of written) {
    const push = rows[row.ord] as PushRow;
    const outcome = outcomeOf(row, push);
    const late = outcome.kind === 'written' && row.scan_status !== 'running';
    results[row.ord] = { outcome, endedScan: late ? push.scan_id : undefined };
  }
  let start = 0;
  return items.map((item) => {
    const end = start + item.pushes.length;
    const group = results.slice(start, end);
    start = end;
    return group;
  });
}

/** The pushes of a group, each with what its record needs. */
function withRecords({ pushes, record }: PushGroup): readonly Push[] {
  if (!record) return pushes;
  const { key, claimedAt: claimed_at, positions } = record;
  return pushes.map((push, i) => ({ ...push, key, claimed_at, position: positions[i] }));
}

function outcomeOf({ scan_status, deduplicated, known }: WrittenRow, push: PushRow): PushOutcome {
  if (scan_status === null) return { kind: 'no_scan' };
  if (deduplicated === null) return { kind: 'other_project' };
  return {
    kind: 'written',
    deduplicated,
    id: String(known?.id ?? push.id),
    regressed: known?.regressed === true,
    status: ((known?.status ?? push.first_status) as FindingStatus | undefined) ?? 'open',
    finding: () => findingAfter(push, known),
  };
}
