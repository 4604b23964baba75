import { readAudit } from '../../db/audit/read.ts';
import { AuditEntry, auditFilter, auditShape } from '../../lib/audit/entries.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { pageParameters, requiredPage, resultInfo } from '../../lib/http/lists/pages.ts';
import { search } from '../../lib/http/lists/search.ts';
import { z } from '../../lib/schema.ts';

export const listAudit = endpoint(
  {
    method: 'get',
    path: '/audit',
    access: cookieOrg('admin', 'none'),
    tag: 'Audit log',
    summary: 'List the audit log of the organization',
    description:
      'Changes, exports and refused calls of members and tokens, newest first. Always a page. `total` counts at most 10,000 entries after the page. Pushes, reports and the triage of findings are not in it: `GET /activity` has them.',
    request: { query: z.object({ ...auditShape, ...pageParameters }) },
    responses: { 200: { description: 'The entries.', result: z.array(AuditEntry), paged: true } },
  },
  async (call) => {
    const { org, query } = call;
    const page = requiredPage(query);
    const window = { limit: page.perPage, offset: page.offset };
    const { total, entries } = await search(call, (limits) =>
      readAudit(call.sql, org.tables, auditFilter(query), window, limits),
    );
    return ok(entries as z.output<typeof AuditEntry>[], { result_info: resultInfo(page, total) });
  },
);
