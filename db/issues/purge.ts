import { sql } from 'drizzle-orm';
import { BATCH_ROWS, inBatches } from '../batches.ts';
import { retried } from '../errors.ts';
import { destinations } from '../schema/destinations.ts';
import type { OrgTables } from '../schema/org.ts';
import { arrayText, orgStatement, type SqlClient, statement } from '../statements.ts';

const batch = sql.raw(String(BATCH_ROWS));

/** Processes of an older version delete findings without their links. */
const dangling = orgStatement<object, object>(
  ({ findingIssues, findings }) => sql`
delete from ${findingIssues} where finding_id = any (array(
  select l.finding_id from ${findingIssues} l where not exists (select 1 from ${findings} f where f.id = l.finding_id)
  limit ${batch})) returning 1`,
);

const unused = orgStatement<object, object>(
  ({ findingIssues, issues }) => sql`
delete from ${issues} where id = any (array(
  select i.id from ${issues} i where not exists (select 1 from ${findingIssues} l where l.issue_id = i.id)
  limit ${batch} for update skip locked)) returning 1`,
);

const trackers = statement<{ orgId: string }, { id: string }>(
  ($) => sql`select id from ${destinations} where org_id = ${$.orgId}::uuid and tracker is not null`,
);

const orphaned = orgStatement<{ ids: string }, object>(
  ({ issues }, $) => sql`
update ${issues} set state = 'gone', outcome = 'Its integration does not exist any more.'
where id = any (array(
  select id from ${issues} where destination_id <> all (${$.ids}::uuid[]) and state <> 'gone'
  limit ${batch} for update skip locked)) returning 1`,
);

/**
 * Removes issues whose findings were deleted. Issues whose integration is missing are `gone`: the organization was restored from a backup,
 * or the process died when it deleted the integration.
 */
export async function purgeIssues(client: SqlClient, tables: OrgTables, orgId: string): Promise<void> {
  await inBatches(async () => (await dangling(tables).run(client, {})).length);
  await inBatches(async () => (await unused(tables).run(client, {})).length);
  const ids = arrayText((await trackers.run(client, { orgId })).map(({ id }) => id));
  await inBatches(async () => (await orphaned(tables).run(client, { ids })).length);
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
    const [row] = await retried(() => remove(tables).run(client, { destinationId }));
    if ((row?.removed ?? 0) < AT_ONCE) return;
  }
}
