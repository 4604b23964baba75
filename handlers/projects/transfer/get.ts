import { readTransfers } from '../../../db/projects/transfer/transfers.ts';
import { ApiError } from '../../../lib/errors.ts';
import { sessionOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { readProject } from '../../../lib/projects/projects.ts';
import { ProjectTransfer, transferState } from '../../../lib/projects/transfer/state.ts';
import { text, z } from '../../../lib/schema.ts';

export const getProjectTransfer = endpoint(
  {
    method: 'get',
    path: '/projects/{slug}/transfer',
    access: sessionOrg('owner', 'none'),
    tag: 'Projects',
    summary: 'Get the transfer of a project',
    description:
      'Takes the slug or the id of the project. 404 if it is not being transferred. Once it is in the other organization, the project is not found here either.',
    request: { params: z.object({ slug: text({ max: 50, example: 'web-shop' }) }) },
    responses: { 200: { description: 'The transfer.', result: ProjectTransfer } },
  },
  async ({ db, org, params, sql }) => {
    const { id: projectId } = await readProject(db, org.tables, params.slug);
    const [transfer] = await readTransfers(sql, { projectId });
    if (transfer?.sourceId !== org.id) throw new ApiError('resource_error/not_found');
    return ok(transferState(transfer));
  },
);
