import { sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import { purgeProjectBatch } from '../deletions/purge.ts';
import { isForeignKeyViolation, retried } from '../errors.ts';
import { removeFindings } from '../findings/remove.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement } from '../statements.ts';

/* Each batch is a transaction of its own, and keeps the counts right. Together with the last scan, pushes to the project end. */

/** Locks are held as long as one batch takes: below 100 ms. */
const FINDINGS = 250;
const SIGHTINGS = 2_000;
const SCANS = 100;

type OfProject = { projectId: string };

const oldestScans = sql.raw(`order by created_at, scan_id limit ${SCANS}`);

const lockScans = orgStatement<OfProject, object>(
  ({ scans }, $) =>
    sql`select 1 from ${scans} where project_id = ${$.projectId}::uuid ${oldestScans} for update`,
);

/** Scans go after their sightings, which are found by scan only. */
const removeScans = orgStatement<OfProject, { removed: number }>(
  ({ policyVersions, scans, scanCounts, sightings }, $) => sql`
with oldest as materialized (
  select scan_id from ${scans} where project_id = ${$.projectId}::uuid ${oldestScans}
), seen as materialized (
  select scan_id, finding_id from ${sightings} where scan_id = any (array(select scan_id from oldest))
  limit ${sql.raw(String(SIGHTINGS))}
), forgotten as (
  delete from ${sightings} s using seen where s.scan_id = seen.scan_id and s.finding_id = seen.finding_id
), removed as (
  delete from ${scans} where scan_id = any (array(select scan_id from oldest))
    and (select count(*) from seen) < ${sql.raw(String(SIGHTINGS))} returning project_id, status
), counted as (
  insert into ${scanCounts} as c (project_id, status, count)
  select project_id, status, -count(*) from removed ${onItsWorker({ policyVersions })} group by project_id, status order by project_id, status
  on conflict (project_id, status) do update set count = c.count + excluded.count
)
select ((select count(*) from seen) + (select count(*) from removed))::int as removed`,
);

const nextFindings = orgStatement<OfProject, { id: string }>(
  ({ findings }, $) => sql`
select id from ${findings} where project_id = ${$.projectId}::uuid
order by project_id, fingerprint limit ${sql.raw(String(FINDINGS))}`,
);

const removeProject = orgStatement<OfProject, object>((tables, $) => {
  const { apiTokens, deletedFindings, dueDates, findingCounts, findings } = tables;
  const { projectMembers, projects, scanCounts, series } = tables;
  return sql`
with gone as materialized (
  select id from ${projects} where id = ${$.projectId}::uuid and deleted_at is not null
    and not exists (select from ${findings} where project_id = ${$.projectId}::uuid)
    and not exists (select from ${deletedFindings} where project_id = ${$.projectId}::uuid)
), tokens as (
  delete from ${apiTokens} where project_id = (select id from gone)
), members as (
  delete from ${projectMembers} where project_id = (select id from gone)
), due as (
  delete from ${dueDates} where project_id = (select id from gone)
), all_series as (
  delete from ${series} where project_id = (select id from gone)
), finding_totals as (
  delete from ${findingCounts} where project_id = (select id from gone)
), scan_totals as (
  delete from ${scanCounts} where project_id = (select id from gone)
)
delete from ${projects} where id = (select id from gone)`;
});

const findProject = orgStatement<OfProject, object>(
  ({ projects }, $) => sql`select 1 from ${projects} where id = ${$.projectId}::uuid`,
);

/**
 * Removes a batch of what a deleted project has.
 * @returns whether there may be more
 */
export async function purgeBatch(client: Sql, tables: OrgTables, projectId: string): Promise<boolean> {
  const project = { projectId };
  const [, [scans]] = await retried(() =>
    client.begin((tx) =>
      Promise.all([lockScans(tables).run(tx, project), removeScans(tables).run(tx, project)]),
    ),
  );
  if (scans && scans.removed > 0) return true;
  const ids = await nextFindings(tables).run(client, project);
  if (ids.length > 0) {
    await removeFindings(
      client,
      tables,
      ids.map(({ id }) => id),
    );
    return true;
  }
  if (await purgeProjectBatch(client, tables, projectId)) return true;
  try {
    await removeProject(tables).run(client, project);
  } catch (error) {
    // A scan that was registered, or a token that was created, while the project was marked.
    if (!isForeignKeyViolation(error)) throw error;
  }
  return (await findProject(tables).run(client, project)).length > 0;
}
