import { cookieOrg } from '../../../lib/http/access.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { requestIssue } from '../../../lib/http/issues.ts';
import { Issue, MAX_FINDINGS, ManyIssueInput } from '../../../lib/issues/fields.ts';

export const createSharedIssue = endpoint(
  {
    method: 'post',
    path: '/findings/issues',
    access: cookieOrg('member', 'list'),
    audit: 'issue.created',
    tag: 'Findings',
    summary: 'Create one issue of several findings',
    description: `As \`POST /findings/{id}/issues\`, for up to ${MAX_FINDINGS} findings. All of them have to be in projects that the caller reaches (404) and that the integration is for. If all have the same issue already, it is returned (200); if some have one, none is created (409 \`conflict\`).`,
    request: { body: ManyIssueInput },
    responses: {
      200: { description: 'The issue that the findings have.', result: Issue },
      202: { description: 'The pending issue.', result: Issue },
    },
    errors: ['resource_error/conflict', 'resource_error/not_found'],
  },
  async (call) => requestIssue(call, { ...call.body, findingIds: call.body.finding_ids }),
);
