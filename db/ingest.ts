import type { Database } from './client.ts';
import { isRetryable, isUnavailable } from './errors.ts';
import { createGroup } from './group.ts';
import type { NewId } from './ids.ts';
import { type FindingStatus, type OrgTables, orgSchemaName, perOrg, type Severity } from './org.ts';
import { refreshSummary } from './scans.ts';

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
const MAX_TRIES = 4;

export function createIngest(database: Database, nextId: () => NewId): Ingest {
  const queueOf = perOrg((org: { id: string; tables: OrgTables }) => {
    const statement = ingestStatement(orgSchemaName(org.id));

    async function write(items: Item[]): Promise<Written[]> {
      for (let tries = 1; ; tries++) {
        try {
          return await writeBatch(database, statement, items, nextId);
        } catch (error) {
          if (!isRetryable(error) || tries === MAX_TRIES) throw error;
        }
      }
    }

    async function writeAll(items: Item[]): Promise<(Written | Error)[]> {
      try {
        return await write(items);
      } catch (error) {
        if (items.length === 1 || isUnavailable(error)) throw error;
      }
      // One of them is at fault: each on its own, so that the others are written.
      const results: (Written | Error)[] = [];
      for (const item of items) {
        results.push(
          await write([item]).then(
            ([result]) => result as Written,
            (error: Error) => error,
          ),
        );
      }
      return results;
    }

    return createGroup<Item, PushOutcome>({
      maxItems: MAX_ROWS,
      maxWeight: MAX_CHARACTERS,
      weigh: ({ push }) => push.description.length,
      keyOf: ({ push }) => `${push.projectId} ${push.fingerprint}`,
      async run(items) {
        const results = await writeAll(items);
        // Pushes for a scan that has ended: what its summary says is no longer true.
        const late = new Set(
          results.flatMap((result) => (result instanceof Error ? [] : (result.endedScan ?? []))),
        );
        for (const scanId of late) await refreshSummary(database.db, org.tables, scanId);
        return results.map((result) => (result instanceof Error ? result : result.outcome));
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
  database: Database,
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
  const tokenIds = JSON.stringify([...new Set(items.map(({ tokenId }) => tokenId))]);
  const written = await database.sql.unsafe<WrittenRow[]>(
    statement,
    [JSON.stringify(rows), tokenIds, now.toISOString()],
    { prepare: true },
  );
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

/**
 * The statement for a batch: $1 the pushes, $2 the ids of their tokens (both JSON), $3 now.
 *
 * Rows are written in the order of their key, so that batches of two processes cannot wait for each other in a
 * circle. `for share` lets the end of a scan wait for the pushes under way. A locked token is left out: who holds it
 * is setting the same moment. In DO UPDATE there are only columns and operators, which Citus needs.
 */
function ingestStatement(schema: string): string {
  return `
with input as materialized (
  select * from json_to_recordset($1::text::json) as r(
    ord int, id uuid, at timestamptz, project_id uuid, scan_id text, fingerprint text, title text, severity text,
    description text, cwe text, cve text, cvss_score float8, cvss_vector text, file text, line int, source text)
), scan as materialized (
  select scan_id, project_id, status from "${schema}".scans
  where scan_id in (select scan_id from input) for share
), token as materialized (
  select id from "${schema}".api_tokens
  where id in (select value::uuid from json_array_elements_text($2::text::json)) for no key update skip locked
), touched as (
  update "${schema}".api_tokens t set last_used = $3::timestamptz from token where t.id = token.id
), written as (
  insert into "${schema}".findings as f (
    id, project_id, fingerprint, scan_id, last_scan_id, title, severity, description, cwe, cve, cvss_score,
    cvss_vector, file, line, source, status, status_changed_at, seen_count, last_seen_at, created_at, updated_at)
  select i.id, i.project_id, i.fingerprint, i.scan_id, i.scan_id, i.title, i.severity, i.description, i.cwe, i.cve,
    i.cvss_score, i.cvss_vector, i.file, i.line, i.source, 'open', i.at, 1, i.at, i.at, i.at
  from input i join scan s on s.scan_id = i.scan_id and s.project_id = i.project_id
  order by i.project_id, i.fingerprint
  on conflict (project_id, fingerprint) do update set
    seen_count = f.seen_count + 1,
    last_seen_at = excluded.last_seen_at,
    last_scan_id = excluded.last_scan_id,
    updated_at = excluded.updated_at,
    title = excluded.title,
    severity = excluded.severity,
    description = excluded.description,
    cwe = coalesce(excluded.cwe, f.cwe),
    cve = coalesce(excluded.cve, f.cve),
    cvss_score = coalesce(excluded.cvss_score, f.cvss_score),
    cvss_vector = coalesce(excluded.cvss_vector, f.cvss_vector),
    file = coalesce(excluded.file, f.file),
    line = coalesce(excluded.line, f.line),
    source = coalesce(excluded.source, f.source),
    regressed = f.regressed or f.status in ('fixed', 'verified')
  returning f.id, f.project_id, f.fingerprint, f.scan_id, f.last_scan_id, f.cwe, f.cve, f.cvss_score, f.cvss_vector,
    f.file, f.line, f.source, f.status, f.status_changed_at, f.regressed, f.seen_count, f.created_at,
    (xmax <> 0) as deduplicated
), sighted as (
  insert into "${schema}".sightings (scan_id, finding_id)
  select last_scan_id, id from written where last_scan_id <> scan_id
  on conflict do nothing
)
select i.ord, s.status as scan_status, w.deduplicated,
  case when w.deduplicated then json_build_object('id', w.id, 'scan_id', w.scan_id, 'cwe', w.cwe, 'cve', w.cve,
    'cvss_score', w.cvss_score, 'cvss_vector', w.cvss_vector, 'file', w.file, 'line', w.line, 'source', w.source,
    'status', w.status, 'status_changed_at', w.status_changed_at, 'regressed', w.regressed,
    'seen_count', w.seen_count, 'created_at', w.created_at) end as known
from input i
left join scan s on s.scan_id = i.scan_id
left join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint and s.project_id = i.project_id`;
}
