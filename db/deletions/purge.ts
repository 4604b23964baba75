import { sql } from 'drizzle-orm';
import type { Tx } from '../client.ts';
import { retried } from '../errors.ts';
import { lowestIdAt } from '../ids.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement, run, type SqlClient } from '../statements.ts';
import { noteJob } from './jobs.ts';

const FINDINGS = 500;

type OfDeletion = { id: string };

const expire = orgStatement<{ before: string }, { id: string }>(
  ({ deletions }, $) => sql`
update ${deletions} set state = 'purging' where id < ${$.before}::uuid and state <> 'purging' returning id`,
);

/** Purges the deletions of an organization that were made before a time, which their ids carry. */
export async function expireDeletions(
  client: Sql,
  tables: OrgTables,
  orgId: string,
  before: Date,
): Promise<void> {
  await client.begin(async (tx) => {
    const expired = await expire(tables).run(tx, { before: lowestIdAt(before.getTime()) });
    for (const { id: deletionId } of expired) await noteJob(tx, { orgId, deletionId });
  });
}

/**
 * Ends the possibility to undo a deletion.
 * @returns how many findings it has deleted; undefined if there is none, or it is in progress
 */
export async function markPurged(
  tx: Tx,
  { deletions }: OrgTables,
  { id, orgId }: { id: string; orgId: string },
): Promise<number | undefined> {
  const [marked] = await run<{ findings: number }>(
    tx,
    sql`update ${deletions} set state = 'purging' where id = ${id}::uuid and state in ('deleted', 'restored') returning findings`,
  );
  if (marked) await noteJob(tx, { orgId, deletionId: id });
  return marked?.findings;
}

const purge = orgStatement<OfDeletion, { state: string; removed: number }>(
  ({ deletedFindings, deletions }, $) => sql`
with page as materialized (
  select finding_id from ${deletedFindings} where deletion_id = ${$.id}::uuid
  order by finding_id limit ${sql.raw(String(FINDINGS))} for update
), removed as (
  delete from ${deletedFindings} where deletion_id = ${$.id}::uuid and finding_id = any (array(select finding_id from page))
), ended as (
  delete from ${deletions} where id = ${$.id}::uuid and state = 'purging' and not exists (select from page)
)
select state, (select count(*) from page)::int as removed from ${deletions} where id = ${$.id}::uuid and state = 'purging'`,
);

/** Removes the next findings of a deletion that is purged, and the deletion after the last one. @returns whether there may be more */
export async function purgeDeletionBatch(client: Sql, tables: OrgTables, id: string): Promise<boolean> {
  const [purged] = await retried(() => purge(tables).run(client, { id }));
  return purged !== undefined && purged.removed > 0;
}

type OfProject = { projectId: string };

const nextOfProject = orgStatement<OfProject, object>(
  ({ deletedFindings, deletions }, $) => sql`
with page as materialized (
  select deletion_id, finding_id from ${deletedFindings} where project_id = ${$.projectId}::uuid
  limit ${sql.raw(String(FINDINGS))} for update
), removed as (
  delete from ${deletedFindings} d using page where d.deletion_id = page.deletion_id and d.finding_id = page.finding_id
), scans as (
  delete from ${deletions} where project_id = ${$.projectId}::uuid
)
select 1 from page`,
);

/** Removes a batch of the deleted findings of a project, and the deletions of its scans. @returns whether there may be more */
export const purgeProjectBatch = async (
  client: SqlClient,
  tables: OrgTables,
  projectId: string,
): Promise<boolean> => (await nextOfProject(tables).run(client, { projectId })).length >= FINDINGS;

/** A position in the deleted findings of an organization. */
interface Position {
  deletion_id: string;
  finding_id: string;
}

const FIRST: Position = {
  deletion_id: '00000000-0000-0000-0000-000000000000',
  finding_id: '00000000-0000-0000-0000-000000000000',
};
const ERASED = 200;
/** The data that is searched at a time, beside the last finding. */
const ERASED_BYTES = 16 * 1024 * 1024;

const eraseStatement = orgStatement<Position & { pattern: string }, Position>(
  ({ deletedFindings }, $) => sql`
with page as materialized (
  select deletion_id, finding_id, data::text ~* ${$.pattern} as names_them from (
    select *, sum(bytes) over (order by deletion_id, finding_id) - bytes as before from (
      select * from ${deletedFindings}
      where (deletion_id, finding_id) > (${$.deletion_id}::uuid, ${$.finding_id}::uuid)
      order by deletion_id, finding_id limit ${sql.raw(String(ERASED))}
    ) d
  ) b where before <= ${sql.raw(String(ERASED_BYTES))}
), removed as (
  delete from ${deletedFindings} d using page
  where page.names_them and d.deletion_id = page.deletion_id and d.finding_id = page.finding_id
)
select deletion_id, finding_id from page order by deletion_id, finding_id`,
);

/**
 * Removes the deleted findings that are assigned to persons or whose comments mention them, in batches. They cannot be restored any
 * more.
 * @returns yields after each batch
 */
export async function* eraseInDeletions(
  client: Sql,
  tables: OrgTables,
  userIds: readonly string[],
): AsyncGenerator<void> {
  const ids = userIds.join('|');
  const pattern = `\\]\\((?:${ids})\\)|"assignee_id":"(?:${ids})"`;
  for (let after: Position | undefined = FIRST; after; ) {
    const page: Position[] = await eraseStatement(tables).run(client, { ...after, pattern });
    after = page.at(-1);
    if (after) yield;
  }
}
