import { sql } from 'drizzle-orm';
import { retried } from '../errors.ts';
import { CHANGED_COLUMNS, WAS, type Written, writeChanges } from '../findings/changes/write.ts';
import { policyDueAt } from '../findings/fields.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement, run, type SqlClient } from '../statements.ts';

/*
 * A rule changes findings in two ways: it decides about them when they are pushed (`rule_changes`; their `change_id` is the rule
 * until somebody changes them), and an admin applies it to findings that are there already (`changes.rule_id`).
 */

interface Part {
  ruleId: string;
  /** Only findings with a lower id; null for all. */
  before: string | null;
  limit: number;
}

/** The outcome for a part of the findings. */
interface Undone {
  found: number;
  restored: number;
  /** The lowest id of the part; null if it is empty. */
  last: string | null;
}

/** A finding is restored if nobody has changed it since. A due date of the organization counts again. */
const undoStatement = orgStatement<Part & Written, Undone>(
  (tables, $) => sql`
with part as materialized (
  select finding_id from ${tables.ruleChanges}
  where rule_id = ${$.ruleId}::uuid and (${$.before}::uuid is null or finding_id < ${$.before}::uuid)
  order by finding_id desc limit ${$.limit}::bigint
), before as materialized (
  select ${CHANGED_COLUMNS}, created_at from ${tables.findings}
  where id = any (array(select finding_id from part))
  order by project_id, fingerprint for no key update
), after as materialized (
  select b.id, b.project_id, b.severity, b.proposed, null::text as note, 'open' as status, b.created_at as status_changed_at, b.regressed,
    b.regressed_at, null::text as reason, null::uuid as assignee_id, ${sql.raw(policyDueAt('b'))} as due_at, b.due_dates,
    null::timestamptz as accepted_until, null::timestamptz as resolved_at, null::uuid as change_id, ${WAS}
  from before b where b.change_id = ${$.ruleId}::uuid
), ${writeChanges(tables, $)}, removed as (
  delete from ${tables.ruleChanges} where rule_id = ${$.ruleId}::uuid and finding_id = any (array(select id from after))
)
select (select count(*) from part)::int as found, (select count(*) from after)::int as restored,
  (select finding_id from part order by finding_id limit 1) as last`,
);

/** Restores up to `limit` findings that a rule decided about when they were pushed, the newest first. */
export async function undoDecisions(client: Sql, tables: OrgTables, part: Part & Written): Promise<Undone> {
  const [undone] = await retried(() => undoStatement(tables).run(client, part));
  return undone ?? { found: 0, restored: 0, last: null };
}

/** Finds the newest changes since a time that admins made by applying a rule and that are not undone. */
export async function findAppliedChanges(
  client: SqlClient,
  { changes }: OrgTables,
  { ruleId, before, since, limit }: Part & { since: Date },
): Promise<{ id: string; findings: number }[]> {
  return await run(
    client,
    sql`select id, cardinality(finding_ids) as findings from ${changes}
      where rule_id = ${ruleId}::uuid and undone_at is null and at >= ${since.toISOString()}::timestamptz
        and (${before}::uuid is null or id < ${before}::uuid)
      order by id desc limit ${limit}::bigint`,
  );
}
