import { createBatcher } from '../../batcher.ts';
import { isUnavailable, isUniqueViolation, retried } from '../../errors.ts';
import type { NewId } from '../../ids.ts';
import { createPolicyCache, decideAll, type PolicyCache, readPolicies } from '../../policies/policies.ts';
import type { WithConnection } from '../../pool/pool.ts';
import type { Sql, TransactionSql } from '../../pool/query.ts';
import { refreshSummary } from '../../scans/scans.ts';
import type { OrgTables } from '../../schema/org.ts';
import { perOrg } from '../../schema/org-schema.ts';
import { createEngineDetection, type EngineDetection } from '../../server-facts.ts';
import { noteRisksOfNew } from '../triage/accepted-risks.ts';
import { readOutcomes } from './idempotency.ts';
import { renameFindings } from './previous-fingerprints.ts';
import {
  type Batch,
  outcomeOf,
  type Push,
  type PushOutcome,
  type PushRecord,
  type PushRow,
  type WrittenRow,
} from './push.ts';
import { writeRouted } from './routed.ts';
import { writeAtOnce } from './statement.ts';

/*
 * A push can be a repeated one in three ways:
 *
 * - Its finding is known by `project_id` and `fingerprint`, or by a previous fingerprint: `onRepeat` in `../fields.ts` says what
 *   becomes of each field. Pushes with a fingerprint in common are written one after another (`keysOf`).
 * - Its request is repeated with the same idempotency key: it gets the recorded outcome (`idempotency.ts`).
 * - Its statement lost to another one: the statement is repeated, by the latest policies.
 */

interface Org {
  id: string;
  tables: OrgTables;
}

/**
 * Writes a push: a new finding, or one more sighting of a known one. Resolves after the commit. `last_used` of a token is set in
 * the same statement, unless the push fails.
 * @param actorId a token or a user
 * @param record set if the request has an idempotency key. If another request has recorded the push, this is its outcome
 * @throws when the database is unavailable or the organization exceeds its share of connections; then nothing is known of
 * the push
 */
export type Ingest = (org: Org, actorId: string, push: Push, record?: PushRecord) => Promise<PushOutcome>;

interface Item {
  actorId: string;
  push: Push;
  record: PushRecord | undefined;
}

const MAX_ROWS = 256;
const MAX_CHARACTERS = 4_000_000;
/** Statements of an organization at a time. The second one starts when the waiting pushes fill it. */
const CONCURRENT = 2;

/** Pushes that have one in common are written one after another, because one of them may rename the other's finding. */
function keysOf({ push: { project_id, fingerprint, previous_fingerprints } }: Item): string[] {
  const keys = [`${project_id} ${fingerprint}`];
  for (const previous of previous_fingerprints ?? []) keys.push(`${project_id} ${previous}`);
  return keys;
}

const weigh = ({ push }: Item): number => 1 / MAX_ROWS + push.description.length / MAX_CHARACTERS;

/** Tries with the latest policies, before a batch follows those that were read last, whatever was changed meanwhile. */
const POLICY_TRIES = 5;

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
    const { tables } = org;
    const policies = policyCache(org);

    async function writeAll(items: readonly Item[], sql: Sql): Promise<PushOutcome[]> {
      try {
        const { rows, written } = await retried(() => writeBatch(items, sql));
        const outcomes: PushOutcome[] = new Array(rows.length);
        const endedScans = new Set<string>();
        for (const row of written) {
          const push = rows[row.ord] as PushRow;
          const outcome = outcomeOf(row, push);
          if (outcome.kind === 'written' && row.scan_status !== 'running') endedScans.add(push.scan_id);
          outcomes[row.ord] = outcome;
        }
        return await withSummaries(sql, items, outcomes, endedScans);
      } catch (error) {
        if (isUnavailable(error)) throw error;
        const recorded = isUniqueViolation(error) ? await recordedOutcomes(sql, items) : [];
        const others = items.filter((_, i) => !recorded[i]);
        if (others.length < items.length) {
          const written = others.length > 0 ? await writeAll(others, sql) : [];
          const outcomes = recorded.flatMap((outcome) => outcome ?? written.shift() ?? []);
          // The other request may not have reached the summaries.
          const scanIds = items.flatMap(({ push }, i) => (recorded[i] ? push.scan_id : []));
          return await withSummaries(sql, items, outcomes, new Set(scanIds));
        }
        if (items.length === 1) return [{ kind: 'failed', error }];
      }
      // Only the pushes at fault fail.
      const half = Math.ceil(items.length / 2);
      return [...(await writeAll(items.slice(0, half), sql)), ...(await writeAll(items.slice(half), sql))];
    }

    /** Writes pushes by the latest policies. */
    async function writeBatch(items: readonly Item[], sql: Sql) {
      const actorIds = [...new Set(items.map(({ actorId }) => actorId))];
      const ids = items.map(() => nextId());
      const pushes = await withKnownFingerprints(sql, items, ids);
      const isCitus = (await engineOf(sql)) === 'citus';
      for (let tries = 1; ; tries++) {
        const { current } = policies;
        const decided = await decideAll(current, pushes, (ord) => (ids[ord] as NewId).at, { sql, tables });
        const rows = items.map(({ actorId, record }, ord): PushRow => {
          const { id, at } = ids[ord] as NewId;
          const own = { id, at: at.toISOString(), actor: actorIds.indexOf(actorId) + 1, ...decided[ord] };
          return { ord, ...own, ...(pushes[ord] as Push), ...record, previous_fingerprints: undefined };
        });
        const isLast = tries === POLICY_TRIES;
        const batch = {
          ...{ rows, actorIds, now: rows.at(-1)?.at as string },
          version: isLast ? null : current.version,
        };
        const needsTransaction = isCitus || rows.some((row) => row.first_accepted_until);
        const written = await (needsTransaction
          ? sql.begin((tx) => writeIn(tx, batch, isCitus))
          : writeAtOnce(sql, tables, batch));
        if (written.length > 0 || isLast) return { rows, written };
        policies.replace(await readPolicies(sql, org));
      }
    }

    /** Writes a batch, and notes the risks of new findings that rules accept until a time. */
    async function writeIn(tx: TransactionSql, batch: Batch, isCitus: boolean): Promise<WrittenRow[]> {
      const written = await (isCitus ? writeRouted : writeAtOnce)(tx, tables, batch);
      const risks = written.flatMap(({ ord, deduplicated }) => {
        const { id, first_accepted_until } = batch.rows[ord] as PushRow;
        return deduplicated === false && first_accepted_until
          ? [{ id, accepted_until: first_accepted_until }]
          : [];
      });
      await noteRisksOfNew(tx, org.id, risks, batch.now);
      return written;
    }

    /** Renames findings that are known by a previous fingerprint. @returns the pushes, with that of a finding that keeps it */
    async function withKnownFingerprints(
      sql: Sql,
      items: readonly Item[],
      ids: readonly NewId[],
    ): Promise<Push[]> {
      const renaming = items.flatMap(({ actorId, push }, ord) => {
        const { scan_id, project_id, fingerprint, previous_fingerprints, file, line } = push;
        if (!previous_fingerprints?.length) return [];
        const { id, at } = ids[ord] as NewId;
        const own = { ord, id, at: at.toISOString(), actor_id: actorId };
        return { ...own, scan_id, project_id, fingerprint, previous_fingerprints, file, line };
      });
      const kept = renaming.length > 0 ? await renameFindings(sql, tables, renaming) : [];
      const known = new Map(kept.map(({ ord, fingerprint }) => [ord, fingerprint]));
      return items.map(({ push }, ord) => ({ ...push, fingerprint: known.get(ord) ?? push.fingerprint }));
    }

    /** The outcomes of pushes that another request has recorded under the same key meanwhile. */
    async function recordedOutcomes(sql: Sql, items: readonly Item[]): Promise<(PushOutcome | undefined)[]> {
      const outcomes = new Map<string, Map<number, PushOutcome>>();
      for (const key of new Set(items.flatMap(({ record }) => record?.key ?? [])))
        outcomes.set(key, await readOutcomes(sql, tables, key));
      return items.map(({ record }) => record && outcomes.get(record.key)?.get(record.position));
    }

    /** Renews the summaries of ended scans. If one fails, so do the pushes to it: their agent sends them again. */
    async function withSummaries(
      sql: Sql,
      items: readonly Item[],
      outcomes: PushOutcome[],
      scanIds: ReadonlySet<string>,
    ): Promise<PushOutcome[]> {
      for (const scanId of scanIds) {
        await refreshSummary(sql, tables, scanId).catch((error) => {
          for (const [i, { push }] of items.entries())
            if (push.scan_id === scanId && outcomes[i]?.kind === 'written')
              outcomes[i] = { kind: 'failed', error };
        });
      }
      return outcomes;
    }

    return createBatcher<Item, PushOutcome, Sql>({
      acquire: (runBatch) => withConnection(runBatch, org),
      ...{ maxItems: MAX_ROWS, maxConcurrent: CONCURRENT, maxWeight: 1, weigh, keysOf },
      run(items, sql) {
        onBatch(items.length);
        return writeAll(items, sql);
      },
    });
  });
  return (org, actorId, push, record) => queueOf(org)({ actorId, push, record });
}
