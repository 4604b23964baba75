import { isIndexed, readOrgActivity, searchOrgActivity } from '../../db/findings/triage/org-activity.ts';
import { activityFilter, activityShape, OrgActivityEntry } from '../../lib/findings/triage/activity.ts';
import { shownEntries } from '../../lib/findings/triage/comments.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { pageParameters, requiredPage, resultInfo } from '../../lib/http/lists/pages.ts';
import { search } from '../../lib/http/lists/search.ts';
import { z } from '../../lib/schema.ts';

export const listActivity = endpoint(
  {
    method: 'get',
    path: '/activity',
    access: cookieOrg('viewer', 'list'),
    tag: 'Findings',
    summary: 'List the activity of all findings',
    description:
      'Decisions, comments and changes by scans, newest first, each with its finding. Always a page. First reports are not listed: `GET /findings?found_after=` finds them. `total` counts at most 10,000 entries after the page.',
    request: { query: z.object({ ...activityShape, ...pageParameters }) },
    responses: { 200: { description: 'The entries.', result: z.array(OrgActivityEntry), paged: true } },
  },
  async (call) => {
    const { org, query, services, sql } = call;
    const page = requiredPage(query);
    const window = { limit: page.perPage, offset: page.offset };
    const filter = activityFilter(call, query);
    const { total, entries } = isIndexed(filter, window.offset)
      ? await readOrgActivity(sql, org.tables, filter, window)
      : await search(call, (limits) =>
          services.reads.once(org, (client) => searchOrgActivity(client, org.tables, filter, window, limits)),
        );
    const shown = await shownEntries(call, services.config, entries);
    return ok(shown, { result_info: resultInfo(page, total) });
  },
);
