import { and, eq, isNull } from 'drizzle-orm';
import { isUniqueViolation, retried } from '../../db/errors.ts';
import { isPresent } from '../../db/projects/deletion.ts';
import { takeFormerSlugs } from '../../db/projects/slugs.ts';
import { projectFields, toResource } from '../../db/resources.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { name } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { projectSlug, readProject, sourceUrl } from '../../lib/projects/projects.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { Project } from '../../lib/resources.ts';
import { removable, text, z } from '../../lib/schema.ts';

const MAX_SCANS = 10;

const ProjectChanges = z
  .object({
    name: name('Web shop').optional(),
    slug: projectSlug().optional(),
    close_after_scans: z
      .int()
      .min(1)
      .max(MAX_SCANS)
      .nullable()
      .optional()
      .openapi({
        ...{ type: 'integer', nullable: true, minimum: 1, maximum: MAX_SCANS, example: 3 },
        description:
          'A finding that so many comparable scans in a row did not report becomes `fixed`. Null: none does.',
      } as object),
    source_url: removable(sourceUrl()).openapi({
      description:
        'The `https` or `http` address of the repository on GitHub, GitLab, Bitbucket or Azure DevOps, or a template of links with `{path}` and optionally `{commit}`, `{branch}` and `{line}`. Null: no links.',
    }),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    path: ['name'],
    message: 'is required, or slug, close_after_scans or source_url',
  })
  .openapi('ProjectChanges', { example: { close_after_scans: 3 } });

export const updateProject = endpoint(
  {
    method: 'patch',
    path: '/projects/{slug}',
    access: cookieOrg('admin'),
    tag: 'Projects',
    summary: 'Change a project',
    description:
      'Takes the slug or the id of the project. At least one field is required. After a change of the slug, the former one still names the project, until another project gets it.',
    request: { params: z.object({ slug: text({ max: 50, example: 'web-shop' }) }), body: ProjectChanges },
    responses: { 200: { description: 'The project after the change.', result: Project } },
    errors: ['resource_error/already_exists', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, db, org, params } = call;
    const { projects } = org.tables;
    const before = await readProject(db, org.tables, params.slug);
    await requireStays(call, { project: before.id });
    const isRenamed = body.slug !== undefined && body.slug !== before.slug;
    const row = await retried(() =>
      db.transaction(async (tx) => {
        const [updated] = await tx
          .update(projects)
          .set({
            name: body.name,
            closeAfterScans: body.close_after_scans,
            sourceUrl: body.source_url,
            slug: body.slug,
            ...(isRenamed && { formerSlug: before.slug }),
          })
          .where(and(eq(projects.id, before.id), isPresent(org.tables), isNull(projects.transfer)))
          .returning(projectFields(org.tables));
        if (updated && isRenamed)
          await takeFormerSlugs(tx, org.tables, { id: before.id, slugs: [before.slug, updated.slug] });
        return updated;
      }),
    ).catch((error) => {
      throw isUniqueViolation(error)
        ? new ApiError('resource_error/already_exists', { message: 'The slug is taken.' })
        : error;
    });
    if (!row) throw new ApiError('resource_error/not_found');
    for (const setting of ['slug', 'close_after_scans', 'source_url'] as const)
      if (row[setting] !== before[setting])
        logSecurityEvent(call, 'org_setting_changed', { setting, project: row.id, to: row[setting] });
    return ok(toResource(row));
  },
);
