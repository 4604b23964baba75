import { removeComment } from '../../../db/findings/triage/activity.ts';
import { requireAuthor } from '../../../lib/findings/triage/comments.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { requireStays } from '../../../lib/projects/transfer/guard.ts';
import { z } from '../../../lib/schema.ts';

export const deleteComment = endpoint(
  {
    method: 'delete',
    path: '/findings/{id}/comments/{commentId}',
    access: cookieOrg('member', 'finding'),
    audit: { none: 'history' },
    tag: 'Findings',
    summary: 'Remove a comment',
    description: 'Only the author may.',
    request: { params: z.object({ id: idParam(), commentId: idParam() }) },
    responses: { 204: { description: 'Removed.' } },
    errors: ['permission_error/denied', 'resource_error/conflict'],
  },
  async (call) => {
    await requireStays(call, { findings: [call.params.id] });
    const key = { findingId: call.params.id, id: call.params.commentId };
    await requireAuthor(
      call,
      key,
      removeComment(call.sql, call.org.tables, { ...key, actorId: call.actor.id }),
    );
    return noContent();
  },
);
