import { sql } from 'drizzle-orm';
import { BATCH_ROWS, inBatches } from '../../batches.ts';
import { lowestIdAt } from '../../ids.ts';
import type { OrgTables } from '../../schema/org.ts';
import { orgStatement, type SqlClient } from '../../statements.ts';

const purgeStatement = orgStatement<{ before: string }, object>(
  ({ changes }, $) => sql`
delete from ${changes} where id = any (array(
  select id from ${changes} where id < ${$.before}::uuid limit ${sql.raw(String(BATCH_ROWS))} for update skip locked
)) returning 1`,
);

/** Deletes the changes of an organization that were made before a time, which their ids carry. */
export async function purgeChanges(client: SqlClient, tables: OrgTables, before: Date): Promise<number> {
  const statement = purgeStatement(tables);
  return await inBatches(
    async () => (await statement.run(client, { before: lowestIdAt(before.getTime()) })).length,
  );
}

const forgetStatement = orgStatement<object, object>(
  ({ ruleChanges, rules }) => sql`
delete from ${ruleChanges} where (rule_id, finding_id) in (
  select rule_id, finding_id from ${ruleChanges}
  where rule_id in (select id from ${rules} where deleted_at is not null)
  limit ${sql.raw(String(BATCH_ROWS))} for update skip locked
) returning 1`,
);

/** Deletes what deleted rules have changed, which cannot be undone any more. */
export async function purgeRuleChanges(client: SqlClient, tables: OrgTables): Promise<number> {
  const statement = forgetStatement(tables);
  return await inBatches(async () => (await statement.run(client, {})).length);
}
