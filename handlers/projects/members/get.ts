import { and, eq } from 'drizzle-orm';
import { memberships } from '../../../db/schema/orgs.ts';
import { ApiError } from '../../../lib/errors.ts';
import { personOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { ProjectMember, projectMemberFields } from '../../../lib/projects/members.ts';
import { requireProject } from '../../../lib/projects/projects.ts';
import { z } from '../../../lib/schema.ts';

export const getProjectMember = endpoint(
  {
    method: 'get',
    path: '/projects/{id}/members/{userId}',
    access: personOrg('viewer', 'project'),
    tag: 'Members',
    summary: 'Get the role of a member in a project',
    request: { params: z.object({ id: idParam(), userId: idParam() }) },
    responses: { 200: { description: 'The assignment.', result: ProjectMember } },
  },
  async ({ db, org, params }) => {
    await requireProject(db, org, params.id);
    const { projectMembers: m } = org.tables;
    const [row] = await db
      .select(projectMemberFields(org.tables))
      .from(m)
      .where(and(eq(m.projectId, params.id), eq(m.userId, params.userId)));
    const isMember = and(eq(memberships.orgId, org.id), eq(memberships.userId, params.userId));
    if (!row || (await db.$count(memberships, isMember)) === 0)
      throw new ApiError('resource_error/not_found');
    return ok(row);
  },
);
