import { sessionOrg } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { newValues, tokensRevoked } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { logEndedTokens, logSecurityEvent } from '../../../lib/http/security-log.ts';
import { memberAddress } from '../../../lib/orgs/notices.ts';
import { assignMember } from '../../../lib/projects/members.ts';
import { requireStays } from '../../../lib/projects/transfer/guard.ts';
import { inOrgQuota } from '../../../lib/quotas.ts';
import { z } from '../../../lib/schema.ts';

export const removeProjectMember = endpoint(
  {
    method: 'delete',
    path: '/projects/{id}/members/{userId}',
    access: sessionOrg('admin', 'project'),
    audit: 'project.member_removed',
    tag: 'Members',
    summary: 'Remove a member from a project',
    description:
      'A member whose `project_access` is `assigned` does not reach the project with the next request. The rules of `PUT` apply.',
    request: { params: z.object({ id: idParam(), userId: idParam() }) },
    responses: { 204: { description: 'Removed.' } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { now, org, params, reach, user } = call;
    const { id: projectId, userId } = params;
    await requireStays(call, { project: projectId });
    const caller = { id: user.id, projects: reach && [...reach.roles.keys()] };
    const { before, tokens } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          const assignment = { orgId: org.id, tables, userId, projectId };
          const removed = await assignMember(tx, caller, assignment, { role: undefined, now });
          return { ...removed, name: await memberAddress(tx, org.id, userId) };
        }),
      ({ before, tokens, name }) => ({
        target: { type: 'member', id: userId, name },
        changes: {
          ...newValues({ project_id: projectId }),
          role: { from: before },
          ...tokensRevoked(tokens),
        },
      }),
    );
    logSecurityEvent(call, 'project_role_changed', { member: userId, project: projectId, from: before });
    logEndedTokens(call, userId, tokens);
    return noContent();
  },
);
