import { isNull, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { bumpVersion } from '../../db/policies/version.ts';
import { ruleFields, toResource } from '../../db/resources.ts';
import { MAX_PATTERNS, MAX_RULES } from '../../db/rules/rules.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { created } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { Rule, requireKnown, ruleShape } from '../../lib/rules/fields.ts';
import { requireRoomForRule } from '../../lib/rules/stored.ts';
import { optional, z } from '../../lib/schema.ts';

const RuleInput = z.object({ ...ruleShape, enabled: optional(ruleShape.enabled) }).openapi('RuleInput', {
  example: {
    name: 'Tests',
    conditions: { path: ['**/test/**'], severity: ['low', 'info'] },
    actions: { status: 'false_positive', reason: 'used_in_tests' },
  },
});

export const createRule = endpoint(
  {
    method: 'post',
    path: '/rules',
    access: cookieOrg('admin', 'none'),
    audit: 'rule.created',
    tag: 'Rules',
    summary: 'Create a rule',
    description: `Adds a rule behind the others, enabled unless \`enabled\` is \`false\`. It decides about findings that are found from now on, in all processes; \`POST /rules/{id}/apply\` changes findings that exist. An organization has at most ${MAX_RULES} rules, and ${MAX_PATTERNS} characters in their patterns (409 \`conflict\`).`,
    request: { body: RuleInput },
    responses: { 201: { description: 'The rule.', result: Rule } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, org, services } = call;
    const { rules: r } = org.tables;
    await requireKnown(call, services.config, body);
    const [rule] = await call.audited(
      (inside) => inOrgQuota(inside, (tx) => insert(tx)),
      ([made]) =>
        made && { target: { type: 'rule', id: made.id, name: made.name }, changes: newValues(body) },
    );
    async function insert(tx: Tx) {
      await requireRoomForRule(tx, org.tables, body.conditions);
      const last = sql<number>`coalesce(max(position), 0)`;
      const [row] = await tx.select({ last }).from(r).where(isNull(r.deletedAt));
      const { id, at } = services.nextId();
      const times = { createdAt: at, updatedAt: at };
      const values = { id, position: (row?.last ?? 0) + 1, ...times, ...body, enabled: body.enabled ?? true };
      const inserted = await tx.insert(r).values(values).returning(ruleFields(org.tables));
      await bumpVersion(tx, org.tables);
      return inserted;
    }
    if (!rule) throw new Error('the rule was not inserted');
    logSecurityEvent(call, 'org_setting_changed', { setting: 'rule', rule: rule.id, to: 'created' });
    return created(toResource(rule));
  },
);
