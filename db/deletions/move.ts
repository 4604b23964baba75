import { sql } from 'drizzle-orm';
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
 * Findings that somebody has decided about since the selection stay, as do those that another scan has reported since then if they are
 * deleted with their scan. So do those of a project that is being deleted or transferred.
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
    and (${$.scanId}::text is null or f.last_scan_id = ${$.scanId}::text)
), inserted as (
  insert into ${tables.deletedFindings} (deletion_id, finding_id, project_id, data)
  select ${$.id}::uuid, id, project_id, data from stored ${onItsWorker(tables)}
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
      const ids = arrayText(deletion.ids);
      const stored = await archive(tables).run(tx, { id, ids, scanId: deletion.scan_id });
      if (stored.length > 0)
        await removeLocked(
          tx,
          tables,
          stored.map((finding) => finding.id),
        );
      await advance(tables).run(tx, { id, looked: deletion.ids.length, moved: stored.length });
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
