import { type SQL, sql } from 'drizzle-orm';
import { increaseVersion } from '../policies/version.ts';
import type { OrgTables } from '../schema/org.ts';
import { memberships } from '../schema/orgs.ts';
import { arrayText, run, type SqlClient } from '../statements.ts';
import type { Rule } from './rules.ts';

/** The rules as they apply: without an assignee who is not a member, or suspended. */
export async function onlyMembers<R extends Pick<Rule, 'actions'>>(
  client: SqlClient,
  orgId: string,
  rules: readonly R[],
): Promise<R[]> {
  const ids = rules.flatMap(({ actions }) => actions.assignee_id ?? []);
  if (ids.length === 0) return [...rules];
  const members = await run<{ id: string }>(
    client,
    sql`select user_id as id from ${memberships}
      where org_id = ${orgId}::uuid and user_id = any (${arrayText(ids)}::uuid[])
        and suspended_at is null`,
  );
  const known = new Set(members.map(({ id }) => id));
  return rules.map((rule) => {
    const { assignee_id, ...others } = rule.actions;
    return assignee_id === undefined || known.has(assignee_id) ? rule : { ...rule, actions: others };
  });
}

/** A statement for the transaction that changes a membership: processes read the rules that assign the user again. */
export const reloadRulesOf = (tables: OrgTables, userId: string): SQL =>
  increaseVersion(
    tables,
    sql`${tables.rules} where deleted_at is null and actions ->> 'assignee_id' = ${userId}`,
  );
