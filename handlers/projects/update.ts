import { and, eq, isNull } from 'drizzle-orm';
import { isUniqueViolation } from '../../db/errors.ts';
import { isPresent } from '../../db/projects/deletion.ts';
import { isFormerSlugOfOthers, takeFormerSlugs } from '../../db/projects/slugs.ts';
import { projectFields, toResource } from '../../db/resources.ts';
import { trackSeries } from '../../db/scans/series.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { changesOf } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { name } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { projectSlug, readProject, sourceUrl } from '../../lib/projects/projects.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { Project } from '../../lib/resources.ts';
import { settleSeries } from '../../lib/scans/end.ts';
import { removable, text, z } from '../../lib/schema.ts';

const MAX_SCANS = 10;
const MAX_REF = 255;
const MAX_TRACKED = 20;

const slugTaken = () => new ApiError('resource_error/already_exists', { message: 'The slug is taken.' });

const SETTINGS = ['slug', 'close_after_scans', 'default_ref', 'tracked_refs', 'source_url'] as const;

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
    default_ref: removable(text({ min: 1, max: MAX_REF, trim: true, example: 'main' })).openapi({
      description:
        'The default branch. The state of findings follows it, the tracked refs, and scans without a ref. Null: all refs count as the default branch. The first scan that names a `default_ref` sets it.',
    }),
    tracked_refs: z
      .array(text({ min: 1, max: MAX_REF, trim: true, example: 'release/*' }))
      .max(MAX_TRACKED, `must have at most ${MAX_TRACKED} patterns`)
      .optional()
      .openapi({
        description:
          'Patterns of further refs that the state of findings follows; `*` stands for any characters. They have an effect only with a default branch.',
      }),
    source_url: removable(sourceUrl()).openapi({
      description:
        'The `https` or `http` address of the repository on GitHub, GitLab, Bitbucket or Azure DevOps, or a template of links with `{path}` and optionally `{commit}`, `{branch}` and `{line}`. Null: no links.',
    }),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    path: ['name'],
    message: 'is required, or slug, close_after_scans, default_ref, tracked_refs or source_url',
  })
  .openapi('ProjectChanges', { example: { close_after_scans: 3 } });

export const updateProject = endpoint(
  {
    method: 'patch',
    path: '/projects/{slug}',
    access: cookieOrg('admin', 'project'),
    audit: 'project.changed',
    tag: 'Projects',
    summary: 'Change a project',
    description:
      'Takes the slug or the id of the project. At least one field is required. After a change of the slug, the former one still names the project, until another project gets it.',
    request: { params: z.object({ slug: text({ max: 50, example: 'web-shop' }) }), body: ProjectChanges },
    responses: { 200: { description: 'The project after the change.', result: Project } },
    errors: ['resource_error/already_exists', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, db, org, params, reach, role } = call;
    const { projects } = org.tables;
    const before = await readProject(db, org.tables, call.checkedProject ?? params.slug);
    await requireStays(call, { project: before.id });
    const changesRefs = body.default_ref !== undefined || body.tracked_refs !== undefined;
    const isRenamed = body.slug !== undefined && body.slug !== before.slug;
    const { updated: row, changed } = await call
      .audited(
        (inside) =>
          inside.db.transaction(async (tx) => {
            const [updated] = await tx
              .update(projects)
              .set({
                name: body.name,
                closeAfterScans: body.close_after_scans,
                defaultRef: body.default_ref,
                trackedRefs: body.tracked_refs && (body.tracked_refs.length > 0 ? body.tracked_refs : null),
                sourceUrl: body.source_url,
                slug: body.slug,
                ...(isRenamed && { formerSlug: before.slug }),
              })
              .where(and(eq(projects.id, before.id), isPresent(org.tables), isNull(projects.transfer)))
              .returning(projectFields(org.tables));
            if (updated && isRenamed) {
              // Links to a project where the caller is no admin must not lead to this one.
              if (reach && (await isFormerSlugOfOthers(tx, org.tables, updated.slug, reach.ids)))
                throw slugTaken();
              await takeFormerSlugs(tx, org.tables, { id: before.id, slugs: [before.slug, updated.slug] });
            }
            const changed = updated && changesRefs ? await trackSeries(tx, org.tables, before.id) : [];
            return { updated, changed };
          }),
        ({ updated }) =>
          updated && {
            target: { type: 'project', id: before.id, name: before.slug },
            changes: changesOf<object>(toResource(before as never), toResource(updated)),
          },
      )
      .catch((error) => {
        throw isUniqueViolation(error) ? slugTaken() : error;
      });
    if (!row) throw new ApiError('resource_error/not_found');
    for (const setting of SETTINGS)
      if (JSON.stringify(row[setting]) !== JSON.stringify(before[setting]))
        logSecurityEvent(call, 'org_setting_changed', { setting, project: row.id, to: row[setting] });
    await settleSeries({ ...call, nextId: call.services.nextId }, changed);
    return ok(toResource({ ...row, role: reach ? role : null }));
  },
);
