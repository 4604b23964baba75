import { and, eq, inArray } from 'drizzle-orm';
import { isPresent } from '../../db/projects/deletion.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { ApiError } from '../../lib/errors.ts';
import { personOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { ProjectMember, projectMemberFields } from '../../lib/projects/members.ts';
import { z } from '../../lib/schema.ts';

export const listMemberProjects = endpoint(
  {
    method: 'get',
    path: '/members/{userId}/projects',
    access: personOrg('admin', 'none'),
    tag: 'Members',
    summary: 'List the projects to which a member is assigned',
    description: 'Assignments have an effect while the `project_access` of the member is `assigned`.',
    request: { params: z.object({ userId: idParam() }) },
    responses: { 200: { description: 'The assignments, at most 1,000.', result: z.array(ProjectMember) } },
    errors: ['resource_error/not_found'],
  },
  async ({ db, org, params: { userId } }) => {
    const isMember = and(eq(memberships.orgId, org.id), eq(memberships.userId, userId));
    if ((await db.$count(memberships, isMember)) === 0) throw new ApiError('resource_error/not_found');
    const { projectMembers: m, projects: p } = org.tables;
    const present = db.select({ id: p.id }).from(p).where(isPresent(org.tables));
    const rows = await db
      .select(projectMemberFields(org.tables))
      .from(m)
      .where(and(eq(m.userId, userId), inArray(m.projectId, present)))
      .orderBy(m.projectId);
    return ok(rows);
  },
);
