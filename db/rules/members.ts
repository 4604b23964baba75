import { type SQL, sql } from 'drizzle-orm';
import { increaseVersion } from '../policies/version.ts';
import { readProjectRoles } from '../projects/members.ts';
import type { OrgTables } from '../schema/org.ts';
import { isLimited, memberships } from '../schema/orgs.ts';
import { arrayText, run, type SqlClient } from '../statements.ts';
import type { Rule } from './rules.ts';

/** The rules as they apply: without an assignee who is not a member, or suspended, and with the projects that an assignee reaches. */
export async function onlyMembers<R extends Pick<Rule, 'actions' | 'assignsIn'>>(
  client: SqlClient,
  org: { id: string; tables: OrgTables },
  rules: readonly R[],
): Promise<R[]> {
  const ids = rules.flatMap(({ actions }) => actions.assignee_id ?? []);
  if (ids.length === 0) return [...rules];
  const members = await run<{ id: string; limited: boolean }>(
    client,
    sql`select user_id as id, ${isLimited} as limited from ${memberships}
      where org_id = ${org.id}::uuid and user_id = any (${arrayText(ids)}::uuid[])
        and suspended_at is null`,
  );
  const known = new Set(members.map(({ id }) => id));
  const limited = members.flatMap((member) => (member.limited ? member.id : []));
  const assigned = limited.length > 0 ? await readProjectRoles(client, org.tables, limited) : undefined;
  return rules.map((rule) => {
    const { assignee_id, ...others } = rule.actions;
    if (assignee_id === undefined) return rule;
    if (!known.has(assignee_id)) return { ...rule, actions: others };
    const projects = assigned?.get(assignee_id);
    return projects ? { ...rule, assignsIn: [...projects.keys()] } : rule;
  });
}

/** A statement for the transaction that changes a membership: processes read the rules that assign the user again. */
export const reloadRulesOf = (tables: OrgTables, userId: string): SQL =>
  increaseVersion(
    tables,
    sql`${tables.rules} where deleted_at is null and actions ->> 'assignee_id' = ${userId}`,
  );
