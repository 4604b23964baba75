import { readRetention } from '../../../db/retention/settings.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { Retention } from '../../../lib/retention/settings.ts';

export const getRetention = endpoint(
  {
    method: 'get',
    path: '/settings/retention',
    access: cookieOrg('viewer', 'any member'),
    tag: 'Policies',
    summary: 'Get how long findings and scans are kept',
    description: 'Days by kind. `null` means for ever, which is the default.',
    responses: { 200: { description: 'The days.', result: Retention } },
  },
  async ({ db, org }) => {
    const days = await readRetention(db, org.id);
    // It has left the database since the access checks.
    if (!days) throw new ApiError('tenant_error/not_member');
    return ok(days);
  },
);
