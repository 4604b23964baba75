import { unlinkIssue } from '../../../db/issues/claim.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { newValues } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { requireStays } from '../../../lib/projects/transfer/guard.ts';
import { z } from '../../../lib/schema.ts';

export const unlinkFindingIssue = endpoint(
  {
    method: 'delete',
    path: '/findings/{id}/issues/{issueId}',
    access: cookieOrg('member', 'finding'),
    audit: 'issue.unlinked',
    tag: 'Findings',
    summary: 'Unlink an issue',
    description:
      'Takes the issue from the finding. Other findings keep it, and it stays at the tracker. A pending one is not created if no other finding has it.',
    request: { params: z.object({ id: idParam(), issueId: idParam() }) },
    responses: { 204: { description: 'Unlinked.' } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { org, params } = call;
    await requireStays(call, { findings: [params.id] });
    const key = { findingId: params.id, id: params.issueId };
    const unlinked = await call.audited(
      ({ sql }) => unlinkIssue(sql, org.tables, key),
      (issue) =>
        issue && {
          target: { type: 'issue', id: key.id },
          changes: newValues({ finding_ids: [key.findingId], url: issue.url }),
        },
    );
    if (!unlinked) throw new ApiError('resource_error/not_found');
    return noContent();
  },
);
