import { eq, type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { onItsWorker } from '../citus.ts';
import type { Db, Tx } from '../client.ts';
import { isUniqueViolation, retried } from '../errors.ts';
import type { Sql, TransactionSql } from '../pool/query.ts';
import { json, type Resource, type ScanRow, scanFields, withCte } from '../resources.ts';
import { rankIn } from '../schema/columns.ts';
import type { OrgTables } from '../schema/org.ts';
import { type PERSONAS, type ScanStatus, type ScanTarget, SEVERITIES } from '../schema/values.ts';
import { listText, orgStatement, type SqlClient } from '../statements.ts';
import { type ClosablePart, markMissing, readClosable } from './missing.ts';
import {
  adoptSeries,
  isTracked,
  type SeriesOf,
  seriesKey,
  seriesOf,
  trackSeries,
  unsettledSeries,
} from './series.ts';

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
  /** The scanners that ran, if they are known. */
  sources?: readonly string[] | undefined;
  now: Date;
}

type Registration = Omit<NewScan, 'target' | 'commit' | 'sources' | 'now'> &
  SeriesOf & {
    target: string | null;
    commit: string | null;
    sources: string | null;
    now: string;
  };

/** Finds the series of a scan, or makes it. The update lets it return one that is known. */
const inSeries = (
  tables: OrgTables,
  $: Record<'newSeriesId', Placeholder>,
  values: SQL,
  from: SQL,
): SQL => sql`
  insert into ${tables.series} as e (id, key, project_id, ref, tracked, settled)
  select ${$.newSeriesId}::uuid, ${values} from ${from} ${onItsWorker(tables)}
  on conflict (key) do update set ref = excluded.ref, settled = e.settled and excluded.settled
  returning e.id, e.tracked`;

const register = orgStatement<Registration, { scan: Resource<ScanRow> }>(
  (tables, $) => sql`
with project as materialized (
  select id, default_ref, tracked_refs from ${tables.projects} where id = ${$.projectId}::uuid
), in_series as (
  ${inSeries(
    tables,
    $,
    sql`${seriesKey($.projectId, $.persona, $.series)}, p.id, ${$.ref}, ${isTracked($.ref, 'p')}, true`,
    sql`project p`,
  )}
), registered as (
  insert into ${tables.scans} (scan_id, project_id, persona, name, target, commit, declared_sources, status, created_at,
    series_id, tracked)
  select ${$.scanId}, ${$.projectId}::uuid, ${$.persona}, ${$.name}, ${$.target}::json, ${$.commit}, ${$.sources}::text[], 'running',
    ${$.now}::timestamptz, e.id, e.tracked
  from in_series e ${onItsWorker(tables)}
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
  { target, commit = '', sources, now, ...scan }: NewScan,
): Promise<Resource<ScanRow> | undefined> {
  const registration = {
    ...scan,
    ...targetOf(target),
    commit: commit || null,
    sources: sourcesText(sources),
    now: now.toISOString(),
  };
  return await withSeries(client, async (tx) => {
    const [, [row]] = await Promise.all([
      findSeries(tx, tables, scan, target),
      register(tables).run(tx, registration),
    ]);
    if (!row) throw IS_REGISTERED;
    return row.scan;
  }).catch((error) => {
    if (error !== IS_REGISTERED) throw error;
    return undefined;
  });
}

/** Rolls back what the target of a refused scan has named. */
const IS_REGISTERED = new Error('the scan is registered');

/** Runs a transaction that finds or makes a series, and again if another scan makes it, or continues it, at the same time. */
async function withSeries<T>(client: Sql, work: (tx: TransactionSql) => Promise<T>): Promise<T> {
  const write = () => retried(() => client.begin(work)) as Promise<T>;
  return await write().catch((error) => {
    if (isUniqueViolation(error)) return write();
    throw error;
  });
}

/** A target as parameters of a statement. */
const targetOf = (target: ScanTarget | undefined) => ({
  target: target ? JSON.stringify(target) : null,
  ...seriesOf(target),
});

/** Applies what a target names for the first time: the default branch of its project, a ref or a category. */
async function findSeries(
  tx: SqlClient,
  tables: OrgTables,
  { projectId, persona }: Pick<NewScan, 'projectId' | 'persona'>,
  target: ScanTarget | undefined,
): Promise<void> {
  const series = seriesOf(target);
  await Promise.all([
    target?.default_ref && setDefaultRef(tables).run(tx, { projectId, defaultRef: target.default_ref }),
    lockProject(tables).run(tx, { projectId }),
    target?.default_ref && trackSeries(tx, tables, projectId),
    (target?.ref || target?.category) && adoptSeries(tables).run(tx, { projectId, persona, ...series }),
  ]);
}

const sourcesText = (sources: readonly string[] = []) =>
  sources.length > 0 ? listText([...new Set(sources)]) : null;

/**
 * Makes a change of the tracked refs wait, which then finds the scan. Transactions lock the project first, then series, then scans:
 * otherwise two of them would wait for each other.
 */
const lockProject = orgStatement<{ projectId: string }, object>(
  ({ projects }, $) => sql`select 1 from ${projects} where id = ${$.projectId}::uuid for share`,
);

/** The first scan that names the default branch sets it. Refs that the project tracks then are tracked at once. */
const setDefaultRef = orgStatement<{ projectId: string; defaultRef: string }, object>(
  ({ projects }, $) => sql`
update ${projects} set default_ref = ${$.defaultRef} where id = ${$.projectId}::uuid and default_ref is null`,
);

type Retargeting = { scanId: string } & ReturnType<typeof targetOf>;

/**
 * Moves a running scan to the series of another target, and what it has reported. Both series are then to be settled, because the
 * former one may have had the same findings from earlier scans.
 */
const retarget = orgStatement<Retargeting, object>(
  (tables, $) => sql`
with was as materialized (
  select s.scan_id, s.series_id, s.project_id, s.persona, p.default_ref, p.tracked_refs from ${tables.scans} s
  join ${tables.projects} p on p.id = s.project_id where s.scan_id = ${$.scanId} and s.status = 'running'
), reported as materialized (
  select f.id from ${tables.findings} f where f.scan_id = (select scan_id from was) union all
  select g.finding_id from ${tables.sightings} g where g.scan_id = (select scan_id from was)
), in_series as (
  ${inSeries(
    tables,
    $,
    sql`${seriesKey(sql`was.project_id`, sql`was.persona`, $.series)}, was.project_id, ${$.ref}, ${isTracked($.ref, 'was')},
    not exists (select from reported)`,
    sql`was`,
  )}
), moved as (
  update ${tables.scans} s set target = ${$.target}::json, series_id = e.id, tracked = e.tracked
  from was, in_series e where s.scan_id = was.scan_id returning s.scan_id, s.series_id, s.created_at, was.series_id as former_id
), changed as materialized (
  select * from moved where series_id is distinct from former_id
), removed as (
  delete from ${tables.findingRefs} r using changed c
  where r.finding_id = any (array(select id from reported)) and r.series_id = c.former_id and r.last_scan_id = c.scan_id
), added as (
  insert into ${tables.findingRefs} as r (finding_id, series_id, first_seen_at, last_seen_at, last_scan_id)
  select o.id, c.series_id, c.created_at, c.created_at, c.scan_id from reported o, changed c ${onItsWorker(tables)} order by o.id
  on conflict (finding_id, series_id) do update set missing_since = null, last_seen_at = excluded.last_seen_at,
    last_scan_id = excluded.last_scan_id
)
update ${tables.series} e set settled = false from changed c where e.id = c.former_id and exists (select from reported)`,
);

/** Gives a running scan another target. */
export const retargetScan = (
  client: Sql,
  tables: OrgTables,
  scan: { scanId: string; projectId: string | null; target: ScanTarget },
): Promise<void> => withSeries(client, (tx) => retargetIn(tx, tables, scan));

async function retargetIn(
  tx: SqlClient,
  tables: OrgTables,
  { scanId, projectId, target }: { scanId: string; projectId: string | null; target: ScanTarget },
): Promise<void> {
  const [found] = await scanToRetarget(tables).run(tx, { scanId });
  if (found?.status !== 'running' || (projectId !== null && found.project_id !== projectId)) return;
  await findSeries(tx, tables, { projectId: found.project_id, persona: found.persona }, target);
  await lockScan(tables).run(tx, { scanId });
  await retarget(tables).run(tx, { scanId, ...targetOf(target) });
}

const scanToRetarget = orgStatement<{ scanId: string }, LockedScan>(
  ({ scans }, $) => sql`select project_id, persona, status from ${scans} where scan_id = ${$.scanId}`,
);

/** The work that remains after a scan has completed. */
export interface AfterScan {
  /** Which findings are closed. */
  closable: ClosablePart[];
  /** The series of the project to settle first. {@link readAfterScan} says afterwards what is closed. */
  unsettled: string[];
}

/** The outcome of ending a scan. `after`: set if it is completed. */
export type EndOutcome =
  | { kind: 'ended'; scan: Resource<ScanRow>; after?: AfterScan | undefined }
  /** It has ended before, with this status. */
  | { kind: 'unchanged'; status: ScanStatus; after?: AfterScan | undefined }
  | { kind: 'missing' };

/** How a scan ends. */
export interface ScanEnd {
  scanId: string;
  status: ScanStatus;
  errorMessage: string | null;
  now: Date;
  /** The project that the scan must belong to; null for any. */
  projectId: string | null;
  /** The target, if it was not known when the scan was registered. */
  target?: ScanTarget | undefined;
  /** The scanners that ran, if they were not known when the scan was registered. */
  sources?: readonly string[] | undefined;
}

type Ending = Omit<ScanEnd, 'target' | 'sources' | 'now'> & { sources: string | null; now: string };

const end = orgStatement<Ending, { scan: Resource<ScanRow> }>(
  (tables, $) => sql`
with summed as materialized (${summaryOf(tables, $.scanId, $.sources)}
), ended as (
  update ${tables.scans} s set status = ${$.status}, error_message = ${$.errorMessage}, summary = summed.summary,
    sources = summed.sources, completed_at = ${$.now}::timestamptz,
    declared_sources = coalesce(${$.sources}::text[], s.declared_sources)
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
), told as (
  insert into ${tables.events} (id, at, type, subject)
  select md5(scan_id || ${$.now}::text)::uuid, ${$.now}::timestamptz, 'scan.' || status, scan_id from ended ${onItsWorker(tables)}
  on conflict do nothing
)
select ${json(scanFields(withCte(tables, 'scans', 'ended')))} as scan from ended`,
);

/**
 * Ends a running scan with the summary of its findings, and counts it. Marks findings that a completed scan did not report,
 * which changes nothing when it is done again.
 */
export const finishScan = (client: Sql, tables: OrgTables, scan: ScanEnd): Promise<EndOutcome> =>
  withSeries(client, (tx) => finishScanIn(tx, tables, scan));

/** The same as a part of a transaction. */
export async function finishScanIn(
  tx: SqlClient,
  tables: OrgTables,
  { target, sources, now, ...scan }: ScanEnd,
): Promise<EndOutcome> {
  const { scanId, status, projectId } = scan;
  if (target) await retargetIn(tx, tables, { scanId, projectId, target });
  const [[found], [row], after] = await Promise.all([
    lockScan(tables).run(tx, { scanId }),
    end(tables).run(tx, { ...scan, sources: sourcesText(sources), now: now.toISOString() }),
    status === 'completed' ? leaveOut(tx, tables, { scanId, projectId }) : undefined,
  ]);
  if (row) return { kind: 'ended', scan: row.scan, after };
  return found ? { kind: 'unchanged', status: found.status, after } : { kind: 'missing' };
}

/** Marks what a completed scan did not report. Done again, it changes nothing. */
async function leaveOut(
  tx: SqlClient,
  tables: OrgTables,
  scan: Pick<ScanEnd, 'scanId' | 'projectId'>,
): Promise<AfterScan> {
  const [, closable, unsettled] = await Promise.all([
    markMissing(tx, tables, scan),
    readClosable(tx, tables, scan),
    unsettledSeries(tx, tables, scan.scanId),
  ]);
  return { closable, unsettled };
}

/** The work that remains after a completed scan, once the series of its project are settled. */
export const readAfterScan = (
  client: Sql,
  tables: OrgTables,
  scan: Pick<ScanEnd, 'scanId' | 'projectId'>,
): Promise<AfterScan> => client.begin((tx) => leaveOut(tx, tables, scan));

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

interface DeleteScan {
  scanId: string;
  /** Whether the end of the next scan of the project settles a series that has lost its last scan, if nobody does so before. */
  settles: boolean;
}

const deleteStatement = orgStatement<DeleteScan, { project_id: string; ended: string | null }>(
  ({ policyVersions, scans, scanCounts, series, sightings }, $) => sql`
with deleted as (
  delete from ${scans} where scan_id = ${$.scanId} and status <> 'running' returning scan_id, project_id, status, series_id
), ended as (
  update ${series} e set settled = e.settled and not ${$.settles}::boolean from deleted d where e.id = d.series_id
    and not exists (select from ${scans} s where s.series_id = e.id and s.scan_id <> d.scan_id)
  returning e.id
), counted as (
  insert into ${scanCounts} as c (project_id, status, count)
  select project_id, status, -1 from deleted ${onItsWorker({ policyVersions })}
  on conflict (project_id, status) do update set count = c.count + excluded.count
), forgotten as (
  delete from ${sightings} where scan_id = (select scan_id from deleted)
)
select project_id, (select id from ended) as ended from deleted`,
);

/** The outcome of deleting a scan. */
export type DeleteOutcome =
  /** `ended`: the series that has lost its last scan. It is then to be settled. */
  { kind: 'deleted'; projectId: string; ended: string | null } | { kind: 'running' } | { kind: 'missing' };

/** Deletes an ended scan and what it saw again, in a transaction that has locked it. */
export const deleteScanIn = (
  tx: SqlClient,
  tables: OrgTables,
  scan: DeleteScan,
): Promise<{ project_id: string; ended: string | null }[]> => deleteStatement(tables).run(tx, scan);

/** Deletes an ended scan and what it saw again. Findings that it reported first stay, and keep its id. */
export async function deleteScan(client: Sql, tables: OrgTables, scanId: string): Promise<DeleteOutcome> {
  const [[found], [deleted]] = await retried(() =>
    client.begin((tx) =>
      Promise.all([
        lockScan(tables).run(tx, { scanId }),
        deleteScanIn(tx, tables, { scanId, settles: true }),
      ]),
    ),
  );
  if (deleted) return { kind: 'deleted', projectId: deleted.project_id, ended: deleted.ended };
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

interface LockedScan {
  project_id: string;
  persona: NewScan['persona'];
  status: ScanStatus;
}

/**
 * Locks a scan. It is a statement of its own, in front of the one that counts and sent with it: the count then includes all pushes
 * that were committed before; later pushes wait, and renew the summary.
 */
const lockScan = orgStatement<{ scanId: string }, LockedScan>(
  ({ scans }, $) =>
    sql`select project_id, persona, status from ${scans} where scan_id = ${$.scanId} for no key update`,
);

/** The most sources of a stored scan. Scanners report one or a few. */
export const MAX_SCAN_SOURCES = 100;

/**
 * The summary of a scan's findings as they are now, and the sources that it looked for: theirs and the declared ones. Findings seen
 * again and first reported are disjoint. An earlier scan with the same id, which was deleted, may have reported some in another project.
 * @param declared the declared sources as text, if they replace those of the scan
 */
function summaryOf(
  { findings, scans, sightings }: OrgTables,
  scanId: Placeholder,
  declared: Placeholder | SQL = sql`null`,
): SQL {
  const bySeverity = SEVERITIES.map((severity) =>
    sql.raw(`'${severity}', coalesce(sum(n) filter (where severity = '${severity}'), 0)`),
  );
  return sql`
  select json_build_object('total', coalesce(sum(n), 0), ${sql.join(bySeverity, sql`, `)}) as summary,
    (coalesce(array_agg(distinct source), '{}'))[1:${sql.raw(String(MAX_SCAN_SOURCES))}] as sources
  from (
    select severity, coalesce(source, '') as source, count(*) as n from ${findings}
    where scan_id = ${scanId} and project_id = (select project_id from ${scans} where scan_id = ${scanId}) group by 1, 2 union all
    select f.severity, coalesce(f.source, ''), count(*) from ${sightings} s join ${findings} f on f.id = s.finding_id
    where s.scan_id = ${scanId} group by 1, 2 union all
    select null, k.source, 0 from ${scans} s
    cross join unnest(coalesce(${declared}::text[], s.declared_sources)) k(source) where s.scan_id = ${scanId}
  ) counted`;
}

/** Keeps the order of `SEVERITIES` in queries: 1 is critical, 5 is info. */
export const severityRank = (column: SQLWrapper): SQL<number> => rankIn(SEVERITIES, column);
