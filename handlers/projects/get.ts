import { eq } from 'drizzle-orm';
import { validate } from 'uuid';
import { projectFields, toResource } from '../../db/resources.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { ApiError } from '../../lib/http/errors.ts';
import { text, z } from '../../lib/http/schema.ts';
import { Project } from '../../lib/resources.ts';

export const getProject = endpoint(
  {
    method: 'get',
    path: '/projects/{slug}',
    access: cookieOrg(),
    tag: 'Projects',
    summary: 'Get a project',
    description: 'Takes the slug or the id of the project.',
    request: { params: z.object({ slug: text({ max: 50, example: 'web-shop' }) }) },
    responses: { 200: { description: 'The project.', result: Project } },
  },
  async ({ db, org: { tables }, params: { slug } }) => {
    const { projects } = tables;
    const rows = await db
      .select(projectFields(tables))
      .from(projects)
      // A slug may look like an id, and then it wins.
      .where(eq(projects.slug, slug));
    const [row] =
      rows.length > 0 || !validate(slug)
        ? rows
        : await db.select(projectFields(tables)).from(projects).where(eq(projects.id, slug));
    if (!row) throw new ApiError('resource_error/not_found');
    return ok(toResource(row));
  },
);
