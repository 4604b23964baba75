import { editComment, hasComment } from '../../../db/findings/triage/activity.ts';
import { ApiError } from '../../../lib/errors.ts';
import { ActivityEntry, CommentInput } from '../../../lib/findings/triage/activity.ts';
import { mentionedMembers, requireAuthor, shownMentions } from '../../../lib/findings/triage/comments.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { requireStays } from '../../../lib/projects/transfer/guard.ts';
import { z } from '../../../lib/schema.ts';

export const updateComment = endpoint(
  {
    method: 'patch',
    path: '/findings/{id}/comments/{commentId}',
    access: cookieOrg('member', 'finding'),
    audit: { none: 'history' },
    tag: 'Findings',
    summary: 'Change a comment',
    description: 'Only the author may.',
    request: { params: z.object({ id: idParam(), commentId: idParam() }), body: CommentInput },
    responses: { 200: { description: 'The comment, as an entry of the activity.', result: ActivityEntry } },
    errors: ['permission_error/denied', 'resource_error/conflict'],
  },
  async (call) => {
    const { actor, body, now, org, params, services, sql } = call;
    await requireStays(call, { findings: [params.id] });
    const key = { findingId: params.id, id: params.commentId };
    if (!(await hasComment(sql, org.tables, key))) throw new ApiError('resource_error/not_found');
    const mentioned = await mentionedMembers(call, services.config, {
      findingId: params.id,
      body: body.body,
    });
    const edited = {
      ...{ ...key, actorId: actor.id, body: body.body, now: now.toISOString() },
      mentions: mentioned.map((member) => member.id),
    };
    const at = await requireAuthor(call, key, editComment(sql, org.tables, edited));
    return ok({
      ...{ id: key.id, at, kind: 'comment' as const, actor, note: body.body },
      edited_at: edited.now,
      ...shownMentions(mentioned),
    });
  },
);
