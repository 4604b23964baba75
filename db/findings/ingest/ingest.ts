import { createBatcher } from '../../batcher.ts';
import { isUnavailable, isUniqueViolation, retried } from '../../errors.ts';
import type { NewId } from '../../ids.ts';
import type { WithConnection } from '../../pool/pool.ts';
import type { Sql } from '../../pool/query.ts';
import type { FindingRow, Resource } from '../../resources.ts';
import { refreshSummary } from '../../scans/scans.ts';
import type { OrgTables } from '../../schema/org.ts';
import { perOrg } from '../../schema/org-schema.ts';
import { arrayText } from '../../statements.ts';
import { type GroupRecord, isRecorded, partOf, recordsOf } from './idempotency.ts';
import { renameFindings } from './previous-fingerprints.ts';
import { findingAfter, type Push, type PushRow } from './push.ts';
import { ingestStatement, recordingStatement, type WrittenRow } from './statement.ts';

/** What became of a push. */
export type PushOutcome =
  | {
      kind: 'written';
      deduplicated: boolean;
      id: string;
      regressed: boolean;
      /** The whole finding after the push. */
      finding(): Resource<FindingRow>;
    }
  /** No such scan is registered. */
  | { kind: 'no_scan' }
  /** The scan belongs to another project. */
  | { kind: 'other_project' }
  /** A repeated request: the push has been written under the same key (`idempotency.ts`). */
  | { kind: 'repeated' };

/** Pushes of one request that one statement writes. No fingerprint, new or previous, is in two of them. */
export interface PushGroup {
  pushes: readonly Push[];
  /** Recorded by the same statement, so that a repeated request writes the group once. */
  record?: GroupRecord | undefined;
}

/**
 * Writes a group of pushes: each is a new finding, or one more sighting of a known one (`project_id` + `fingerprint`). A
 * finding that is known by a previous fingerprint takes the new one first. Resolves after the commit, with an outcome or an
 * error for each push. `tokenId`'s `last_used` is set in the same statement.
 * @throws when the database is unavailable or the organization exceeds its share of connections; then nothing is known of
 * the group
 */
export type Ingest = (
  org: { id: string; tables: OrgTables },
  tokenId: string,
  group: PushGroup,
) => Promise<(PushOutcome | Error)[]>;

interface Item extends PushGroup {
  tokenId: string;
}

const MAX_ROWS = 256;
const MAX_CHARACTERS = 4_000_000;
/** Statements of an organization at a time. The second one starts when the waiting pushes fill it. */
const CONCURRENT = 2;

/** Pushes that have one in common are written one after another, because one of them may rename the other's finding. */
const keysOf = ({ project_id, fingerprint, previous_fingerprints = [] }: Push): string[] =>
  [fingerprint, ...previous_fingerprints].map((print) => `${project_id} ${print}`);

const weigh = ({ pushes }: PushGroup): number =>
  pushes.reduce(
    (sum, { description }) => sum + description.length / MAX_CHARACTERS,
    pushes.length / MAX_ROWS,
  );

/** Splits pushes into groups, in their order. */
export function groupPushes<T extends { push: Push }>(items: readonly T[]): T[][] {
  const groups: T[][] = [];
  let group: T[] = [];
  let weight = 0;
  let keys = new Set<string>();
  for (const item of items) {
    const itsKeys = keysOf(item.push);
    const itsWeight = weigh({ pushes: [item.push] });
    if (group.length > 0 && (weight + itsWeight > 1 || itsKeys.some((key) => keys.has(key)))) {
      groups.push(group);
      group = [];
      weight = 0;
      keys = new Set();
    }
    for (const key of itsKeys) keys.add(key);
    group.push(item);
    weight += itsWeight;
  }
  return group.length > 0 ? [...groups, group] : groups;
}

/** Writes one push. @throws what {@link Ingest} returns or throws */
export async function ingestOne(
  ingest: Ingest,
  org: { id: string; tables: OrgTables },
  tokenId: string,
  push: Push,
): Promise<PushOutcome> {
  const [outcome] = await ingest(org, tokenId, { pushes: [push] });
  if (outcome === undefined || outcome instanceof Error) throw outcome;
  return outcome;
}

/** @param onBatch called with the number of pushes that one statement writes */
export function createIngest(
  withConnection: WithConnection,
  nextId: () => NewId,
  onBatch: (size: number) => void = () => {},
): Ingest {
  const queueOf = perOrg((org: { id: string; tables: OrgTables }) => {
    const write = (items: Item[], sql: Sql): Promise<Written[][]> =>
      retried(() => writeBatch(sql, org.tables, items, nextId));

    /** If one push is at fault, the others are written: each group on its own, then each push of a group that fails. */
    async function writeAll(items: Item[], sql: Sql): Promise<(Written | Error)[][]> {
      try {
        return await write(items, sql);
      } catch (error) {
        if (isUnavailable(error)) throw error;
        const [item] = items;
        if (item && items.length === 1) return [await writeSplit(item, sql, error as Error)];
      }
      const results: (Written | Error)[][] = [];
      for (const item of items) results.push(...(await writeAll([item], sql)));
      return results;
    }

    async function writeSplit(item: Item, sql: Sql, error: Error): Promise<(Written | Error)[]> {
      const { pushes, record } = item;
      if (record && isUniqueViolation(error) && (await isRecorded(sql, org.tables, record)))
        return pushes.map(() => REPEATED);
      if (pushes.length === 1) return [error];
      const results: (Written | Error)[] = [];
      for (const [i, push] of pushes.entries()) {
        const alone = { ...item, pushes: [push], record: record && partOf(record, i) };
        results.push(...((await writeAll([alone], sql))[0] as (Written | Error)[]));
      }
      return results;
    }

    return createBatcher<Item, (PushOutcome | Error)[], Sql>({
      acquire: (runBatch) => withConnection(runBatch, org),
      maxItems: MAX_ROWS,
      maxConcurrent: CONCURRENT,
      maxWeight: 1,
      weigh,
      keysOf: ({ pushes }) => pushes.flatMap(keysOf),
      async run(items, sql) {
        onBatch(items.reduce((sum, { pushes }) => sum + pushes.length, 0));
        const results = await writeAll(items, sql);
        // Pushes for a scan that has ended: what its summary says is no longer true.
        const late = new Set(
          results.flat().flatMap((result) => (result instanceof Error ? [] : (result.endedScan ?? []))),
        );
        const failed = new Map<string, Error>();
        for (const scanId of late) {
          await refreshSummary(sql, org.tables, scanId).catch((error) => failed.set(scanId, error));
        }
        // Written, but not as promised: its agent tries again, and the summary with it.
        return results.map((group) =>
          group.map((result) =>
            result instanceof Error ? result : (failed.get(result.endedScan ?? '') ?? result.outcome),
          ),
        );
      },
    });
  });
  return (org, tokenId, group) => queueOf(org)({ tokenId, ...group });
}

interface Written {
  outcome: PushOutcome;
  /** The push's scan, when it was written after the scan's end. */
  endedScan: string | undefined;
}

const REPEATED: Written = { outcome: { kind: 'repeated' }, endedScan: undefined };

async function writeBatch(
  sql: Sql,
  tables: OrgTables,
  items: Item[],
  nextId: () => NewId,
): Promise<Written[][]> {
  const pushes = items.flatMap((item) => item.pushes);
  const rows = pushes.map((push, ord): PushRow & { ord: number } => {
    const { id, at } = nextId();
    return { ord, id, at: at.toISOString(), ...push, previous_fingerprints: undefined };
  });
  const renaming = pushes.filter(({ previous_fingerprints: previous }) => previous?.length);
  if (renaming.length > 0) await renameFindings(sql, tables, renaming);
  const batch = {
    pushes: JSON.stringify(rows),
    tokenIds: arrayText(items.map(({ tokenId }) => tokenId)),
    now: rows.at(-1)?.at as string,
  };
  const records = recordsOf(items);
  const written =
    records.length > 0
      ? await recordingStatement(tables).run(sql, { ...batch, records: JSON.stringify(records) })
      : await ingestStatement(tables).run(sql, batch);
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

function outcomeOf({ scan_status, deduplicated, known }: WrittenRow, push: PushRow): PushOutcome {
  if (scan_status === null) return { kind: 'no_scan' };
  if (deduplicated === null) return { kind: 'other_project' };
  return {
    kind: 'written',
    deduplicated,
    id: String(known?.id ?? push.id),
    regressed: known?.regressed === true,
    finding: () => findingAfter(push, known),
  };
}
