import { getTableColumns, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { onItsWorker } from '../citus.ts';
import { retried } from '../errors.ts';
import { noteAcceptedRisks } from '../findings/triage/accepted-risks.ts';
import type { Sql } from '../pool/query.ts';
import { isTracked } from '../scans/series.ts';
import type { OrgTables } from '../schema/org.ts';
import { SEVERITIES } from '../schema/values.ts';
import { orgStatement } from '../statements.ts';
import { noteJob } from './jobs.ts';
import { type DeletionReader, isSeen, type Reading, readingOf } from './list.ts';
import type { BatchOutcome, LockedDeletion } from './move.ts';

/*
 * Undoing a deletion restores its scan first and then its findings in batches, as they were. A finding whose fingerprint was pushed
 * again meanwhile is left out: the new finding stays as it is.
 */

const FINDINGS = 250;
/** The data of a batch, beside its last finding. */
const BYTES = 16 * 1024 * 1024;

type OfDeletion = { id: string };

const columnsOf = (table: PgTable) => Object.values(getTableColumns(table));

/** The names of all columns of a table. */
const names = (table: PgTable) =>
  sql.raw(
    columnsOf(table)
      .map(({ name }) => `"${name}"`)
      .join(', '),
  );

/** The columns that a JSON object is read as. A column that a later version has added is null. */
const types = (table: PgTable) =>
  sql.raw(
    columnsOf(table)
      .map((column) => `"${column.name}" ${column.getSQLType()}`)
      .join(', '),
  );

const begin = orgStatement<OfDeletion & Reading, { scan_id: string | null }>(
  ({ deletions }, $) => sql`
update ${deletions} set state = 'restoring' where id = ${$.id}::uuid and ${isSeen($)}
  and state in ('deleting', 'deleted') returning scan_id`,
);

/** The service takes no writes to a project that is being deleted or transferred, and such a project waits for this transaction. */
const lockProject = orgStatement<OfDeletion, { transfer: string | null }>(
  ({ deletions, projects }, $) => sql`
select transfer from ${projects} where id = (select project_id from ${deletions} where id = ${$.id}::uuid)
  and deleted_at is null for share`,
);

/** A series that has ended begins again, unless a later scan has begun it. */
const restoreSeries = orgStatement<OfDeletion, { id: string }>(
  (tables, $) => sql`
with own as materialized (
  select e.* from ${tables.deletions} d cross join lateral json_to_record(d.series) as e(${types(tables.series)})
  where d.id = ${$.id}::uuid and d.series is not null
)
insert into ${tables.series} as k (id, key, project_id, ref, tracked, settled)
select e.id, e.key, e.project_id, e.ref, ${isTracked(sql`e.ref`, 'p')}, false
from own e join ${tables.projects} p on p.id = e.project_id ${onItsWorker(tables)}
where not exists (select from ${tables.series} o where o.id = e.id)
on conflict (key) do update set settled = k.settled returning k.id`,
);

/** The scan id may be in use again: agents choose it. The series may have another id, or another key if a later scan named more. */
const restoreScan = orgStatement<OfDeletion, object>(
  (tables, $) => sql`
with own as materialized (
  select s.*, d.seen, e.id as new_series, e.tracked as new_tracked from ${tables.deletions} d
  cross join lateral json_to_record(d.scan) as s(${types(tables.scans)})
  left join lateral (
    select e.id, e.tracked from ${tables.series} e
    where e.id = s.series_id or e.key = (d.series ->> 'key')::uuid order by e.id = s.series_id desc limit 1
  ) e on true
  where d.id = ${$.id}::uuid
), inserted as (
  insert into ${tables.scans} (${names(tables.scans)})
  select ${scanValues(tables)}
  from own s ${onItsWorker(tables)} on conflict (scan_id) do nothing returning scan_id, project_id, status
), counted as (
  insert into ${tables.scanCounts} as c (project_id, status, count)
  select project_id, status, 1 from inserted ${onItsWorker(tables)}
  on conflict (project_id, status) do update set count = c.count + excluded.count
), seen_again as (
  insert into ${tables.sightings} (scan_id, finding_id)
  select i.scan_id, f.id from inserted i join own s on s.scan_id = i.scan_id
  cross join lateral unnest(s.seen) g(id) join ${tables.findings} f on f.id = g.id ${onItsWorker(tables)}
  on conflict do nothing
)
select 1 from inserted`,
);

const scanValues = ({ scans }: OrgTables) =>
  sql.join(
    columnsOf(scans).map(({ name }) => {
      if (name === 'series_id') return sql`s.new_series`;
      if (name === 'tracked') return sql`coalesce(s.new_tracked, s.tracked)`;
      return sql.raw(`s."${name}"`);
    }),
    sql`, `,
  );

/**
 * Starts to undo a deletion, and restores its scan.
 * @returns false if there is none, or it is undone already
 */
export async function startUndo(
  client: Sql,
  tables: OrgTables,
  { id, orgId }: { id: string; orgId: string },
  reader: DeletionReader,
): Promise<boolean> {
  return await retried(() =>
    client.begin(async (tx) => {
      const [deletion] = await begin(tables).run(tx, { id, ...readingOf(reader) });
      if (!deletion) return false;
      await noteJob(tx, { orgId, deletionId: id });
      if (deletion.scan_id === null) return true;
      const [project] = await lockProject(tables).run(tx, { id });
      if (!project) return true;
      if (project.transfer !== null) throw new BeingTransferred();
      await restoreSeries(tables).run(tx, { id });
      await restoreScan(tables).run(tx, { id });
      return true;
    }),
  );
}

const page = ({ deletedFindings }: OrgTables, $: { id: unknown }, columns: string) => sql`
  select ${sql.raw(columns)} from (
    select *, sum(bytes) over (order by finding_id) - bytes as before from (
      select * from ${deletedFindings} where deletion_id = ${$.id}::uuid order by finding_id limit ${sql.raw(String(FINDINGS))}
    ) d
  ) b where before <= ${sql.raw(String(BYTES))}`;

const lockDeletion = orgStatement<OfDeletion, LockedDeletion>(
  ({ deletions }, $) => sql`
select state, scan_id, series ->> 'id' as series_id from ${deletions} where id = ${$.id}::uuid for update`,
);

const lockProjects = orgStatement<OfDeletion, { transfer: string | null }>(
  (tables, $) => sql`
select transfer from ${tables.projects} where id = any (array(select project_id from (${page(tables, $, 'finding_id, project_id')}) d))
order by id for share`,
);

/** A scan that ends now would not count the findings, and the batch would not correct its summary. */
const lockRunningScans = orgStatement<OfDeletion, object>(
  (tables, $) => sql`
select 1 from ${tables.scans} where status = 'running'
  and project_id = any (array(select project_id from (${page(tables, $, 'finding_id, project_id')}) d))
order by scan_id for share`,
);

/** A project of the findings is being transferred: the undo waits. */
export class BeingTransferred extends Error {
  constructor() {
    super('a project of the deleted findings is being transferred');
  }
}

interface RestoredBatch {
  looked: number;
  risks: { id: string; accepted_until: string }[] | null;
}

const bySeverity = SEVERITIES.map((severity) =>
  sql.raw(`count(*) filter (where severity = '${severity}') as ${severity}`),
);

const increased = SEVERITIES.map((severity) =>
  sql.raw(`'${severity}', (k.summary ->> '${severity}')::int + r.${severity}`),
);

/**
 * The summary of the restored scan is made anew at the end, so the batches leave it alone. Rows of series, scans and rules that do not
 * exist any more are left out.
 */
const restoreStatement = orgStatement<OfDeletion, RestoredBatch>(
  (tables, $) => sql`
with page as materialized (${page(tables, $, 'finding_id, project_id, data')}
), own as materialized (
  select d.scan_id, (d.series ->> 'id')::uuid as series_id, (d.series ->> 'key')::uuid as series_key
  from ${tables.deletions} d where d.id = ${$.id}::uuid
), given as materialized (
  select f.* from page cross join lateral json_to_record(page.data -> 'finding') as f(${types(tables.findings)})
  join ${tables.projects} p on p.id = f.project_id and p.deleted_at is null
), inserted as (
  insert into ${tables.findings} (${names(tables.findings)})
  select ${names(tables.findings)} from given ${onItsWorker(tables)}
  order by project_id, fingerprint on conflict do nothing
  returning id, project_id, severity, status, regressed, proposed, scan_id, accepted_until
), restored as materialized (
  select page.data, i.* from inserted i join page on page.finding_id = i.id
), events as (
  insert into ${tables.findingEvents} (${names(tables.findingEvents)})
  select ${names(tables.findingEvents)} from (
    select e.* from restored r cross join lateral json_to_recordset(r.data -> 'events') as e(${types(tables.findingEvents)})
  ) e ${onItsWorker(tables)}
), exploits as (
  insert into ${tables.exploits} (${names(tables.exploits)})
  select ${names(tables.exploits)} from (
    select x.* from restored r cross join lateral json_to_recordset(r.data -> 'exploits') as x(${types(tables.exploits)})
  ) x ${onItsWorker(tables)}
), refs as (
  insert into ${tables.findingRefs} (finding_id, series_id, first_seen_at, last_seen_at, last_scan_id, missing_since)
  select r.finding_id, e.id, r.first_seen_at, r.last_seen_at, r.last_scan_id, r.missing_since from (
    select f.* from restored cross join lateral json_to_recordset(restored.data -> 'refs') as f(${types(tables.findingRefs)})
  ) r cross join own cross join lateral (
    select e.id from ${tables.series} e where e.id = r.series_id or (r.series_id = own.series_id and e.key = own.series_key)
    order by e.id = r.series_id desc limit 1
  ) e ${onItsWorker(tables)} on conflict do nothing
), decisions as (
  insert into ${tables.ruleChanges} (rule_id, finding_id)
  select u.id, r.id from restored r cross join lateral json_array_elements_text(r.data -> 'rules') c(id)
  join ${tables.rules} u on u.id = c.id::uuid and u.deleted_at is null ${onItsWorker(tables)}
), seen as materialized (
  select k.scan_id, r.id, r.severity from restored r cross join lateral json_array_elements_text(r.data -> 'scans') s(id)
  join ${tables.scans} k on k.scan_id = s.id and k.project_id = r.project_id
), sighted as (
  insert into ${tables.sightings} (scan_id, finding_id) select scan_id, id from seen ${onItsWorker(tables)}
), reported as materialized (
  select scan_id, count(*) as total, ${sql.join(bySeverity, sql`, `)} from (
    select scan_id, severity from restored union all select scan_id, severity from seen
  ) r group by scan_id
), ended as materialized (
  select scan_id, summary from ${tables.scans}
  where scan_id = any (array(select scan_id from reported)) and status <> 'running' and summary is not null
    and scan_id is distinct from (select scan_id from own)
  order by scan_id for no key update
), summed as materialized (
  select k.scan_id, json_build_object('total', (k.summary ->> 'total')::int + r.total, ${sql.join(increased, sql`, `)}) as summary
  from ended k join reported r on r.scan_id = k.scan_id
), corrected as (
  update ${tables.scans} k set summary = s.summary from summed s where k.scan_id = s.scan_id
), counted as (
  insert into ${tables.findingCounts} as c (project_id, severity, status, count, regressed, proposed)
  select project_id, severity, status, count(*), sum(regressed::int), count(*) filter (where proposed) from restored ${onItsWorker(tables)}
  group by project_id, severity, status order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count,
    regressed = c.regressed + excluded.regressed, proposed = c.proposed + excluded.proposed
), gone as (
  delete from ${tables.deletedFindings} where deletion_id = ${$.id}::uuid and finding_id = any (array(select finding_id from page))
), noted as (
  update ${tables.deletions} set restored = restored + (select count(*) from restored) where id = ${$.id}::uuid
)
select (select count(*) from page)::int as looked,
  (select json_agg(json_build_object('id', id, 'accepted_until', accepted_until)) from restored where accepted_until is not null) as risks`,
);

/** Restores the next findings of a deletion that is being undone. */
export async function restoreBatch(
  client: Sql,
  org: { id: string; tables: OrgTables },
  id: string,
  now: Date,
): Promise<BatchOutcome> {
  const { tables } = org;
  return await retried(() =>
    client.begin(async (tx) => {
      const [deletion] = await lockDeletion(tables).run(tx, { id });
      if (deletion?.state !== 'restoring') return { kind: 'over' } as const;
      const projects = await lockProjects(tables).run(tx, { id });
      // Its findings are restored if the transfer is cancelled, and removed at its end.
      if (projects.some(({ transfer }) => transfer !== null)) throw new BeingTransferred();
      const [, [batch]] = await Promise.all([
        lockRunningScans(tables).run(tx, { id }),
        restoreStatement(tables).run(tx, { id }),
      ]);
      if (!batch || batch.looked === 0) return { kind: 'last', ...deletion } as const;
      if (batch.risks) await noteAcceptedRisks(tx, org, batch.risks, now);
      return { kind: 'next' } as const;
    }),
  );
}
