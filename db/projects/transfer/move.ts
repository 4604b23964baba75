import { sql } from 'drizzle-orm';
import type { Sql } from '../../pool/query.ts';
import { finishScanIn } from '../../scans/scans.ts';
import { listText, orgStatement, run } from '../../statements.ts';
import { moveActors } from './actors.ts';
import { type MoveOptions, moveFindings } from './findings.ts';
import { insertRows, type Route, type RowText, toJson } from './rows.ts';
import { moveScans } from './scans.ts';
import { endTransfer, type Transfer, TransferOver } from './transfers.ts';

/*
 * One transaction moves a project: it copies rows in batches, deletes what it has copied and deletes the note of the transfer last. So
 * every reader sees the whole project in one organization, and a process may die between any two statements. Each batch is read and
 * deleted under its locks: a write that was in progress when the project was marked is either copied or finds nothing.
 *
 * Counts of other projects are not touched, so pushes to them do not wait.
 */

type OfProject = { projectId: string };

/** Locks the project: a second process waits here until the first one has moved it or given up. */
const readProject = orgStatement<OfProject, RowText>(
  ({ projects }, $) =>
    sql`select row_to_json(p)::text as row from ${projects} p where id = ${$.projectId}::uuid and transfer = 'out'
      for no key update`,
);

/**
 * Shows the project in the target. Late, because a transaction that takes its slug for another project waits for a change of its row.
 * After a change of the slug, the slug in the source is the former one, unless it leads to another project of the target.
 */
const arrive = orgStatement<
  OfProject & Omit<ProjectRow, 'tracked_refs'> & { tracked_refs: string | null },
  object
>(
  ({ projects }, $) => sql`
update ${projects} p set name = ${$.name}, created_at = ${$.created_at}::timestamptz,
  close_after_scans = ${$.close_after_scans}::int, source_url = ${$.source_url},
  default_ref = ${$.default_ref}, tracked_refs = ${$.tracked_refs}::text[], transfer = null, former_slug = (
    select f.slug from (
      select case when p.slug = ${$.slug} then ${$.former_slug}::text else ${$.slug} end as slug
    ) f where not exists (select from ${projects} o where o.former_slug = f.slug and o.id <> p.id)
  )
where p.id = ${$.projectId}::uuid and p.transfer = 'in' returning 1`,
);

/** The columns that a project keeps, as PostgreSQL writes them in JSON. */
interface ProjectRow {
  name: string;
  slug: string;
  created_at: string;
  close_after_scans: number | null;
  source_url: string | null;
  default_ref: string | null;
  tracked_refs: string[] | null;
  former_slug: string | null;
}

const takeDueDates = orgStatement<OfProject, RowText>(
  ({ dueDates }, $) => sql`
with gone as (delete from ${dueDates} where project_id = ${$.projectId}::uuid returning *)
select row_to_json(gone)::text as row from gone`,
);

/** Pushes follow the due dates from now on. */
const insertDueDates = orgStatement<{ rows: string }, object>((tables, $) =>
  insertRows(tables, tables.dueDates, $.rows, { conflict: sql`on conflict (project_id) do nothing` }),
);

const increaseVersion = orgStatement<object, object>(
  ({ policyVersions }) => sql`insert into ${policyVersions} as v (id, version) values (1, 1)
on conflict (id) do update set version = v.version + 1`,
);

/** The target has members of its own. */
const removeMembers = orgStatement<OfProject, object>(
  ({ projectMembers }, $) => sql`delete from ${projectMembers} where project_id = ${$.projectId}::uuid`,
);

const removeCounts = orgStatement<OfProject, object>(
  ({ findingCounts, scanCounts }, $) => sql`
with of_scans as (delete from ${scanCounts} where project_id = ${$.projectId}::uuid)
delete from ${findingCounts} where project_id = ${$.projectId}::uuid`,
);

const countFindings = orgStatement<OfProject, object>(
  ({ findings, findingCounts }, $) => sql`
insert into ${findingCounts} (project_id, severity, status, count, regressed, proposed)
select project_id, severity, status, count(*), count(*) filter (where regressed), count(*) filter (where proposed) from ${findings}
where project_id = ${$.projectId}::uuid group by project_id, severity, status`,
);

const countScans = orgStatement<OfProject, object>(
  ({ scans, scanCounts }, $) => sql`
insert into ${scanCounts} (project_id, status, count)
select project_id, status, count(*) from ${scans} where project_id = ${$.projectId}::uuid group by project_id, status`,
);

/** Deletions stay in the source, where they cannot be undone without the project. */
const removeDeletions = orgStatement<OfProject, object>(
  ({ deletedFindings, deletions }, $) => sql`
with of_findings as (delete from ${deletedFindings} where project_id = ${$.projectId}::uuid)
delete from ${deletions} where project_id = ${$.projectId}::uuid`,
);

const runningScans = orgStatement<OfProject, { scan_id: string }>(
  ({ scans }, $) =>
    sql`select scan_id from ${scans} where project_id = ${$.projectId}::uuid and status = 'running' order by scan_id`,
);

/** A push that added a finding after its batch was read would be left behind. */
const removeProject = orgStatement<OfProject, object>(
  ({ findings, projects, scans }, $) => sql`
delete from ${projects} where id = ${$.projectId}::uuid and transfer = 'out'
  and not exists (select from ${findings} where project_id = ${$.projectId}::uuid)
  and not exists (select from ${scans} where project_id = ${$.projectId}::uuid)
returning 1`,
);

const RUNNING = 'The project was transferred to another organization while the scan was running.';

/**
 * Moves a project with everything it has.
 * @returns how many findings were moved, and how many tokens were revoked
 * @throws TransferOver if the transfer was cancelled or is complete
 */
export async function moveProject(
  client: Sql,
  transfer: Transfer,
  { source, target }: Route,
  options: MoveOptions,
): Promise<{ findings: number; tokens: number }> {
  const { projectId } = transfer;
  const { now } = options;
  return await client.begin(async (tx) => {
    // The connection may have no limit of its own.
    await run(tx, sql`set local lock_timeout = '30s'`);
    const [project] = await readProject(source).run(tx, { projectId });
    if (!project) throw new TransferOver();

    const dueDates = await takeDueDates(source).run(tx, { projectId });
    if (dueDates.length > 0) await insertDueDates(target).run(tx, { rows: toJson(dueDates) });
    await moveScans(tx, { source, target }, projectId, () => options.onCopied(0));
    const { copied, actors } = await moveFindings(tx, transfer, { source, target }, options);
    const tokens = await moveActors(tx, { source, target }, { projectId, actors, now });

    await countFindings(target).run(tx, { projectId });
    await countScans(target).run(tx, { projectId });
    for (const { scan_id: scanId } of await runningScans(target).run(tx, { projectId })) {
      const end = { scanId, projectId, now, status: 'failed' as const, errorMessage: RUNNING };
      await finishScanIn(tx, target, end);
    }
    await removeDeletions(source).run(tx, { projectId });
    await removeMembers(source).run(tx, { projectId });
    await removeCounts(source).run(tx, { projectId });
    const removed = await removeProject(source).run(tx, { projectId });
    if (removed.length === 0) throw new Error('the project has changed while it was moved');
    // Late, because changes of policies wait for it.
    if (dueDates.length > 0) await increaseVersion(target).run(tx, {});
    const row: ProjectRow = JSON.parse(project.row);
    const tracked_refs = row.tracked_refs && listText(row.tracked_refs);
    const arrived = await arrive(target).run(tx, { ...row, tracked_refs, projectId });
    if (arrived.length === 0 || !(await endTransfer(tx, transfer))) throw new TransferOver();
    return { findings: copied, tokens };
  });
}
