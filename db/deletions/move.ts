import { type SQL, sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import { retried } from '../errors.ts';
import { lockForRemoval, removeLocked } from '../findings/remove.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import type { DeletionState } from '../schema/values.ts';
import { arrayText, orgStatement, type SqlClient } from '../statements.ts';

/*
 * The findings of a deletion move to a table of their own, so that no list, count or push has to leave them out. Each batch is a
 * transaction: it stores the rows of its findings as they are and removes them as any removal does.
 */

/** Locks are held as long as one batch takes: below 200 ms. */
const FINDINGS = 250;
/**
 * The texts of the findings of a batch, beside its last finding. A finding with more, such as hundreds of large exploits, stays: a
 * statement could not copy it at once.
 */
const BYTES = 8 * 1024 * 1024;

/** The length of the texts of a finding, which PostgreSQL knows without reading them. */
const bytesOf = ({ exploits, findingEvents, findings }: OrgTables, id: SQL): SQL => sql`(
  coalesce((select octet_length(t.description) from ${findings} t where t.id = ${id}), 0)
  + coalesce((select sum(octet_length(e.note)) from ${findingEvents} e where e.finding_id = ${id}), 0)
  + coalesce((select sum(octet_length(x.code)) from ${exploits} x where x.finding_id = ${id}), 0))`;

const fitting = orgStatement<{ ids: string }, { count: number }>(
  (tables, $) => sql`
select count(*)::int as count from (
  select sum(s.bytes) over (order by s.place) - s.bytes as before from (
    select g.place, ${bytesOf(tables, sql`f.id`)} as bytes
    from unnest(${$.ids}::uuid[]) with ordinality g(id, place) left join ${tables.findings} f on f.id = g.id
  ) s
) b where before <= ${sql.raw(String(BYTES))}`,
);

type OfDeletion = { id: string };

/** A deletion that is locked. */
export interface LockedDeletion {
  state: DeletionState;
  scan_id: string | null;
  series_id: string | null;
}

interface NextBatch extends LockedDeletion {
  position: number;
  selected: number;
  ids: string[];
}

const lockNext = orgStatement<OfDeletion, NextBatch>(
  ({ deletions }, $) => sql`
select state, scan_id, series ->> 'id' as series_id, position, selected,
  array_to_json(finding_ids[position + 1:position + ${sql.raw(String(FINDINGS))}]) as ids
from ${deletions} where id = ${$.id}::uuid for update`,
);

/**
 * Findings that somebody has decided about since the selection stay, as do those that a scan has reported since then. So do those of a
 * project that is being deleted or transferred.
 */
const archive = orgStatement<OfDeletion & { ids: string; scanId: string | null }, { id: string }>(
  (tables, $) => sql`
with stored as materialized (
  select f.id, f.project_id, json_build_object('finding', row_to_json(f),
    'events', coalesce((select json_agg(row_to_json(e)) from ${tables.findingEvents} e where e.finding_id = f.id), '[]'),
    'exploits', coalesce((select json_agg(row_to_json(x)) from ${tables.exploits} x where x.finding_id = f.id), '[]'),
    'refs', coalesce((select json_agg(row_to_json(r)) from ${tables.findingRefs} r where r.finding_id = f.id), '[]'),
    'scans', coalesce((select json_agg(s.scan_id) from ${tables.scans} k join ${tables.sightings} s on s.scan_id = k.scan_id
      where k.project_id = f.project_id and s.finding_id = f.id), '[]'),
    'rules', coalesce((select json_agg(c.rule_id) from ${tables.rules} u join ${tables.ruleChanges} c on c.rule_id = u.id
      where c.finding_id = f.id), '[]')) as data
  from ${tables.findings} f join ${tables.deletions} d on d.id = ${$.id}::uuid
  join ${tables.projects} p on p.id = f.project_id and p.deleted_at is null and p.transfer is null
  where f.id = any (${$.ids}::uuid[]) and f.status_changed_at <= d.at and (f.change_id is null or f.change_id < d.id)
    and case when ${$.scanId}::text is null then f.last_seen_at <= d.at else f.last_scan_id = ${$.scanId}::text end
    and ${bytesOf(tables, sql`f.id`)} <= ${sql.raw(String(BYTES))}
), inserted as (
  insert into ${tables.deletedFindings} (deletion_id, finding_id, project_id, data, bytes)
  select ${$.id}::uuid, id, project_id, data, octet_length(data::text) from stored ${onItsWorker(tables)}
)
select id from stored`,
);

const advance = orgStatement<OfDeletion & { looked: number; moved: number }, object>(
  ({ deletions }, $) => sql`
update ${deletions} set position = position + ${$.looked}::int, findings = findings + ${$.moved}::int where id = ${$.id}::uuid`,
);

/** The outcome of a batch. `next`: there may be more; `last`: only the end is left. */
export type BatchOutcome = { kind: 'next' } | ({ kind: 'last' } & LockedDeletion) | { kind: 'over' };

/** Moves the next findings of a deletion in progress. */
export async function moveBatch(client: Sql, tables: OrgTables, id: string): Promise<BatchOutcome> {
  return await retried(() =>
    client.begin(async (tx) => {
      const [deletion] = await lockNext(tables).run(tx, { id });
      if (deletion?.state !== 'deleting') return { kind: 'over' } as const;
      if (deletion.ids.length === 0) return { kind: 'last', ...deletion } as const;
      await lockForRemoval(tx, tables, deletion.ids);
      const [fits] = await fitting(tables).run(tx, { ids: arrayText(deletion.ids) });
      const batch = deletion.ids.slice(0, fits?.count);
      const ids = arrayText(batch);
      const stored = await archive(tables).run(tx, { id, ids, scanId: deletion.scan_id });
      if (stored.length > 0)
        await removeLocked(
          tx,
          tables,
          stored.map((finding) => finding.id),
        );
      await advance(tables).run(tx, { id, looked: batch.length, moved: stored.length });
      return { kind: 'next' } as const;
    }),
  );
}

const end = orgStatement<OfDeletion & { from: DeletionState; to: DeletionState }, object>(
  ({ deletions }, $) => sql`
update ${deletions} set state = ${$.to}, finding_ids = '{}' where id = ${$.id}::uuid and state = ${$.from} returning 1`,
);

/** Ends what a deletion was doing. @returns false if it does something else by now */
export const endState = async (
  client: SqlClient,
  tables: OrgTables,
  change: { id: string; from: DeletionState; to: DeletionState },
): Promise<boolean> => (await end(tables).run(client, change)).length > 0;
