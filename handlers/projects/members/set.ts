import { PROJECT_ROLES } from '../../../db/schema/values.ts';
import { sessionOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { changesOf, newValues, tokensRevoked } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { logEndedTokens, logSecurityEvent } from '../../../lib/http/security-log.ts';
import { memberAddress } from '../../../lib/orgs/notices.ts';
import { assignMember, ProjectMember } from '../../../lib/projects/members.ts';
import { requireStays } from '../../../lib/projects/transfer/guard.ts';
import { inOrgQuota } from '../../../lib/quotas.ts';
import { z } from '../../../lib/schema.ts';

export const setProjectMember = endpoint(
  {
    method: 'put',
    path: '/projects/{id}/members/{userId}',
    access: sessionOrg('admin', 'project'),
    audit: 'project.member_set',
    tag: 'Members',
    summary: 'Assign a member to a project',
    description:
      'Takes effect with the next request of a member whose `project_access` is `assigned`. For other members it is kept until their access is limited. The role in the organization is the ceiling: a viewer of the organization is a viewer in every project. Admins whose access is limited assign members whom `GET /members` shows them, to projects where they are admins. With a lower role, API tokens of the project that the member created are kept, limited or revoked as the organization has chosen (`tokens_on_role_loss`).',
    request: {
      params: z.object({ id: idParam(), userId: idParam() }),
      body: z
        .object({ role: z.enum(PROJECT_ROLES).openapi({ example: 'member' }) })
        .openapi('ProjectMemberInput', { example: { role: 'member' } }),
    },
    responses: { 200: { description: 'The assignment.', result: ProjectMember } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, now, org, params, reach, user } = call;
    const { id: projectId, userId } = params;
    const { role } = body;
    await requireStays(call, { project: projectId });
    const caller = { id: user.id, projects: reach && [...reach.roles.keys()] };
    const { before, tokens } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          const assignment = { orgId: org.id, tables, userId, projectId };
          const assigned = await assignMember(tx, caller, assignment, { role, now });
          return { ...assigned, name: await memberAddress(tx, org.id, userId) };
        }),
      ({ before, tokens, name }) => ({
        target: { type: 'member', id: userId, name },
        changes: {
          ...newValues({ project_id: projectId }),
          ...changesOf({ role: before }, { role }),
          ...tokensRevoked(tokens),
        },
      }),
    );
    if (before !== role)
      logSecurityEvent(call, 'project_role_changed', {
        member: userId,
        project: projectId,
        from: before,
        to: role,
      });
    logEndedTokens(call, userId, tokens);
    return ok({ user_id: userId, project_id: projectId, role });
  },
);
