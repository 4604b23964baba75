import { setFindingStatus } from '../../db/findings/findings.ts';
import { USER_STATUSES } from '../../lib/findings/input.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { ApiError } from '../../lib/http/errors.ts';
import { idParam } from '../../lib/http/fields.ts';
import { z } from '../../lib/http/schema.ts';
import { Finding } from '../../lib/resources.ts';

export const updateFinding = endpoint(
  {
    method: 'patch',
    path: '/findings/{id}',
    access: cookieOrg('member'),
    tag: 'Findings',
    summary: 'Triage a finding',
    description: 'Any status may be set except `verified`, which only agents set.',
    request: { params: z.object({ id: idParam() }), body: z.object({ status: z.enum(USER_STATUSES) }) },
    responses: { 200: { description: 'The finding after the change.', result: Finding } },
  },
  async ({ body, now, org: { tables }, params: { id }, sql }) => {
    const finding = await setFindingStatus(sql, tables, { id, status: body.status, now });
    if (!finding) throw new ApiError('resource_error/not_found');
    return ok(finding);
  },
);
