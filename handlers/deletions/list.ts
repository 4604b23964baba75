import { readDeletions } from '../../db/deletions/list.ts';
import { Deletion, toDeletion, UNDO_DAYS } from '../../lib/deletions/deletion.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { readerOf } from '../../lib/http/bulk/start-deletion.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { pageParameters, requiredPage, resultInfo } from '../../lib/http/lists/pages.ts';
import { z } from '../../lib/schema.ts';

export const listDeletions = endpoint(
  {
    method: 'get',
    path: '/deletions',
    access: cookieOrg('admin', 'list'),
    tag: 'Findings',
    summary: 'List deletions that can be undone',
    description: `The deletions of scans and of many findings in the last ${UNDO_DAYS} days, newest first, also those that are undone. Always a page.`,
    request: { query: z.object(pageParameters) },
    responses: { 200: { description: 'The deletions.', result: z.array(Deletion), paged: true } },
  },
  async (call) => {
    const page = requiredPage(call.query);
    const window = { limit: page.perPage, offset: page.offset };
    const { total, deletions } = await readDeletions(call.sql, call.org.tables, readerOf(call), window);
    return ok(deletions.map(toDeletion), { result_info: resultInfo(page, total) });
  },
);
