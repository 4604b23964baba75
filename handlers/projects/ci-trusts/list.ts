import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { requireProject } from '../../../lib/projects/projects.ts';
import { z } from '../../../lib/schema.ts';
import { CiTrust, listTrusts } from '../../../lib/tokens/ci/trusts.ts';

export const listCiTrusts = endpoint(
  {
    method: 'get',
    path: '/projects/{projectId}/ci-trusts',
    access: cookieOrg('viewer', 'project'),
    tag: 'API tokens: project-scoped',
    summary: 'List the CI systems that sign in to a project without a key',
    description: 'Newest first.',
    request: { params: z.object({ projectId: idParam() }) },
    responses: { 200: { description: 'The trusts.', result: z.array(CiTrust) } },
  },
  async ({ db, org, params: { projectId } }) => {
    await requireProject(db, org, projectId);
    return ok(await listTrusts(db, org.tables, projectId));
  },
);
