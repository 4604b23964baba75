import { createBatcher } from '../../batcher.ts';
import { isUnavailable, retried } from '../../errors.ts';
import type { NewId } from '../../ids.ts';
import type { WithConnection } from '../../pool/pool.ts';
import type { Sql } from '../../pool/query.ts';
import type { FindingRow, Resource } from '../../resources.ts';
import { refreshSummary } from '../../scans/scans.ts';
import type { OrgTables } from '../../schema/org.ts';
import { perOrg } from '../../schema/org-schema.ts';
import { arrayText } from '../../statements.ts';
import { findingAfter, type Push, type PushRow } from './push.ts';
import { ingestStatement, type WrittenRow } from './statement.ts';

/** What became of a push. */
export type PushOutcome =
  | { kind: 'written'; deduplicated: boolean; finding: Resource<FindingRow> }
  /** No such scan is registered. */
  | { kind: 'no_scan' }
  /** The scan belongs to another project. */
  | { kind: 'other_project' };

/**
 * Writes a push: a new finding, or one more sighting of a known one (`project_id` + `fingerprint`). Resolves after
 * the commit. `tokenId`'s `last_used` is set in the same statement.
 */
export type Ingest = (
  org: { id: string; tables: OrgTables },
  tokenId: string,
  push: Push,
) => Promise<PushOutcome>;

interface Item {
  tokenId: string;
  push: Push;
}

const MAX_ROWS = 256;
const MAX_CHARACTERS = 4_000_000;

/** @param onBatch called with the number of pushes that one statement writes */
export function createIngest(
  withConnection: WithConnection,
  nextId: () => NewId,
  onBatch: (size: number) => void = () => {},
): Ingest {
  const queueOf = perOrg((org: { id: string; tables: OrgTables }) => {
    const write = (items: Item[], sql: Sql): Promise<Written[]> =>
      retried(() => writeBatch(sql, org.tables, items, nextId));

    async function writeAll(items: Item[], sql: Sql): Promise<(Written | Error)[]> {
      try {
        return await write(items, sql);
      } catch (error) {
        if (items.length === 1 || isUnavailable(error)) throw error;
      }
      // One of them is at fault: each on its own, so that the others are written.
      const results: (Written | Error)[] = [];
      for (const item of items) {
        results.push(
          await write([item], sql).then(
            ([result]) => result as Written,
            (error: Error) => error,
          ),
        );
      }
      return results;
    }

    return createBatcher<Item, PushOutcome, Sql>({
      acquire: (runBatch) => withConnection(runBatch, org),
      maxItems: MAX_ROWS,
      maxWeight: MAX_CHARACTERS,
      weigh: ({ push }) => push.description.length,
      keyOf: ({ push }) => `${push.project_id} ${push.fingerprint}`,
      async run(items, sql) {
        onBatch(items.length);
        const results = await writeAll(items, sql);
        // Pushes for a scan that has ended: what its summary says is no longer true.
        const late = new Set(
          results.flatMap((result) => (result instanceof Error ? [] : (result.endedScan ?? []))),
        );
        const failed = new Map<string, Error>();
        for (const scanId of late) {
          await refreshSummary(sql, org.tables, scanId).catch((error) => failed.set(scanId, error));
        }
        // Written, but not as promised: its agent tries again, and the summary with it.
        return results.map((result) =>
          result instanceof Error ? result : (failed.get(result.endedScan ?? '') ?? result.outcome),
        );
      },
    });
  });
  return (org, tokenId, push) => queueOf(org)({ tokenId, push });
}

interface Written {
  outcome: PushOutcome;
  /** The push's scan, when it was written after the scan's end. */
  endedScan: string | undefined;
}

async function writeBatch(
  sql: Sql,
  tables: OrgTables,
  items: Item[],
  nextId: () => NewId,
): Promise<Written[]> {
  const rows = items.map(({ push }, ord): PushRow & { ord: number } => {
    const { id, at } = nextId();
    return { ord, id, at: at.toISOString(), ...push };
  });
  const tokenIds = arrayText(items.map(({ tokenId }) => tokenId));
  const now = rows.at(-1)?.at as string;
  const written = await ingestStatement(tables).run(sql, { pushes: JSON.stringify(rows), tokenIds, now });
  const results: Written[] = new Array(items.length);
  for (const row of written) {
    const push = rows[row.ord] as PushRow;
    const outcome = outcomeOf(row, push);
    const late = outcome.kind === 'written' && row.scan_status !== 'running';
    results[row.ord] = { outcome, endedScan: late ? push.scan_id : undefined };
  }
  return results;
}

function outcomeOf({ scan_status, deduplicated, known }: WrittenRow, push: PushRow): PushOutcome {
  if (scan_status === null) return { kind: 'no_scan' };
  if (deduplicated === null) return { kind: 'other_project' };
  return { kind: 'written', deduplicated, finding: findingAfter(push, known) };
}
