import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { okJson } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { Finding } from '../../lib/resources.ts';
import { z } from '../../lib/schema.ts';

export const getFinding = endpoint(
  {
    method: 'get',
    path: '/findings/{id}',
    access: cookieOrg('viewer', 'finding'),
    tag: 'Findings',
    summary: 'Get a finding',
    request: { params: z.object({ id: idParam() }) },
    responses: { 200: { description: 'The finding.', result: Finding } },
  },
  async ({ c, org, params: { id }, services }) => {
    const json = await services.readFinding(org, id);
    if (json === undefined) throw new ApiError('resource_error/not_found');
    return okJson(c.get('request'), json);
  },
);
