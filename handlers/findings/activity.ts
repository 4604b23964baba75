import { readActivity } from '../../db/findings/triage/activity.ts';
import { ApiError } from '../../lib/errors.ts';
import { ActivityEntry } from '../../lib/findings/triage/activity.ts';
import { shownEntries } from '../../lib/findings/triage/comments.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { pageParameters, requiredPage, resultInfo } from '../../lib/http/lists/pages.ts';
import { z } from '../../lib/schema.ts';

export const getActivity = endpoint(
  {
    method: 'get',
    path: '/findings/{id}/activity',
    access: cookieOrg('viewer', 'finding'),
    tag: 'Findings',
    summary: 'Get the activity of a finding',
    description: 'The events of the finding, newest first. Always a page.',
    request: { params: z.object({ id: idParam() }), query: z.object(pageParameters) },
    responses: { 200: { description: 'The entries.', result: z.array(ActivityEntry), paged: true } },
  },
  async (call) => {
    const { org, params, query, services, sql } = call;
    const page = requiredPage(query);
    const window = { limit: page.perPage, offset: page.offset };
    const activity = await readActivity(sql, org.tables, params.id, window);
    if (!activity) throw new ApiError('resource_error/not_found');
    const entries = await shownEntries(call, services.config, activity.entries);
    return ok(entries, { result_info: resultInfo(page, activity.total) });
  },
);
