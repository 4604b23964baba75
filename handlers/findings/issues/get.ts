import { readIssue } from '../../../db/issues/list.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { readTrackers } from '../../../lib/issues/claims.ts';
import { Issue, toIssue } from '../../../lib/issues/fields.ts';
import { z } from '../../../lib/schema.ts';

export const getIssue = endpoint(
  {
    method: 'get',
    path: '/findings/{id}/issues/{issueId}',
    access: cookieOrg('viewer', 'finding'),
    tag: 'Findings',
    summary: 'Get an issue of a finding',
    request: { params: z.object({ id: idParam(), issueId: idParam() }) },
    responses: { 200: { description: 'The issue.', result: Issue } },
  },
  async ({ db, org, params, reach, sql }) => {
    const row = await readIssue(sql, org.tables, { findingId: params.id, id: params.issueId }, reach);
    if (!row) throw new ApiError('resource_error/not_found');
    return ok(toIssue(row, await readTrackers(db, org.id)));
  },
);
