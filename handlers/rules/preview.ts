import { and, desc, inArray, ne, type SQL } from 'drizzle-orm';
import { searchFindings } from '../../db/findings/lists/search.ts';
import { findingFields, toResource } from '../../db/resources.ts';
import { onlyMembers } from '../../db/rules/members.ts';
import { orderOf } from '../../lib/findings/order.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { applicable } from '../../lib/http/bulk/apply-rule.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { search } from '../../lib/http/lists/search.ts';
import { ListedFinding } from '../../lib/resources.ts';
import { matchesRule } from '../../lib/rules/conditions.ts';
import { requireKnown, ruleShape } from '../../lib/rules/fields.ts';
import { count, z } from '../../lib/schema.ts';

const SHOWN = 20;

const RulePreview = z
  .object({ conditions: ruleShape.conditions, actions: ruleShape.actions.optional() })
  .openapi('RulePreview', {
    example: { conditions: { path: ['**/test/**'] }, actions: { status: 'false_positive' } },
  });

export const previewRule = endpoint(
  {
    method: 'post',
    path: '/rules/preview',
    access: cookieOrg('admin', 'none'),
    audit: { none: 'nothing' },
    tag: 'Rules',
    summary: 'Preview a rule',
    description: `Shows the findings that \`POST /rules/{id}/apply\` of such a rule would change now, and changes nothing. Without \`actions\`: the \`open\` findings that match.`,
    request: { body: RulePreview },
    insertsInOrg: false,
    responses: {
      200: {
        description: `How many findings there are, and the newest ${SHOWN} without their \`description\`.`,
        result: z.object({
          total: count(3),
          findings: z.array(ListedFinding),
          decided: z
            .object({ total: count(3), findings: z.array(ListedFinding) })
            .optional()
            .openapi({
              description:
                'If no finding would change: the findings that match and are not `open`, if there are any.',
            }),
        }),
      },
    },
    errors: ['rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, org } = call;
    const { tables } = org;
    const { findings: f } = tables;
    await requireKnown(call, call.services.config, body);
    const [rule = body] = await onlyMembers(call.sql, org, body.actions ? [{ actions: body.actions }] : []);
    const window = { limit: SHOWN, offset: 0 };
    const { description: _, ...fields } = findingFields(tables);
    const newest = async (where: SQL | undefined) => {
      const { total, ids } = await search(call, (limits) =>
        searchFindings(call.sql, tables, { where, order: orderOf(tables), window }, limits),
      );
      const first = ids.slice(1, -1).split(',').filter(Boolean);
      const rows = first.length
        ? await db.select(fields).from(f).where(inArray(f.id, first)).orderBy(desc(f.id))
        : [];
      return { total, findings: rows.map(toResource) };
    };
    const changed = await newest(applicable(tables, body.conditions, { actions: body.actions, ...rule }));
    if (changed.total > 0) return ok(changed);
    const decided = await newest(and(ne(f.status, 'open'), matchesRule(tables, body.conditions)));
    return ok({ ...changed, ...(decided.total > 0 && { decided }) });
  },
);
