import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import { retried } from '../errors.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import type { ScanTarget } from '../schema/values.ts';
import { type DrizzleClient, listText, orgStatement, run, type SqlClient } from '../statements.ts';

/*
 * A series has the scans that can be compared with each other: those of one project, persona, ref, target and category.
 * `finding_refs` says for each finding in which series it is present.
 *
 * The state of a finding itself follows the tracked series only: those without a ref, of the default branch and of the tracked
 * refs; all of them as long as the project has no default branch.
 *
 * - `proposed`: no tracked series has ever reported it.
 * - `missing_since`: it is present in no tracked series.
 *
 * Pushes and ends of scans keep both. After a change of the tracked refs, `settle` derives them again.
 *
 * A series ends with its last scan, which a user or the retention removes: its findings are missing there, and it is removed.
 */

/** The series of a target, as parameters of a statement. */
export interface SeriesOf {
  /** The part of the target that its scans have in common, as text. */
  series: string;
  /** PostgreSQL array of the same without the category, without the ref and without both, if it has them. */
  vaguer: string;
  ref: string;
  newSeriesId: string;
}

export function seriesOf(target: ScanTarget | undefined): SeriesOf {
  const { base_ref, default_ref, ...common } = target ?? {};
  const { category, ...withoutCategory } = common;
  const { ref, ...withoutRef } = common;
  const { ref: _, ...withoutBoth } = withoutCategory;
  const series = JSON.stringify(common);
  const vaguer = [withoutCategory, withoutRef, withoutBoth].map((each) => JSON.stringify(each));
  return {
    series,
    vaguer: listText([...new Set(vaguer)].filter((text) => text !== series)),
    ref: ref ?? '',
    newSeriesId: crypto.randomUUID(),
  };
}

/** The key of a series. A migration derives it in the same way for scans of earlier versions. */
export const seriesKey = (
  projectId: SQL | Placeholder,
  persona: SQL | Placeholder,
  target: SQL | Placeholder,
): SQL => sql`md5(${projectId}::text || ' ' || ${persona} || ' ' || ${target})::uuid`;

/** A pattern of refs as a pattern of LIKE: `*` stands for any characters. */
const likePattern = sql.raw(
  String.raw`replace(replace(replace(replace(t.pattern, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%')`,
);

/** Whether the state of findings follows a ref, by a row of `projects`. */
export const isTracked = (ref: SQL | Placeholder, project: string): SQL => {
  const p = sql.raw(project);
  return sql`(${p}.default_ref is null or ${ref} = '' or ${ref} = ${p}.default_ref
    or exists (select from unnest(${p}.tracked_refs) t(pattern) where ${ref} like ${likePattern}))`;
};

type Named = Pick<SeriesOf, 'series' | 'vaguer' | 'ref'> & { projectId: string; persona: string };

/**
 * The series of the scans that named less, which a scan continues that names a ref or a category for the first time: an agent may name
 * more after an upgrade. Scans without a ref are of the default branch, which no other branch continues.
 * @param projects the projects, or a CTE with their columns
 */
export const vaguerSeries = (
  { series }: OrgTables,
  projects: SQL,
  $: { readonly [Name in keyof Named]: unknown },
): SQL => sql`
  select v.id, ${seriesKey(sql`${$.projectId}`, sql`${$.persona}`, sql`${$.series}`)} as key
  from unnest(${$.vaguer}::text[]) with ordinality t(text, place)
  join ${series} v on v.key = ${seriesKey(sql`${$.projectId}`, sql`${$.persona}`, sql`t.text`)}
  join ${projects} p on p.id = v.project_id and (v.ref = ${$.ref} or coalesce(p.default_ref, ${$.ref}) = ${$.ref})
  order by t.place limit 1`;

/** Lets a scan continue the series of scans that named less ({@link vaguerSeries}). */
export const adoptSeries = orgStatement<Named, object>(
  (tables, $) => sql`
with vaguer as materialized (${vaguerSeries(tables, sql`${tables.projects}`, $)}
)
update ${tables.series} e set key = vaguer.key, ref = ${$.ref} from vaguer
where e.id = vaguer.id and not exists (select from ${tables.series} n where n.key = vaguer.key)`,
);

const track = ({ projects, scans, series }: OrgTables, projectId: string): SQL => sql`
with changed as (
  update ${series} e set tracked = not e.tracked, settled = false from ${projects} p
  where p.id = ${projectId}::uuid and e.project_id = p.id and e.tracked <> ${isTracked(sql`e.ref`, 'p')}
  returning e.id, e.tracked
), of_scans as (
  update ${scans} s set tracked = c.tracked from changed c
  where s.project_id = ${projectId}::uuid and s.series_id = c.id
)
select id from changed`;

/**
 * Applies a change of a project's default branch or tracked refs, in the transaction of the change. Waits for pushes in progress.
 * @returns the series to settle after the transaction
 */
export async function trackSeries(
  tx: SqlClient | DrizzleClient,
  tables: OrgTables,
  projectId: string,
): Promise<string[]> {
  return (await run<{ id: string }>(tx, track(tables, projectId))).map(({ id }) => id);
}

type OfSeries = { seriesId: string };

/** The latest comparable scan of each source, and later scans, which may have reported more. */
const fill = orgStatement<OfSeries, object>((tables, $) => {
  const { findingRefs, findings, scans, sightings } = tables;
  return sql`
with latest as materialized (
  select min(created_at) as created_at from (
    select distinct on (k.source) s.created_at from ${scans} s cross join unnest(coalesce(s.sources, '{""}')) k(source)
    where s.series_id = ${$.seriesId}::uuid and s.status = 'completed' and s.error_message is null
    order by k.source, s.created_at desc
  ) l
), reporting as materialized (
  select s.scan_id, s.created_at from ${scans} s, latest where s.series_id = ${$.seriesId}::uuid
    and s.created_at >= coalesce(latest.created_at, '-infinity')
), reported as materialized (
  select f.id as finding_id, r.scan_id, r.created_at from reporting r join ${findings} f on f.scan_id = r.scan_id
  union all
  select g.finding_id, r.scan_id, r.created_at from reporting r join ${sightings} g on g.scan_id = r.scan_id
), filled as (
  insert into ${findingRefs} (finding_id, series_id, first_seen_at, last_seen_at, last_scan_id)
  select distinct on (finding_id) finding_id, ${$.seriesId}::uuid, created_at, created_at, scan_id
  from reported ${onItsWorker(tables)} order by finding_id, created_at desc
  on conflict (finding_id, series_id) do nothing
)
select 1`;
});

/** Waits for a scan that is being registered in a series without scans. The next statement then sees it. */
const lockEnded = orgStatement<OfSeries, object>(
  ({ scans, series }, $) => sql`
select 1 from ${series} e where e.id = ${$.seriesId}::uuid and ${isEnded(scans)} for update`,
);

const isEnded = (scans: OrgTables['scans']): SQL =>
  sql`not exists (select from ${scans} s where s.series_id = e.id)`;

const leave = orgStatement<OfSeries & { now: string }, object>(
  ({ findingRefs, scans, series }, $) => sql`
update ${findingRefs} r set missing_since = ${$.now}::timestamptz from ${series} e
where e.id = ${$.seriesId}::uuid and ${isEnded(scans)} and e.tracked and r.series_id = e.id and r.missing_since is null`,
);

/**
 * The findings of a series whose state is not as `finding_refs` has it. One that has regressed is not proposed. One that is present in a
 * tracked series, and neither missing nor proposed, has the right state: it is not looked at further.
 */
const derived = ({ findingRefs, findings, series }: OrgTables, id: Placeholder): SQL => sql`
  select f.id, f.project_id, f.fingerprint, case when not d.tracked then true end as proposed,
    case when d.missing_since is not null then coalesce(f.missing_since, d.missing_since) end as missing_since
  from ${findings} f cross join lateral (
    select bool_or(e.tracked) or f.regressed as tracked,
      case when bool_and(r.missing_since is not null or not e.tracked) then max(r.missing_since) filter (where e.tracked) end as missing_since
    from ${findingRefs} r join ${series} e on e.id = r.series_id where r.finding_id = f.id
  ) d
  where f.id = any (array(
      select c.id from ${findingRefs} own join ${series} s on s.id = own.series_id join ${findings} c on c.id = own.finding_id
      where own.series_id = ${id}::uuid
        and (not s.tracked or own.missing_since is not null or c.missing_since is not null or c.proposed)))
    and ((f.proposed is null) <> d.tracked
      or f.missing_since is distinct from case when d.missing_since is not null then coalesce(f.missing_since, d.missing_since) end)`;

const lockDerived = orgStatement<OfSeries, object>(
  (tables, $) => sql`
select 1 from ${tables.findings} l where l.id = any (array(select id from (${derived(tables, $.seriesId)}) d))
order by l.project_id, l.fingerprint for no key update`,
);

/** `before` also locks what only this statement finds, so that two settlements do not count a finding twice. */
const derive = orgStatement<OfSeries & { now: string }, object>(
  (tables, $) => sql`
with derived as materialized (${derived(tables, $.seriesId)}
), before as materialized (
  select id, project_id, severity, status, proposed from ${tables.findings} where id = any (array(select id from derived))
  order by project_id, fingerprint for no key update
), settled as materialized (
  select b.id, b.project_id, b.severity, b.status, d.proposed, d.missing_since, b.proposed as was_proposed
  from derived d join before b on b.id = d.id
), changed as (
  update ${tables.findings} f set proposed = d.proposed, missing_since = d.missing_since from settled d where f.id = d.id
), counted as (
  insert into ${tables.findingCounts} as c (project_id, severity, status, count, proposed)
  select project_id, severity, status, 0, count(proposed) - count(was_proposed) from settled ${onItsWorker(tables)}
  group by project_id, severity, status having count(proposed) <> count(was_proposed)
  order by project_id, severity, status
  on conflict (project_id, severity, status) do update set proposed = c.proposed + excluded.proposed
), merged as materialized (
  select id as finding_id, gen_random_uuid() as id, ${$.now}::timestamptz as at from settled where was_proposed and proposed is null
), noted as (
  insert into ${tables.findingEvents} (finding_id, at, id, kind, note)
  select m.finding_id, m.at, m.id, 'merged', 'A ref that has reported it is now the default branch or a tracked ref.'
  from merged m ${onItsWorker(tables)}
)
update ${tables.series} e set settled = exists (select from ${tables.scans} s where s.series_id = e.id) where e.id = ${$.seriesId}::uuid`,
);

/**
 * Derives the state of the findings of a series, in a transaction of its own. Done again, it changes nothing. No statement is cut off:
 * one that takes longer than the others may would never be done.
 */
export async function settle(client: Sql, tables: OrgTables, id: string, now: Date): Promise<void> {
  const params = { seriesId: id, now: now.toISOString() };
  await retried(() =>
    client.begin((tx) =>
      Promise.all([
        run(tx, sql`set local statement_timeout = 0`),
        lockEnded(tables).run(tx, params),
        fill(tables).run(tx, params),
        leave(tables).run(tx, params),
        lockDerived(tables).run(tx, params),
        derive(tables).run(tx, params),
      ]),
    ),
  );
}

const remove = orgStatement<OfSeries, object>(
  ({ findingRefs, scans, series }, $) => sql`
with ended as materialized (
  select e.id from ${series} e where e.id = ${$.seriesId}::uuid and ${isEnded(scans)}
), forgotten as (
  delete from ${findingRefs} where series_id = (select id from ended)
)
delete from ${series} where id = (select id from ended)`,
);

/** Removes a series without scans and where its findings were present; any other series stays. */
export async function removeEnded(client: Sql, tables: OrgTables, id: string): Promise<void> {
  const params = { seriesId: id };
  await client.begin((tx) =>
    Promise.all([lockEnded(tables).run(tx, params), remove(tables).run(tx, params)]),
  );
}

const ended = orgStatement<object, { id: string }>(
  ({ projects, scans, series }) => sql`
select e.id from ${series} e join ${projects} p on p.id = e.project_id and p.deleted_at is null and p.transfer is null
where ${isEnded(scans)} order by e.id`,
);

/** The series of an organization that have lost their last scan. */
export async function endedSeries(client: SqlClient, tables: OrgTables): Promise<string[]> {
  return (await ended(tables).run(client, {})).map(({ id }) => id);
}

const unsettled = orgStatement<{ scanId: string }, { id: string }>(
  ({ scans, series }, $) => sql`
select id from ${series} where not settled
  and project_id = (select project_id from ${scans} where scan_id = ${$.scanId})
order by id`,
);

/** The series of a scan's project that are still to be settled. */
export async function unsettledSeries(
  client: SqlClient,
  tables: OrgTables,
  scanId: string,
): Promise<string[]> {
  return (await unsettled(tables).run(client, { scanId })).map(({ id }) => id);
}
