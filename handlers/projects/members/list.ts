import { and, eq, sql } from 'drizzle-orm';
import { memberships } from '../../../db/schema/orgs.ts';
import { arrayText } from '../../../db/statements.ts';
import { personOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { ProjectMember, projectMemberFields } from '../../../lib/projects/members.ts';
import { requireProject } from '../../../lib/projects/projects.ts';
import { z } from '../../../lib/schema.ts';

export const listProjectMembers = endpoint(
  {
    method: 'get',
    path: '/projects/{id}/members',
    access: personOrg('viewer', 'project'),
    tag: 'Members',
    summary: 'List the members who are assigned to a project',
    description:
      'Only members with `project_access` `assigned` need it: all others reach every project. `GET /members` with `project_id` lists all who reach it.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 200: { description: 'The assignments.', result: z.array(ProjectMember) } },
  },
  async ({ db, org, params }) => {
    await requireProject(db, org, params.id);
    const { projectMembers: m } = org.tables;
    const rows = await db
      .select(projectMemberFields(org.tables))
      .from(m)
      .where(eq(m.projectId, params.id))
      .orderBy(m.userId);
    const ids = arrayText(rows.map(({ user_id }) => user_id));
    const members = await db
      .select({ id: memberships.userId })
      .from(memberships)
      .where(and(eq(memberships.orgId, org.id), sql`${memberships.userId} = any (${ids}::uuid[])`));
    const present = new Set(members.map(({ id }) => id));
    return ok(rows.filter(({ user_id }) => present.has(user_id)));
  },
);
