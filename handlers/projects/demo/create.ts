import { and, eq, gt } from 'drizzle-orm';
import type { Tx } from '../../../db/client.ts';
import { isPresent, takesRoom } from '../../../db/projects/deletion.ts';
import { takeFormerSlugs } from '../../../db/projects/slugs.ts';
import { projectFields, toResource } from '../../../db/resources.ts';
import { DEMO_NAME, DEMO_REF, fillDemo } from '../../../lib/demo/demo.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { created, ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { slugCandidates } from '../../../lib/orgs/slugs.ts';
import { isIdLike } from '../../../lib/projects/projects.ts';
import { inOrgQuota, requireRoom } from '../../../lib/quotas.ts';
import { Project } from '../../../lib/resources.ts';

export const createDemoProject = endpoint(
  {
    method: 'post',
    path: '/projects/demo',
    access: cookieOrg('admin', 'none'),
    audit: 'project.demo_created',
    tag: 'Projects',
    summary: 'Create the demo project',
    description:
      'Creates a project with about 200 made-up findings of 21 scans in the last five weeks, with decisions and comments of the caller, for users who want to try the service. Only in an organization without findings: otherwise 409 `conflict`. If the demo project exists, it is the result and nothing changes. `DELETE /projects/{slug}` removes it with all its data.',
    responses: {
      201: { description: 'The demo project, with its data.', result: Project },
      200: {
        description: 'The demo project that exists. Another request may still be adding its data.',
        result: Project,
      },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { accountId, actor, log, now, org, services, sql, user } = call;
    const { tables } = org;
    const { findingCounts, projects } = tables;
    const { id, at: createdAt } = services.nextId();
    const { project, isNew } = await call.audited(
      (inside) => inOrgQuota(inside, (tx) => insert(tx)),
      (made) => ({ target: { type: 'project', id: made.project.id, name: made.project.slug } }),
    );
    if (!isNew) return ok(toResource(project));
    await fillDemo({
      ...{ org, sql, log, now, projectId: id, actorId: actor.id },
      assigneeId: user && accountId,
      ingestWith: services.ingestWith,
    });
    return created(toResource(project));

    async function insert(tx: Tx) {
      const [existing] = await tx
        .select(projectFields(tables))
        .from(projects)
        .where(and(eq(projects.demo, true), isPresent(tables)))
        .limit(1);
      if (existing) return { project: existing, isNew: false };
      const [counted] = await tx
        .select({ id: projects.id })
        .from(findingCounts)
        .innerJoin(projects, eq(projects.id, findingCounts.projectId))
        .where(and(gt(findingCounts.count, 0), isPresent(tables)))
        .limit(1);
      if (counted)
        throw new ApiError('resource_error/conflict', { message: 'The organization has findings.' });
      await requireRoom(tx, services.config, 'projectsPerOrg', projects, takesRoom(tables));
      for (const slug of slugCandidates(DEMO_NAME, {
        fallback: 'demo',
        minLength: 2,
        isReserved: isIdLike,
      })) {
        const [row] = await tx
          .insert(projects)
          .values({ id, name: DEMO_NAME, slug, createdAt, defaultRef: DEMO_REF, demo: true })
          .onConflictDoNothing({ target: projects.slug })
          .returning(projectFields(tables));
        if (!row) continue;
        await takeFormerSlugs(tx, tables, { id, slugs: [slug] });
        return { project: row, isNew: true };
      }
      throw new ApiError('resource_error/conflict', { message: 'The slug is taken.' });
    }
  },
);
