import { sql } from 'drizzle-orm';
import { BATCH_ROWS, inBatches } from '../batches.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement, type SqlClient } from '../statements.ts';

const batch = sql.raw(String(BATCH_ROWS));

const unused = orgStatement<object, object>(
  ({ findingIssues, issues }) => sql`
delete from ${issues} where id = any (array(
  select i.id from ${issues} i where not exists (select 1 from ${findingIssues} l where l.issue_id = i.id)
  limit ${batch} for update skip locked)) returning 1`,
);

const forgotten = orgStatement<{ before: string }, object>(
  ({ issues }, $) => sql`
update ${issues} set state = 'failed', outcome = 'Its integration was switched off for too long. Create it again.'
where id = any (array(
  select id from ${issues} where state = 'pending' and coalesce(checked_at, created_at) < ${$.before}::timestamptz
  limit ${batch} for update skip locked)) returning 1`,
);

/**
 * Removes issues whose findings were deleted, and gives those up whose event was purged before an integration that is switched off has
 * created them.
 */
export async function purgeIssues(client: SqlClient, tables: OrgTables, before: Date): Promise<void> {
  await inBatches(async () => (await unused(tables).run(client, {})).length);
  const params = { before: before.toISOString() };
  await inBatches(async () => (await forgotten(tables).run(client, params)).length);
}

/** Issues whose rows and links one statement removes. */
const AT_ONCE = 1_000;
/** Batches that one request removes at the most. */
const MOST_BATCHES = 100;

const remove = orgStatement<{ destinationId: string }, { removed: number }>(
  ({ findingIssues, issues }, $) => sql`
with gone as materialized (
  select id from ${issues} where destination_id = ${$.destinationId}::uuid limit ${sql.raw(String(AT_ONCE))} for update
), links as (
  delete from ${findingIssues} where issue_id = any (array(select id from gone))
), removed as (
  delete from ${issues} where id = any (array(select id from gone)) returning 1
)
select count(*)::int as removed from removed`,
);

/** Removes the issues of an integration that was deleted, in batches. They stay at the tracker. */
export async function removeIssues(
  client: SqlClient,
  tables: OrgTables,
  destinationId: string,
): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const [row] = await remove(tables).run(client, { destinationId });
    if ((row?.removed ?? 0) < AT_ONCE) return;
  }
}
