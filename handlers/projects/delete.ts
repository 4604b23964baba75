import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { deleteProject as deleteOrgProject } from '../../lib/projects/delete.ts';
import { readProject } from '../../lib/projects/projects.ts';
import { purgeInRequest } from '../../lib/projects/purge.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { text, z } from '../../lib/schema.ts';

const ProjectDeletion = z
  .object({
    confirm: text({ max: 50, example: 'web-shop' }).openapi({ description: 'The slug of the project.' }),
  })
  .openapi('ProjectDeletion', { example: { confirm: 'web-shop' } });

export const deleteProject = endpoint(
  {
    method: 'delete',
    path: '/projects/{slug}',
    access: freshCookieOrg('admin', 'project'),
    audit: 'project.deleted',
    tag: 'Projects',
    summary: 'Delete a project',
    description:
      'Takes the slug or the id of the project. It disappears at once with its tokens, and takes no more pushes. Its findings and scans are removed in the background, unless that takes less than a second. Cannot be undone. All owners of the organization get a mail.',
    request: {
      params: z.object({ slug: text({ max: 50, example: 'web-shop' }) }),
      body: ProjectDeletion,
    },
    responses: { 204: { description: 'Deleted.' } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, db, org, params, services } = call;
    const project = await readProject(db, org.tables, call.checkedProject ?? params.slug);
    if (body.confirm !== project.slug)
      throw new ApiError('validation_error/field_invalid', {
        details: [{ field: 'confirm', message: 'must be the slug of the project' }],
      });
    await requireStays(call, { project: project.id });
    const tokens = await call.audited(
      (inside) => deleteOrgProject(inside.db, org, project, call.freshActor()),
      (revoked) =>
        revoked === undefined
          ? undefined
          : {
              target: { type: 'project', id: project.id, name: project.slug },
              changes: newValues({ tokens_revoked: revoked }),
            },
    );
    if (tokens === undefined) throw new ApiError('resource_error/not_found');
    services.mail.kick();
    logSecurityEvent(call, 'project_deleted', { project: project.id, project_slug: project.slug, tokens });
    await purgeInRequest(services, org, project.id);
    return noContent();
  },
);
