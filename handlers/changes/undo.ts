import { findChange, undoChange } from '../../db/findings/changes/undo.ts';
import { noteAcceptedRisks } from '../../db/findings/triage/accepted-risks.ts';
import { FINDING_STATUSES } from '../../db/schema/values.ts';
import { ApiError } from '../../lib/errors.ts';
import { mayUndo, UNDO_DAYS, undoableSince } from '../../lib/findings/triage/changes.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { id, z } from '../../lib/schema.ts';

const isUndone = () =>
  new ApiError('resource_error/conflict', {
    message: 'The change is undone already, or its findings are deleted.',
  });

export const undoFindingChange = endpoint(
  {
    method: 'post',
    path: '/changes/{id}/undo',
    access: cookieOrg('member', 'list'),
    audit: { none: 'history' },
    tag: 'Findings',
    summary: 'Undo a change of findings',
    description: `Restores every field that the change has set, for the findings that nobody has changed since; the others are listed in \`conflicts\`. Members undo their own changes, admins all. Possible for ${UNDO_DAYS} days. A change that is undone already is a conflict (409).`,
    request: { params: z.object({ id: idParam() }) },
    storage: 'changes',
    responses: {
      200: {
        description: 'The findings of the change, in the order of its request.',
        result: z.object({
          restored: z.array(
            z.object({
              id: id(),
              status: z.enum(FINDING_STATUSES),
              previous_status: z.enum(FINDING_STATUSES),
              regressed: z.boolean().openapi({ example: false }),
            }),
          ),
          conflicts: z.array(z.object({ id: id(), status: z.enum(FINDING_STATUSES) })),
        }),
      },
    },
    errors: ['resource_error/conflict', 'permission_error/denied'],
  },
  async (call) => {
    const { actor, now, org, params, reach, role, services, sql } = call;
    await requireStays(call, 'any');
    const change = await findChange(sql, org.tables, params.id, undoableSince(now), reach?.ids);
    if (!change) throw new ApiError('resource_error/not_found');
    if (!mayUndo({ actor, role }, change.actor_id))
      throw new ApiError('permission_error/denied', {
        message: 'Only admins may undo the changes of others.',
      });
    if (change.undone_at) throw isUndone();
    if (change.risks.length > 0) await noteAcceptedRisks(sql, org, change.risks, now);
    const undo = { actorId: actor.id, changeId: services.nextId().id, now: now.toISOString() };
    const found = await undoChange(sql, org.tables, { ...undo, id: params.id });
    if (found.length === 0) throw isUndone();
    return ok({
      restored: found.flatMap(({ conflicts, ...finding }) => (conflicts ? [] : finding)),
      conflicts: found.flatMap(({ id, status, conflicts }) => (conflicts ? { id, status } : [])),
    });
  },
);
