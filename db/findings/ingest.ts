import { createBatcher } from '../batcher.ts';
import { isUnavailable, retried } from '../errors.ts';
import type { NewId } from '../ids.ts';
import type { WithConnection } from '../pool/pool.ts';
import type { Sql } from '../pool/query.ts';
import { refreshSummary } from '../scans/scans.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgSchemaName, perOrg } from '../schema/org-schema.ts';
import type { FindingStatus, Severity } from '../schema/values.ts';
import { arrayText } from '../statements.ts';
import { ingestStatement } from './ingest-statement.ts';

/** A finding as an agent pushes it, already validated. */
export interface Push {
  projectId: string;
  scanId: string;
  fingerprint: string;
  title: string;
  severity: Severity;
  description: string;
  cwe?: string | undefined;
  cve?: string | undefined;
  cvssScore?: number | undefined;
  cvssVector?: string | undefined;
  file?: string | undefined;
  line?: number | undefined;
  source?: string | undefined;
}

/** What became of a push. */
export type PushOutcome =
  | { kind: 'written'; deduplicated: boolean; finding: PushedFinding }
  /** No such scan is registered. */
  | { kind: 'no_scan' }
  /** The scan belongs to another project. */
  | { kind: 'other_project' };

/** The finding's row after the push; keyed like `findingFields`. */
export interface PushedFinding {
  id: string;
  scan_id: string;
  last_scan_id: string;
  project_id: string;
  fingerprint: string;
  title: string;
  severity: Severity;
  description: string;
  cwe: string | null;
  cve: string | null;
  cvss_score: number | null;
  cvss_vector: string | null;
  file: string | null;
  line: number | null;
  source: string | null;
  status: FindingStatus;
  status_changed_at: Date;
  regressed: boolean;
  seen_count: number;
  last_seen_at: Date;
  created_at: Date;
  updated_at: Date;
}

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
    const statement = ingestStatement(orgSchemaName(org.id));

    const write = (items: Item[], sql: Sql): Promise<Written[]> =>
      retried(() => writeBatch(sql, statement, items, nextId));

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
      keyOf: ({ push }) => `${push.projectId} ${push.fingerprint}`,
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

/** What the statement says of a push. */
interface WrittenRow {
  ord: number;
  /** Null when the scan is not registered. */
  scan_status: string | null;
  /** Null when the scan is another project's. */
  deduplicated: boolean | null;
  /** What the push does not say of a finding that was known before; null for a new one. */
  known: Known | null;
}

type Known = Pick<
  PushedFinding,
  'id' | 'scan_id' | 'cwe' | 'cve' | 'cvss_score' | 'cvss_vector' | 'file' | 'line' | 'source'
> &
  Pick<PushedFinding, 'status' | 'regressed' | 'seen_count'> & {
    status_changed_at: string;
    created_at: string;
  };

async function writeBatch(
  sql: Sql,
  statement: string,
  items: Item[],
  nextId: () => NewId,
): Promise<Written[]> {
  let now = new Date(0);
  const rows = items.map(({ push }, ord) => {
    const { id, at } = nextId();
    now = at;
    return {
      ord,
      id,
      at,
      project_id: push.projectId,
      scan_id: push.scanId,
      fingerprint: push.fingerprint,
      title: push.title,
      severity: push.severity,
      description: push.description,
      cwe: push.cwe,
      cve: push.cve,
      cvss_score: push.cvssScore,
      cvss_vector: push.cvssVector,
      file: push.file,
      line: push.line,
      source: push.source,
    };
  });
  const tokenIds = arrayText(items.map(({ tokenId }) => tokenId));
  const written = await sql.unsafe<WrittenRow[]>(statement, [
    JSON.stringify(rows),
    tokenIds,
    now.toISOString(),
  ]);
  const results: Written[] = new Array(items.length);
  for (const row of written) {
    const push = items[row.ord]?.push as Push;
    const outcome = outcomeOf(row, push, rows[row.ord] as NewId);
    const late = outcome.kind === 'written' && row.scan_status !== 'running';
    results[row.ord] = { outcome, endedScan: late ? push.scanId : undefined };
  }
  return results;
}

function outcomeOf(row: WrittenRow, push: Push, { id, at }: NewId): PushOutcome {
  const { scan_status, deduplicated, known } = row;
  if (scan_status === null) return { kind: 'no_scan' };
  if (deduplicated === null) return { kind: 'other_project' };
  return {
    kind: 'written',
    deduplicated,
    finding: {
      id: known?.id ?? id,
      scan_id: known?.scan_id ?? push.scanId,
      last_scan_id: push.scanId,
      project_id: push.projectId,
      fingerprint: push.fingerprint,
      title: push.title,
      severity: push.severity,
      description: push.description,
      cwe: push.cwe ?? known?.cwe ?? null,
      cve: push.cve ?? known?.cve ?? null,
      cvss_score: push.cvssScore ?? known?.cvss_score ?? null,
      cvss_vector: push.cvssVector ?? known?.cvss_vector ?? null,
      file: push.file ?? known?.file ?? null,
      line: push.line ?? known?.line ?? null,
      source: push.source ?? known?.source ?? null,
      status: known?.status ?? 'open',
      status_changed_at: known ? new Date(known.status_changed_at) : at,
      regressed: known?.regressed ?? false,
      seen_count: known?.seen_count ?? 1,
      last_seen_at: at,
      created_at: known ? new Date(known.created_at) : at,
      updated_at: at,
    },
  };
}
