import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import { limitSearch, type SearchLimits } from '../findings/lists/search.ts';
import type { Sql, TransactionSql } from '../pool/query.ts';
import { deleteScanIn } from '../scans/scans.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement, run } from '../statements.ts';
import { noteJob } from './jobs.ts';

/*
 * The request selects the findings, so that those which are pushed later stay, and the number that the user has confirmed is the
 * number that is deleted.
 */

/** A deletion to start. */
export interface NewDeletion {
  id: string;
  orgId: string;
  actorId: string;
  now: Date;
  /** How many findings the user expects; undefined: any number. */
  expected: number | undefined;
}

/** Thrown to roll the transaction back. */
export class OtherNumber extends Error {
  readonly selected: number;
  constructor(selected: number) {
    super(`${selected} findings are selected`);
    this.selected = selected;
  }
}

/** Starts the deletion of the findings that match. @returns how many they are. @throws OtherNumber */
export async function startDeletion(
  client: Sql,
  tables: OrgTables,
  where: SQL | undefined,
  deletion: NewDeletion,
  limits: SearchLimits,
): Promise<number> {
  const { id, actorId, now } = deletion;
  const { deletions, findings: f } = tables;
  const insert = sql`
with found as materialized (select ${f.id} as id, ${f.projectId} as project_id from ${f} ${where && sql`where ${where}`}
), summed as materialized (
  select coalesce(array_agg(id order by id desc), '{}') as ids, count(*)::int as n,
    array(select distinct project_id from found) as projects from found
), inserted as (
  insert into ${deletions} (id, at, actor_id, state, finding_ids, project_ids, selected)
  select ${id}::uuid, ${now.toISOString()}::timestamptz, ${actorId}::uuid, 'deleting', s.ids, s.projects, s.n
  from summed s ${onItsWorker(tables)} returning selected
)
select selected from inserted`;
  return await client.begin(async (tx) => {
    await limitSearch(tx, limits);
    const [row] = await run<{ selected: number }>(tx, insert);
    return await accept(tx, deletion, row?.selected ?? 0);
  });
}

async function accept(
  tx: TransactionSql,
  { id, orgId, expected }: NewDeletion,
  selected: number,
): Promise<number> {
  if (expected !== undefined && expected !== selected) throw new OtherNumber(selected);
  await noteJob(tx, { orgId, deletionId: id });
  return selected;
}

/**
 * Whether no other scan has reported a finding `f`. One that a scan of the project saw again stays, also if that scan was deleted
 * and reported it last.
 */
const onlyReportedBy = ({ scans, sightings }: OrgTables, scanId: Placeholder): SQL => sql`
  f.scan_id = ${scanId} and f.last_scan_id = ${scanId} and (f.seen_count = 1 or not exists (
    select from ${scans} k join ${sightings} s on s.scan_id = k.scan_id and s.finding_id = f.id
    where k.project_id = f.project_id))`;

/** The findings that would be deleted with a scan. */
export interface ScanDeletionPreview {
  /** How many only this scan reported. */
  findings: number;
  /** How many of them are not open any more. */
  triaged: number;
}

export const previewScanDeletion = orgStatement<{ scanId: string }, ScanDeletionPreview>(
  (tables, $) => sql`
select count(*)::int as findings, (count(*) filter (where status <> 'open'))::int as triaged
from ${tables.findings} f where ${onlyReportedBy(tables, $.scanId)}`,
);

interface InsertScan {
  id: string;
  now: string;
  actorId: string;
  scanId: string;
  withFindings: boolean;
}

const insertScanDeletion = orgStatement<InsertScan, { selected: number }>(
  (tables, $) => sql`
with found as materialized (
  select id from ${tables.findings} f where ${$.withFindings}::boolean and ${onlyReportedBy(tables, $.scanId)}
), summed as materialized (
  select coalesce(array_agg(id order by id desc), '{}') as ids, count(*)::int as n from found
), own as materialized (
  select s.scan_id, s.project_id, row_to_json(s) as scan,
    (select row_to_json(e) from ${tables.series} e where e.id = s.series_id) as series,
    array(select g.finding_id from ${tables.sightings} g where g.scan_id = s.scan_id) as seen
  from ${tables.scans} s where s.scan_id = ${$.scanId}
), inserted as (
  insert into ${tables.deletions} (id, at, actor_id, state, finding_ids, project_ids, selected, scan_id, project_id, scan, series, seen)
  select ${$.id}::uuid, ${$.now}::timestamptz, ${$.actorId}::uuid, 'deleting', f.ids, array[o.project_id], f.n, o.scan_id, o.project_id, o.scan, o.series, o.seen
  from own o cross join summed f ${onItsWorker(tables)} returning selected
)
select selected from inserted`,
);

const lockScan = orgStatement<{ scanId: string }, { status: string; project_id: string }>(
  ({ scans }, $) => sql`select status, project_id from ${scans} where scan_id = ${$.scanId} for update`,
);

/**
 * Deletes an ended scan, and starts the deletion of the findings that only this scan reported.
 * @returns undefined if there is no such scan
 * @throws OtherNumber
 */
export async function startScanDeletion(
  client: Sql,
  tables: OrgTables,
  { scanId, withFindings }: { scanId: string; withFindings: boolean },
  deletion: NewDeletion,
  limits: SearchLimits,
): Promise<{ projectId: string; selected: number } | 'running' | undefined> {
  const { id, actorId, now } = deletion;
  return await client.begin(async (tx) => {
    await limitSearch(tx, limits);
    const [scan] = await lockScan(tables).run(tx, { scanId });
    if (!scan) return undefined;
    if (scan.status === 'running') return 'running';
    const row = { id, now: now.toISOString(), actorId, scanId, withFindings };
    const [inserted] = await insertScanDeletion(tables).run(tx, row);
    const selected = await accept(tx, deletion, inserted?.selected ?? 0);
    // Its series is settled after its findings are deleted: otherwise they would be closed first.
    await deleteScanIn(tx, tables, { scanId, settles: false });
    return { projectId: scan.project_id, selected };
  });
}
