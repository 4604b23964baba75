import { NO_DUE_DAYS, readDueDays } from '../../../db/policies/due-dates.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { DueDates } from '../../../lib/policies/due-dates.ts';

export const getDueDates = endpoint(
  {
    method: 'get',
    path: '/settings/due-dates',
    access: cookieOrg('viewer', 'any member'),
    tag: 'Policies',
    summary: 'Get after how many days findings are due',
    description: 'Days by severity. `null` means no due date.',
    responses: { 200: { description: 'The days.', result: DueDates } },
  },
  async ({ org, sql }) => ok((await readDueDays(sql, org.tables)) ?? NO_DUE_DAYS),
);
