import { cookieOrg } from '../../../lib/http/access.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { requestIssue } from '../../../lib/http/issues.ts';
import { Issue, IssueInput } from '../../../lib/issues/fields.ts';
import { z } from '../../../lib/schema.ts';

export const createIssue = endpoint(
  {
    method: 'post',
    path: '/findings/{id}/issues',
    access: cookieOrg('member', 'finding'),
    audit: 'issue.created',
    tag: 'Findings',
    summary: 'Create or link an issue',
    description:
      'Creates an issue at an issue tracker, or links the one at `url`. It is done after the response: `GET /findings/{id}/issues` shows the outcome. A finding has at most one issue of an integration, so a repeated request returns it (200), and tries again to create one that is `failed`, or `pending` for ten minutes. Findings that are resolved, duplicates, or not on the default branch or a tracked ref get one with `force` only (409 `conflict`).',
    request: { params: z.object({ id: idParam() }), body: IssueInput },
    responses: {
      200: { description: 'The issue that the finding has.', result: Issue },
      202: { description: 'The pending issue.', result: Issue },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => requestIssue(call, { ...call.body, findingIds: [call.params.id] }),
);
