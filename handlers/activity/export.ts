import { csvHeader } from '../../db/findings/lists/csv.ts';
import { activityCsv, activityCsvFields, isIndexed } from '../../db/findings/triage/org-activity.ts';
import { activityFilter, activityShape } from '../../lib/findings/triage/activity.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { sheetOf } from '../../lib/http/lists/findings.ts';
import { csvFile } from '../../lib/http/lists/findings-file.ts';
import { answerRows } from '../../lib/http/lists/list.ts';
import { z } from '../../lib/schema.ts';

const ActivityCsv = z.string().openapi({
  description: 'A header line with the names of the columns, then one line per entry.',
  example: 'id,at,kind\r\n0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07,2026-01-01T00:00:00.000Z,"status"\r\n',
});

export const exportActivity = endpoint(
  {
    method: 'get',
    path: '/activity/export.csv',
    access: cookieOrg('viewer', 'list'),
    audit: 'activity.exported',
    tag: 'Findings',
    summary: 'Export the activity of all findings as CSV',
    description:
      'All entries that match, with the filters and the order of `GET /activity`, as a stream: RFC 4180, with a header line. `from` and `to` have the names of assignees, as `GET /members` shows them. `finding_url` is the page of the finding.',
    request: { query: z.object(activityShape) },
    responses: { 200: { description: 'The entries.', body: { type: 'text/csv', schema: ActivityCsv } } },
  },
  async (call) => {
    const { tables } = call.org;
    const filter = activityFilter(call, call.query);
    const sheet = await sheetOf(call);
    return answerRows(call, activityCsv(tables, filter, sheet), {
      ...csvFile('activity', csvHeader(activityCsvFields(tables, sheet)), call),
      isSearch: !isIndexed(filter),
      fromReplica: true,
    });
  },
);
