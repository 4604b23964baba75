import { and, eq, isNull } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { MAX_PATTERNS, MAX_RULES, patternCharacters, type Rule } from '../../db/rules/rules.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { RuleConditions } from '../../db/schema/values.ts';
import { ApiError } from '../errors.ts';

/** Reads a rule. @throws ApiError `resource_error/not_found` if it does not exist or is deleted */
export async function requireRule(db: Db, { rules: r }: OrgTables, id: string): Promise<Rule> {
  const [rule] = await db
    .select({ id: r.id, conditions: r.conditions, actions: r.actions })
    .from(r)
    .where(and(eq(r.id, id), isNull(r.deletedAt)));
  if (!rule) throw new ApiError('resource_error/not_found');
  return rule;
}

/**
 * Refuses one more rule than allowed, and conditions with too many patterns. Only in a transaction that has locked the
 * organization.
 * @param changed the id of the rule that gets the conditions; unset: a new one
 * @throws ApiError `resource_error/conflict`
 */
export async function requireRoomForRule(
  tx: Tx,
  { rules: r }: OrgTables,
  conditions: RuleConditions,
  changed?: string,
): Promise<void> {
  const rows = await tx.select({ id: r.id, conditions: r.conditions }).from(r).where(isNull(r.deletedAt));
  if (changed === undefined && rows.length >= MAX_RULES)
    throw full(`An organization can have at most ${MAX_RULES} rules.`);
  const others = rows.filter(({ id }) => id !== changed).map((row) => row.conditions);
  if ([...others, conditions].reduce((sum, one) => sum + patternCharacters(one), 0) > MAX_PATTERNS)
    throw full(`The patterns of all rules can have at most ${MAX_PATTERNS} characters.`);
}

const full = (message: string) => new ApiError('resource_error/conflict', { message });
