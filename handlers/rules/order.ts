import { isNull, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { bumpVersion } from '../../db/policies/version.ts';
import { MAX_RULES } from '../../db/rules/rules.ts';
import { run } from '../../db/statements.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { EXAMPLE_ID, uuid, z } from '../../lib/schema.ts';

const RuleOrder = z
  .object({
    ids: z
      .array(uuid())
      .max(MAX_RULES, `must have at most ${MAX_RULES} entries`)
      .refine((ids) => new Set(ids).size === ids.length, 'must have each rule once'),
  })
  .openapi('RuleOrder', { example: { ids: [EXAMPLE_ID] } });

export const orderRules = endpoint(
  {
    method: 'put',
    path: '/rules/order',
    access: cookieOrg('admin', 'none'),
    audit: 'rule.order_changed',
    tag: 'Rules',
    summary: 'Set the order of the rules',
    description:
      '`ids` names all rules. If somebody has added or deleted one meanwhile, nothing is changed (409 `conflict`).',
    request: { body: RuleOrder },
    responses: { 204: { description: 'The rules have this order.' } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { ids } = call.body;
    const { tables } = call.org;
    const { rules: r } = tables;
    await call.audited(
      (inside) => inOrgQuota(inside, (tx) => change(tx)),
      () => ({ target: { type: 'setting', id: 'rule_order' }, changes: newValues({ ids }) }),
    );
    async function change(tx: Tx) {
      const rows = await tx.select({ id: r.id }).from(r).where(isNull(r.deletedAt));
      const present = new Set(rows.map(({ id }) => id));
      if (present.size !== ids.length || !ids.every((id) => present.has(id)))
        throw new ApiError('resource_error/conflict', {
          message: 'The rules are others by now. Nothing was changed.',
        });
      await run(
        tx,
        sql`update ${r} set position = o.position
          from json_to_recordset(${JSON.stringify(ids.map((id, i) => ({ id, position: i + 1 })))}::text::json)
            as o(id uuid, position int) where rules.id = o.id`,
      );
      await bumpVersion(tx, tables);
    }
    logSecurityEvent(call, 'org_setting_changed', { setting: 'rule_order', to: ids.join() });
    return noContent();
  },
);
