import { addComment, hasFinding } from '../../../db/findings/triage/activity.ts';
import { ApiError } from '../../../lib/errors.ts';
import { ActivityEntry, CommentInput } from '../../../lib/findings/triage/activity.ts';
import { mentionedMembers, shownMentions } from '../../../lib/findings/triage/comments.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { created } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { notFoundOrMoving } from '../../../lib/projects/transfer/guard.ts';
import { z } from '../../../lib/schema.ts';

export const createComment = endpoint(
  {
    method: 'post',
    path: '/findings/{id}/comments',
    access: cookieOrg('member', 'finding'),
    audit: { none: 'history' },
    tag: 'Findings',
    summary: 'Comment on a finding',
    description:
      '`@[name](user-id)` in the text mentions a member. Ids of others, and of members who do not reach the project, are ignored.',
    request: { params: z.object({ id: idParam() }), body: CommentInput },
    responses: { 201: { description: 'The comment, as an entry of the activity.', result: ActivityEntry } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { actor, body, now, org, params, services, sql } = call;
    if (!(await hasFinding(sql, org.tables, params.id))) throw new ApiError('resource_error/not_found');
    const { id } = services.nextId();
    const mentioned = await mentionedMembers(call, services.config, {
      findingId: params.id,
      body: body.body,
    });
    const comment = {
      ...{ findingId: params.id, id, actorId: actor.id, body: body.body, now: now.toISOString() },
      mentions: mentioned.map((member) => member.id),
    };
    if (!(await addComment(sql, org.tables, comment))) throw await notFoundOrMoving(call, [params.id]);
    return created({
      ...{ id, at: comment.now, kind: 'comment' as const, actor, note: body.body },
      ...shownMentions(mentioned),
    });
  },
);
