import { and, desc, inArray } from 'drizzle-orm';
import { countScans } from '../../db/findings/counts/counts.ts';
import { within } from '../../db/projects/reach.ts';
import { jsonText, scanFields } from '../../db/resources.ts';
import { SCAN_STATUSES } from '../../db/schema/values.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { answerRows } from '../../lib/http/lists/list.ts';
import { pageOf, pageParameters, resultInfo } from '../../lib/http/lists/pages.ts';
import { projectsAmong } from '../../lib/projects/reach.ts';
import { Scan } from '../../lib/resources.ts';
import { anyOf, uuid, z } from '../../lib/schema.ts';

export const listScans = endpoint(
  {
    method: 'get',
    path: '/scans',
    access: cookieOrg('viewer', 'list'),
    tag: 'Scans',
    summary: 'List scans',
    request: {
      query: z.object({
        project_id: uuid().optional(),
        status: anyOf(SCAN_STATUSES).optional(),
        ...pageParameters,
      }),
    },
    responses: { 200: { description: 'The scans, newest first.', result: z.array(Scan), paged: true } },
  },
  async (call) => {
    const { db, org, query } = call;
    const { scans } = org.tables;
    const page = pageOf(query);
    const { project_id, status: statuses } = query;
    const projects = projectsAmong(call, project_id === undefined ? undefined : [project_id]);
    const rows = db
      .select({ json: jsonText(scanFields(org.tables)) })
      .from(scans)
      .where(and(within(scans.projectId, projects), statuses && inArray(scans.status, statuses)))
      .orderBy(desc(scans.createdAt), desc(scans.scanId));
    if (!page) return answerRows(call, rows.toSQL(), { fromReplica: true });
    const { all } = await countScans(db, org.tables, { projects, statuses });
    // No more than there are: or all scans would be searched for one more.
    const limit = Math.max(0, Math.min(page.perPage, all - page.offset));
    const limited = rows.limit(limit).offset(page.offset);
    return answerRows(call, limited.toSQL(), { info: resultInfo(page, all) });
  },
);
