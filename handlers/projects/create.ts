import type { Tx } from '../../db/client.ts';
import { takesRoom } from '../../db/projects/deletion.ts';
import { takeFormerSlugs } from '../../db/projects/slugs.ts';
import { projectFields, toResource } from '../../db/resources.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { created } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { name } from '../../lib/http/fields.ts';
import { slugCandidates } from '../../lib/orgs/slugs.ts';
import { isIdLike, projectSlug } from '../../lib/projects/projects.ts';
import { inOrgQuota, requireRoom } from '../../lib/quotas.ts';
import { Project } from '../../lib/resources.ts';
import { optional, z } from '../../lib/schema.ts';

export const createProject = endpoint(
  {
    method: 'post',
    path: '/projects',
    access: cookieOrg('member', 'none'),
    audit: 'project.created',
    tag: 'Projects',
    summary: 'Create a project',
    description:
      'Without `slug`, the service derives one from the name. Answers 409 `conflict` when the organization has reached its limit of projects.',
    request: { body: z.object({ name: name('Web shop'), slug: optional(projectSlug()) }) },
    responses: { 201: { description: 'The project.', result: Project } },
    errors: ['resource_error/already_exists', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, org, services } = call;
    const { tables } = org;
    const { projects } = tables;
    const { id, at: createdAt } = services.nextId();
    const candidates =
      body.slug === undefined
        ? slugCandidates(body.name, { fallback: 'project', minLength: 2, isReserved: isIdLike })
        : [body.slug];
    const project = await call.audited(
      (inside) => inOrgQuota(inside, (tx) => insert(tx)),
      ({ id, slug, ...values }) => ({
        target: { type: 'project', id, name: slug },
        changes: newValues({ name: values.name }),
      }),
    );
    return created(project);

    async function insert(tx: Tx) {
      await requireRoom(tx, services.config, 'projectsPerOrg', projects, takesRoom(tables));
      for (const candidate of candidates) {
        const [row] = await tx
          .insert(projects)
          .values({ id, name: body.name, slug: candidate, createdAt })
          .onConflictDoNothing({ target: projects.slug })
          .returning(projectFields(tables));
        if (!row) continue;
        await takeFormerSlugs(tx, tables, { id, slugs: [candidate] });
        return toResource(row);
      }
      throw new ApiError('resource_error/already_exists', { message: 'The slug is taken.' });
    }
  },
);
