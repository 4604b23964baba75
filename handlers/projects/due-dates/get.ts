import { NO_DUE_DAYS, readDueDays } from '../../../db/policies/due-dates.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { DueDates } from '../../../lib/policies/due-dates.ts';
import { z } from '../../../lib/schema.ts';

export const getProjectDueDates = endpoint(
  {
    method: 'get',
    path: '/projects/{id}/due-dates',
    access: cookieOrg('viewer', 'project'),
    tag: 'Policies',
    summary: 'Get after how many days findings of a project are due',
    description: "Days by severity. `null` means the organization's days, `0` no due date.",
    request: { params: z.object({ id: idParam() }) },
    responses: { 200: { description: 'The days.', result: DueDates } },
  },
  async ({ org, params, sql }) => {
    const days = await readDueDays(sql, org.tables, params.id);
    if (!days) throw new ApiError('resource_error/not_found', { message: 'The project does not exist.' });
    return ok({ ...NO_DUE_DAYS, ...days });
  },
);
