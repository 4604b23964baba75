import { UNDO_DAYS } from '../../lib/findings/triage/changes.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { MAX_BY_FILTER } from '../../lib/http/bulk/change-findings.ts';
import { parsePosition, undoRule } from '../../lib/http/bulk/undo-rule.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { requireRule } from '../../lib/rules/stored.ts';
import { count, optional, shown, text, z } from '../../lib/schema.ts';

const EXAMPLE_POSITION = 'findings.0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07';

const RuleUndo = z
  .strictObject({
    limit: optional(z.int().min(1).max(MAX_BY_FILTER)).openapi({
      description: `About how many findings are restored at most, ${MAX_BY_FILTER} if absent.`,
    }),
    after: optional(text({ min: 1, max: 50 })).openapi({ description: '`next` of the previous response.' }),
  })
  .openapi('RuleUndo', { example: {} });

export const undoRuleChanges = endpoint(
  {
    method: 'post',
    path: '/rules/{id}/undo',
    access: cookieOrg('admin', 'none'),
    audit: { none: 'history' },
    tag: 'Rules',
    summary: 'Undo what a rule has changed',
    description: `Restores the findings that the rule has changed in pushes, and in the last ${UNDO_DAYS} days by \`POST /rules/{id}/apply\`, if nobody has changed them since. A finding that it decided about when it was pushed becomes \`open\`, without an assignee, with the due date that it would have without the rule. The rule stays as it is: disable it first, or it goes on with new findings. While the response has \`next\`, send it as \`after\`.`,
    request: { params: z.object({ id: idParam() }), body: RuleUndo },
    storage: 'changes',
    responses: {
      200: {
        description:
          'How many findings were restored, and how many somebody has changed since. A finding counts once for each time that the rule has changed it.',
        result: z.object({
          restored: count(3),
          skipped: count(0),
          next: shown(EXAMPLE_POSITION, 'Present if more may follow. Send it as `after`.').optional(),
        }),
      },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { limit = MAX_BY_FILTER, after } = call.body;
    await requireStays(call, 'any');
    const position = parsePosition(after);
    const { id } = await requireRule(call.db, call.org.tables, call.params.id);
    return ok(await undoRule(call, id, { limit, after: position }));
  },
);
