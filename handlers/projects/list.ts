import { and, asc, sql } from 'drizzle-orm';
import { isPresent } from '../../db/projects/deletion.ts';
import { within } from '../../db/projects/reach.ts';
import { projectFields, toResource } from '../../db/resources.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { Project } from '../../lib/resources.ts';
import { z } from '../../lib/schema.ts';

export const listProjects = endpoint(
  {
    method: 'get',
    path: '/projects',
    access: cookieOrg('viewer', 'list'),
    tag: 'Projects',
    summary: 'List projects',
    responses: { 200: { description: 'The projects, by name.', result: z.array(Project) } },
  },
  async ({ db, reach, org: { tables } }) => {
    const { projects } = tables;
    const rows = await db
      .select(projectFields(tables))
      .from(projects)
      .where(and(isPresent(tables), within(projects.id, reach?.ids)))
      .orderBy(sql`lower(${projects.name})`, asc(projects.id));
    return ok(rows.map((row) => toResource({ ...row, role: reach?.roles.get(row.id) ?? null })));
  },
);
