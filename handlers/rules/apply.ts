import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { applyRule } from '../../lib/http/bulk/apply-rule.ts';
import { MAX_BY_FILTER } from '../../lib/http/bulk/change-findings.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { requireRule } from '../../lib/rules/stored.ts';
import { count, id, optional, uuid, z } from '../../lib/schema.ts';

const MAX_COUNT = 2_147_483_647;

const RuleApplication = z
  .strictObject({
    expected_count: optional(z.int().min(0).max(MAX_COUNT)).openapi({
      example: 3,
      description: 'The `total` of the preview. If it is another one by now, nothing is changed (409).',
    }),
    limit: optional(z.int().min(1).max(MAX_BY_FILTER)).openapi({
      description: `How many findings are changed at most, ${MAX_BY_FILTER} if absent.`,
    }),
    after: optional(uuid()).openapi({
      description: '`next` of the previous response; `expected_count` is not compared then.',
    }),
  })
  .openapi('RuleApplication', { example: { expected_count: 3 } });

export const applyRuleToFindings = endpoint(
  {
    method: 'post',
    path: '/rules/{id}/apply',
    access: cookieOrg('admin', 'none'),
    audit: { none: 'history' },
    tag: 'Rules',
    summary: 'Apply a rule to findings that exist',
    description:
      'Changes `open` findings that match the rule, also while it is disabled and whatever other rules match. A finding keeps its assignee, and a due date that someone has set. The findings are changed newest first, in transactions of 500; a finding that somebody decides about meanwhile stays as it is. While the response has `next`, send it as `after`.',
    request: { params: z.object({ id: idParam() }), body: RuleApplication },
    storage: 'changes',
    responses: {
      200: {
        description: 'The changes that were made.',
        result: z.object({
          updated: count(3),
          change_ids: z
            .array(id())
            .openapi({ description: 'The changes, one for 500 findings, for `POST /changes/{id}/undo`.' }),
          next: id().optional().openapi({ description: 'More findings may match. Send it as `after`.' }),
        }),
      },
    },
    errors: ['resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { expected_count, limit = MAX_BY_FILTER, after } = call.body;
    await requireStays(call, 'any');
    const rule = await requireRule(call.db, call.org.tables, call.params.id);
    return ok(await applyRule(call, rule, { expectedCount: expected_count, limit, after }));
  },
);
