import { cookieOrg } from '../../lib/http/access.ts';
import { created } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { requireOrgFlag } from '../../lib/orgs/flags.ts';
import { CreatedToken, issueToken, TokenInput } from '../../lib/tokens/issue.ts';

export const createToken = endpoint(
  {
    method: 'post',
    path: '/tokens',
    access: cookieOrg('admin'),
    tag: 'API tokens: org-wide',
    summary: 'Create an org-wide token',
    description:
      'It may act on all projects. The organization must have switched on `org_wide_tokens`. The full token is shown this once. 409 `conflict` when the organization has as many active tokens as it may.',
    request: { body: TokenInput },
    responses: { 201: { description: 'The token, and what is kept of it.', result: CreatedToken } },
    errors: ['permission_error/feature_disabled', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, db, org } = call;
    await requireOrgFlag(db, org, 'org_wide_tokens');
    return created(await issueToken(call, null, body));
  },
);
