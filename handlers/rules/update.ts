import { and, eq, isNull } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { bumpVersion } from '../../db/policies/version.ts';
import { ruleFields, toResource } from '../../db/resources.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { Rule, requireKnown, ruleShape } from '../../lib/rules/fields.ts';
import { requireRoomForRule } from '../../lib/rules/stored.ts';
import { optional, z } from '../../lib/schema.ts';

const RuleChanges = z
  .object({
    name: optional(ruleShape.name),
    enabled: optional(ruleShape.enabled),
    conditions: ruleShape.conditions.optional(),
    actions: ruleShape.actions.optional(),
  })
  .superRefine((change, context) => {
    if (Object.values(change).every((value) => value === undefined))
      context.addIssue({ code: 'custom', path: ['name'], message: 'is required' });
  })
  .openapi('RuleChanges', { example: { enabled: false } });

export const updateRule = endpoint(
  {
    method: 'patch',
    path: '/rules/{id}',
    access: cookieOrg('admin', 'none'),
    audit: 'rule.changed',
    tag: 'Rules',
    summary: 'Change a rule',
    description:
      '`conditions` and `actions` are replaced as a whole. Findings that the rule has changed before stay as they are.',
    request: { params: z.object({ id: idParam() }), body: RuleChanges },
    responses: { 200: { description: 'The rule after the change.', result: Rule } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, now, org, params } = call;
    const { rules: r } = org.tables;
    await requireKnown(call, call.services.config, body);
    const rule = await call.audited(
      (inside) => inOrgQuota(inside, (tx) => change(tx)),
      (after) =>
        after && { target: { type: 'rule', id: after.id, name: after.name }, changes: newValues(body) },
    );
    async function change(tx: Tx) {
      if (body.conditions) await requireRoomForRule(tx, org.tables, body.conditions, params.id);
      const [changed] = await tx
        .update(r)
        .set({ ...body, updatedAt: now })
        .where(and(eq(r.id, params.id), isNull(r.deletedAt)))
        .returning(ruleFields(org.tables));
      if (changed) await bumpVersion(tx, org.tables);
      return changed;
    }
    if (!rule) throw new ApiError('resource_error/not_found');
    logSecurityEvent(call, 'org_setting_changed', { setting: 'rule', rule: rule.id, to: 'changed' });
    return ok(toResource(rule));
  },
);
