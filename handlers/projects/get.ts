import { toResource } from '../../db/resources.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { readProject } from '../../lib/projects/projects.ts';
import { Project } from '../../lib/resources.ts';
import { text, z } from '../../lib/schema.ts';

export const getProject = endpoint(
  {
    method: 'get',
    path: '/projects/{slug}',
    access: cookieOrg('viewer', 'project'),
    tag: 'Projects',
    summary: 'Get a project',
    description: 'Takes the slug or the id of the project.',
    request: { params: z.object({ slug: text({ max: 50, example: 'web-shop' }) }) },
    responses: { 200: { description: 'The project.', result: Project } },
  },
  async ({ checkedProject, db, org: { tables }, params: { slug }, reach, role }) => {
    const project = await readProject(db, tables, checkedProject ?? slug);
    return ok(toResource({ ...project, role: reach ? role : null }));
  },
);
