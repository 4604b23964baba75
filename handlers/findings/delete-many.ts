import { and, inArray } from 'drizzle-orm';
import { startDeletion } from '../../db/deletions/start.ts';
import { within } from '../../db/projects/reach.ts';
import { Deletion, UNDO_DAYS } from '../../lib/deletions/deletion.ts';
import { conditionsOf } from '../../lib/findings/filter/conditions.ts';
import { Filter } from '../../lib/findings/filter/parameters.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { continueDeletion, startSelected } from '../../lib/http/bulk/start-deletion.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { EXAMPLE_ID, uuid, z } from '../../lib/schema.ts';

const MAX_IDS = 500;
const MAX_COUNT = 2_147_483_647;

/** A field that does not exist is refused, because a condition with a typo would delete more findings. */
const FindingsDeletion = z
  .strictObject({
    ids: z
      .array(uuid())
      .min(1, 'must not be empty')
      .max(MAX_IDS, `must have at most ${MAX_IDS} entries`)
      .optional()
      .openapi({ description: 'The findings. Unknown ids are left out.' }),
    filter: Filter.optional().openapi({
      description: 'The filters of the list of findings, instead of `ids`.',
    }),
    expected_count: z.int().min(0).max(MAX_COUNT).optional().openapi({
      description: 'How many findings match the filter. If others do, nothing is deleted (409).',
      example: 120,
    }),
  })
  .superRefine(({ ids, filter, expected_count }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (ids && filter) refuse('filter', 'is possible only without ids');
    if (!ids && !filter) refuse('ids', 'is required');
    if (filter && expected_count === undefined) refuse('expected_count', 'is required');
    if (ids && expected_count !== undefined) refuse('expected_count', 'is possible only with filter');
  })
  .openapi('FindingsDeletion', { example: { ids: [EXAMPLE_ID] } });

export const deleteFindings = endpoint(
  {
    method: 'post',
    path: '/findings/delete',
    access: cookieOrg('admin', 'list'),
    audit: 'findings.deleted',
    tag: 'Findings',
    summary: 'Delete findings',
    description: `Deletes the findings with their activity, comments and exploits: those of \`ids\`, at most ${MAX_IDS}, or all that match \`filter\`. Work that takes longer than a second continues in the background: read \`GET /deletions/{id}\`. Findings that are pushed or decided about after the request stay. Can be undone for ${UNDO_DAYS} days with \`POST /deletions/{id}/undo\`.`,
    request: { body: FindingsDeletion },
    storage: 'removes',
    responses: { 200: { description: 'The deletion.', result: Deletion } },
    errors: ['resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { actor, body, now, org, reach, services } = call;
    const { findings: f } = org.tables;
    await requireStays(call, 'any');
    const where = body.filter
      ? conditionsOf(call, body.filter)
      : and(inArray(f.id, body.ids ?? []), within(f.projectId, reach?.ids));
    const { id } = services.nextId();
    const deletion = { id, orgId: org.id, actorId: actor.id, now, expected: body.expected_count };
    const selected = await startSelected(call, (limits) =>
      call.audited(
        ({ sql }) => startDeletion(sql, org.tables, where, deletion, limits),
        (count) => ({ target: { type: 'deletion', id }, changes: newValues({ findings: count }) }),
      ),
    );
    logSecurityEvent(call, 'findings_deleted', { deletion: id, findings: selected });
    return ok(await continueDeletion(call, id));
  },
);
