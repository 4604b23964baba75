import { desc } from 'drizzle-orm';
import { countScans } from '../../db/counts.ts';
import { jsonText, scanFields } from '../../db/resources.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { answerRows, pageOf, pageParameters, resultInfo } from '../../lib/http/list.ts';
import { z } from '../../lib/http/schema.ts';
import { Scan } from '../../lib/resources.ts';

export const listScans = endpoint(
  {
    method: 'get',
    path: '/scans',
    access: cookieOrg(),
    tag: 'Scans',
    summary: 'List scans',
    request: { query: z.object(pageParameters) },
    responses: { 200: { description: 'Newest first.', result: z.array(Scan), paged: true } },
  },
  async (call) => {
    const { db, org, query } = call;
    const { scans } = org.tables;
    const page = pageOf(query);
    const rows = db
      .select({ json: jsonText(scanFields(org.tables)) })
      .from(scans)
      .orderBy(desc(scans.createdAt), desc(scans.scanId));
    if (!page) return answerRows(call, rows.toSQL());
    const { all } = await countScans(db, org.tables);
    const limited = rows.limit(page.perPage).offset(page.offset);
    return answerRows(call, limited.toSQL(), { info: resultInfo(page, all) });
  },
);
