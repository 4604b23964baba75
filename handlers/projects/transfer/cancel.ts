import { cancelTransfer } from '../../../db/projects/transfer/transfers.ts';
import { ApiError } from '../../../lib/errors.ts';
import { sessionOrg } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { readProject } from '../../../lib/projects/projects.ts';
import { transferInRequest } from '../../../lib/projects/transfer/run.ts';
import { text, z } from '../../../lib/schema.ts';

export const cancelProjectTransfer = endpoint(
  {
    method: 'delete',
    path: '/projects/{slug}/transfer',
    access: sessionOrg('owner', 'none'),
    audit: 'project.transfer_cancelled',
    tag: 'Projects',
    summary: 'Cancel the transfer of a project',
    description:
      'Takes the slug or the id of the project, which stays as it is. If the project is being moved, it takes changes again after a few seconds. 404 if it is not being transferred, or has arrived.',
    request: { params: z.object({ slug: text({ max: 50, example: 'web-shop' }) }) },
    responses: { 204: { description: 'Cancelled.' } },
  },
  async (call) => {
    const { db, org, params, services } = call;
    const { id: projectId } = await readProject(db, org.tables, params.slug);
    const isCancelled = await call.audited(
      ({ sql }) => cancelTransfer(sql, { projectId, sourceId: org.id }),
      (cancelled) =>
        cancelled ? { target: { type: 'project', id: projectId, name: params.slug } } : undefined,
    );
    if (!isCancelled) throw new ApiError('resource_error/not_found');
    logSecurityEvent(call, 'project_transfer_cancelled', { project: projectId });
    await transferInRequest(services, { org, projectId });
    return noContent();
  },
);
