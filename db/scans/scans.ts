import { eq, type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { onItsWorker } from '../citus.ts';
import type { Db, Tx } from '../client.ts';
import type { Sql } from '../pool/query.ts';
import { json, type Resource, type ScanRow, scanFields, withCte } from '../resources.ts';
import { rankIn } from '../schema/columns.ts';
import type { OrgTables } from '../schema/org.ts';
import { type PERSONAS, type ScanStatus, type ScanTarget, SEVERITIES } from '../schema/values.ts';
import { orgStatement, type SqlClient } from '../statements.ts';
import { type ClosablePart, markMissing, readClosable } from './missing.ts';

/** The ids of a scan's findings, each once: those it reported first, and those it saw again. */
export function findingIdsOfScan(db: Db | Tx, { findings, sightings }: OrgTables, scanId: string) {
  return unionAll(
    db.select({ id: findings.id }).from(findings).where(eq(findings.scanId, scanId)),
    db.select({ id: sightings.findingId }).from(sightings).where(eq(sightings.scanId, scanId)),
  );
}

/** A scan, or undefined when there is none of this id. */
export async function readScan(db: Db, tables: OrgTables, scanId: string): Promise<ScanRow | undefined> {
  const [row] = await db.select(scanFields(tables)).from(tables.scans).where(eq(tables.scans.scanId, scanId));
  return row;
}

/** A scan to register. */
export interface NewScan {
  scanId: string;
  projectId: string;
  persona: (typeof PERSONAS)[number];
  name: string;
  target: ScanTarget | undefined;
  /** The scanned commit. */
  commit?: string | undefined;
  now: Date;
}

const register = orgStatement<
  Omit<NewScan, 'target' | 'commit' | 'now'> & { target: string | null; commit: string | null; now: string },
  { scan: Resource<ScanRow> }
>(
  (tables, $) => sql`
with registered as (
  insert into ${tables.scans} (scan_id, project_id, persona, name, target, commit, status, created_at)
  values (${$.scanId}, ${$.projectId}, ${$.persona}, ${$.name}, ${$.target}, ${$.commit}, 'running', ${$.now})
  on conflict (scan_id) do nothing returning *
), counted as (
  insert into ${tables.scanCounts} as c (project_id, status, count)
  select project_id, status, 1 from registered ${onItsWorker(tables)}
  on conflict (project_id, status) do update set count = c.count + excluded.count
)
select ${json(scanFields(withCte(tables, 'scans', 'registered')))} as scan from registered`,
);

/**
 * Registers a running scan, and counts it.
 * @returns the scan, or undefined when there is one of this id
 */
export async function insertScan(
  client: Sql,
  tables: OrgTables,
  { target, commit = '', now, ...scan }: NewScan,
): Promise<Resource<ScanRow> | undefined> {
  const [row] = await register(tables).run(client, {
    ...scan,
    target: target ? JSON.stringify(target) : null,
    commit: commit || null,
    now: now.toISOString(),
  });
  return row?.scan;
}

/** The outcome of ending a scan. `closable`: which findings are closed after it, if it is completed. */
export type EndOutcome =
  | { kind: 'ended'; scan: Resource<ScanRow>; closable?: ClosablePart[] | undefined }
  /** It has ended before, with this status. */
  | { kind: 'unchanged'; status: ScanStatus; closable?: ClosablePart[] | undefined }
  | { kind: 'missing' };

/** How a scan ends. */
export interface ScanEnd {
  scanId: string;
  status: ScanStatus;
  errorMessage: string | null;
  now: Date;
  /** The project that the scan must belong to; null for any. */
  projectId: string | null;
}

const end = orgStatement<Omit<ScanEnd, 'now'> & { now: string }, { scan: Resource<ScanRow> }>(
  (tables, $) => sql`
with summed as materialized (${summaryOf(tables, $.scanId)}
), ended as (
  update ${tables.scans} s set status = ${$.status}, error_message = ${$.errorMessage}, summary = summed.summary,
    sources = summed.sources, completed_at = ${$.now}::timestamptz
  from summed where s.scan_id = ${$.scanId} and s.status = 'running'
    and (${$.projectId}::uuid is null or s.project_id = ${$.projectId}::uuid)
  returning s.*
), counted as (
  insert into ${tables.scanCounts} as c (project_id, status, count)
  select project_id, status, change from (
    select project_id, 'running' as status, -1 as change from ended union all
    select project_id, status, 1 from ended
  ) changes ${onItsWorker(tables)} order by project_id, status
  on conflict (project_id, status) do update set count = c.count + excluded.count
)
select ${json(scanFields(withCte(tables, 'scans', 'ended')))} as scan from ended`,
);

/**
 * Ends a running scan with the summary of its findings, and counts it. Marks findings that a completed scan did not report,
 * which changes nothing when it is done again.
 */
export const finishScan = (client: Sql, tables: OrgTables, scan: ScanEnd): Promise<EndOutcome> =>
  client.begin((tx) => finishScanIn(tx, tables, scan));

/** The same as a part of a transaction. */
export async function finishScanIn(
  tx: SqlClient,
  tables: OrgTables,
  { now, ...scan }: ScanEnd,
): Promise<EndOutcome> {
  const { scanId, status, projectId } = scan;
  const isCompleted = status === 'completed';
  const [[found], [row], , closable] = await Promise.all([
    lockScan(tables).run(tx, { scanId }),
    end(tables).run(tx, { ...scan, now: now.toISOString() }),
    isCompleted ? markMissing(tx, tables, { scanId, projectId }) : undefined,
    isCompleted ? readClosable(tx, tables, { scanId, projectId }) : undefined,
  ]);
  if (row) return { kind: 'ended', scan: row.scan, closable };
  return found ? { kind: 'unchanged', status: found.status, closable } : { kind: 'missing' };
}

const remove = orgStatement<{ scanId: string }, { scan_id: string }>(
  (tables, $) => sql`
with removed as (
  delete from ${tables.scans} s where s.scan_id = ${$.scanId} and s.status = 'running'
    and not exists (${reportedBy(tables, $.scanId)})
  returning s.scan_id, s.project_id, s.status
), counted as (
  insert into ${tables.scanCounts} as c (project_id, status, count)
  select project_id, status, -1 from removed ${onItsWorker(tables)}
  on conflict (project_id, status) do update set count = c.count + excluded.count
)
select scan_id from removed`,
);

const reportedBy = ({ findings, sightings }: OrgTables, scanId: Placeholder): SQL =>
  sql`select from ${findings} where scan_id = ${scanId} union all select from ${sightings} where scan_id = ${scanId}`;

/** Removes a running scan without findings. @returns whether there was one */
export async function removeScan(client: Sql, tables: OrgTables, scanId: string): Promise<boolean> {
  const [, removed] = await client.begin((tx) =>
    Promise.all([lockScan(tables).run(tx, { scanId }), remove(tables).run(tx, { scanId })]),
  );
  return removed.length > 0;
}

const deleteStatement = orgStatement<{ scanId: string }, { project_id: string }>(
  ({ policyVersions, scans, scanCounts, sightings }, $) => sql`
with deleted as (
  delete from ${scans} where scan_id = ${$.scanId} and status <> 'running' returning scan_id, project_id, status
), counted as (
  insert into ${scanCounts} as c (project_id, status, count)
  select project_id, status, -1 from deleted ${onItsWorker({ policyVersions })}
  on conflict (project_id, status) do update set count = c.count + excluded.count
), forgotten as (
  delete from ${sightings} where scan_id = (select scan_id from deleted)
)
select project_id from deleted`,
);

/** The outcome of deleting a scan. */
export type DeleteOutcome =
  | { kind: 'deleted'; projectId: string }
  | { kind: 'running' }
  | { kind: 'missing' };

/** Deletes an ended scan and what it saw again. Findings that it reported first stay, and keep its id. */
export async function deleteScan(client: Sql, tables: OrgTables, scanId: string): Promise<DeleteOutcome> {
  const [[found], [deleted]] = await client.begin((tx) =>
    Promise.all([lockScan(tables).run(tx, { scanId }), deleteStatement(tables).run(tx, { scanId })]),
  );
  if (deleted) return { kind: 'deleted', projectId: deleted.project_id };
  return found ? { kind: 'running' } : { kind: 'missing' };
}

const refresh = orgStatement<{ scanId: string }, object>(
  (tables, $) => sql`
with summed as materialized (${summaryOf(tables, $.scanId)}
)
update ${tables.scans} s set summary = summed.summary, sources = summed.sources from summed
where s.scan_id = ${$.scanId} and s.status <> 'running'`,
);

/** Makes an ended scan's summary anew; a scan that still runs is left alone. */
export async function refreshSummary(client: Sql, tables: OrgTables, scanId: string): Promise<void> {
  await client.begin((tx) =>
    Promise.all([lockScan(tables).run(tx, { scanId }), refresh(tables).run(tx, { scanId })]),
  );
}

/**
 * Locks a scan. It is a statement of its own, in front of the one that counts and sent with it: the count then includes all pushes
 * that were committed before; later pushes wait, and renew the summary.
 */
const lockScan = orgStatement<{ scanId: string }, { project_id: string; status: ScanStatus }>(
  ({ scans }, $) =>
    sql`select project_id, status from ${scans} where scan_id = ${$.scanId} for no key update`,
);

/** Scanners report one or a few sources. */
const MAX_SOURCES = 100;

/** The summary of a scan's findings as they are now, and their sources. Findings seen again and first reported are disjoint. */
function summaryOf({ findings, sightings }: OrgTables, scanId: Placeholder): SQL {
  const bySeverity = SEVERITIES.map((severity) =>
    sql.raw(`'${severity}', coalesce(sum(n) filter (where severity = '${severity}'), 0)`),
  );
  return sql`
  select json_build_object('total', coalesce(sum(n), 0), ${sql.join(bySeverity, sql`, `)}) as summary,
    (coalesce(array_agg(distinct source), '{}'))[1:${sql.raw(String(MAX_SOURCES))}] as sources
  from (
    select severity, coalesce(source, '') as source, count(*) as n from ${findings}
    where scan_id = ${scanId} group by 1, 2 union all
    select f.severity, coalesce(f.source, ''), count(*) from ${sightings} s join ${findings} f on f.id = s.finding_id
    where s.scan_id = ${scanId} group by 1, 2
  ) counted`;
}

/** Keeps the order of `SEVERITIES` in queries: 1 is critical, 5 is info. */
export const severityRank = (column: SQLWrapper): SQL<number> => rankIn(SEVERITIES, column);
