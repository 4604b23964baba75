import { and, type SQL } from 'drizzle-orm';
import type { FindingChange } from '../../../db/findings/triage/triage.ts';
import { timeOfId } from '../../../db/ids.ts';
import { daysAfter } from '../../../db/policies/due-dates.ts';
import type { Projects } from '../../../db/projects/reach.ts';
import { onlyMembers } from '../../../db/rules/members.ts';
import { actionsIn, type Rule } from '../../../db/rules/rules.ts';
import type { OrgTables } from '../../../db/schema/org.ts';
import type { RuleActions, RuleConditions } from '../../../db/schema/values.ts';
import { changedBy, matchesRule } from '../../rules/conditions.ts';
import type { OrgCall } from '../call.ts';
import { changeMatching, type MatchSelection } from './change-findings.ts';

/** The findings that applying a rule changes now. Without actions, the open findings that match. */
export const applicable = (
  tables: OrgTables,
  conditions: RuleConditions,
  { actions, assignsIn }: { actions: RuleActions | undefined; assignsIn?: Projects },
): SQL | undefined => and(changedBy(tables, actions, assignsIn), matchesRule(tables, conditions));

/** Applies a rule to findings that exist. A finding that somebody decides about meanwhile stays as it is. */
export async function applyRule(
  call: OrgCall,
  rule: Rule,
  selection: Omit<MatchSelection, 'where'>,
): Promise<{ updated: number; change_ids: string[]; next?: string }> {
  const { org, sql } = call;
  const [present = rule] = await onlyMembers(sql, org, [rule]);
  const where = applicable(org.tables, rule.conditions, present);
  const { found, changeIds, next } = await changeMatching(
    call,
    { ...selection, where },
    {
      ruleId: rule.id,
      changeOf: ({ id, project_id }) => changeOf(actionsIn(present, project_id), id, call.now),
    },
  );
  const updated = found.filter(({ conflicts }) => !conflicts).length;
  return { updated, change_ids: changeIds, ...(next && { next }) };
}

const changeOf = (
  { status, reason, note, assignee_id, due_days, accept_days }: RuleActions,
  id: string,
  now: Date,
): Omit<FindingChange, 'id'> => ({
  ...{ if_status: 'open', only_unset: true, status, note, assignee_id },
  ...(status && { reason: reason ?? null }),
  ...(due_days && { due_at: daysAfter(timeOfId(id), due_days) }),
  ...(accept_days && { accepted_until: daysAfter(now, accept_days) }),
});
