import { createBatcher } from '../../batcher.ts';
import { isUnavailable, isUniqueViolation, retried } from '../../errors.ts';
import type { NewId } from '../../ids.ts';
import { createPolicyCache, type PolicyCache } from '../../policies/policies.ts';
import type { WithConnection } from '../../pool/pool.ts';
import type { Sql } from '../../pool/query.ts';
import { refreshSummary } from '../../scans/scans.ts';
import { perOrg } from '../../schema/org-schema.ts';
import { createEngineDetection, type EngineDetection } from '../../server-facts.ts';
import { isRecorded } from './idempotency.ts';
import type { Push } from './push.ts';
import {
  type Item,
  type Org,
  type PushGroup,
  type PushOutcome,
  REPEATED,
  type Written,
  writeBatch,
} from './write.ts';

/**
 * Writes a group of pushes: each is a new finding, or one more sighting of a known one (`project_id` + `fingerprint`). A
 * finding that is known by a previous fingerprint takes the new one first. Resolves after the commit, with an outcome or an
 * error for each push; with `repeated` for all of them if one has been recorded before (`idempotency.ts`). `last_used` of
 * a token is set in the same statement.
 * @param actorId a token or a user
 * @throws when the database is unavailable or the organization exceeds its share of connections; then nothing is known of
 * the group
 */
export interface Ingest {
  (org: Org, actorId: string, group: UnrecordedGroup): Promise<(PushOutcome | Error)[]>;
  (org: Org, actorId: string, group: PushGroup): Promise<(PushOutcome | 'repeated' | Error)[]>;
}

type UnrecordedGroup = Pick<PushGroup, 'pushes'> & { record?: undefined };

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

/** Writes one push without recording it. @throws what {@link Ingest} returns or throws */
export async function ingestOne(ingest: Ingest, org: Org, actorId: string, push: Push): Promise<PushOutcome> {
  const [outcome] = await ingest(org, actorId, { pushes: [push] });
  if (outcome === undefined || outcome instanceof Error) throw outcome;
  return outcome;
}

export interface IngestOptions {
  /** Called with the number of pushes that are written together. */
  onBatch?: (size: number) => void;
  policyCache?: PolicyCache;
  engineOf?: EngineDetection;
}

export function createIngest(
  withConnection: WithConnection,
  nextId: () => NewId,
  {
    onBatch = () => {},
    policyCache = createPolicyCache(),
    engineOf = createEngineDetection(),
  }: IngestOptions = {},
): Ingest {
  const queueOf = perOrg((org: Org) => {
    const policies = policyCache(org);
    const write = (items: Item[], sql: Sql): Promise<Written[][]> =>
      retried(async () => writeBatch(sql, org, items, { nextId, policies, engine: await engineOf(sql) }));

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
        const positions = record?.positions.slice(i, i + 1);
        const alone = { ...item, pushes: [push], record: record && positions && { ...record, positions } };
        results.push(...((await writeAll([alone], sql))[0] as (Written | Error)[]));
      }
      return results;
    }

    return createBatcher<Item, (PushOutcome | 'repeated' | Error)[], Sql>({
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
  return ((org: Org, actorId: string, group: PushGroup) => queueOf(org)({ actorId, ...group })) as Ingest;
}
