import { freshCookieOrg } from '../../lib/http/access.ts';
import { created } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { requireOrgFlag } from '../../lib/orgs/flags.ts';
import { CreatedToken, issueToken, TokenInput } from '../../lib/tokens/issue.ts';

export const createToken = endpoint(
  {
    method: 'post',
    path: '/tokens',
    access: freshCookieOrg('admin', 'none'),
    audit: 'token.created',
    tag: 'API tokens: org-wide',
    summary: 'Create an org-wide token',
    description:
      'The token acts on all projects. Requires the feature flag `org_wide_tokens`. The full token is returned only here. All owners get a mail. Answers 409 `conflict` when the organization has reached its limit of active tokens.',
    request: { body: TokenInput },
    responses: { 201: { description: 'The token and its metadata.', result: CreatedToken } },
    errors: ['permission_error/feature_disabled', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, db, org, services } = call;
    await requireOrgFlag(db, org, 'org_wide_tokens');
    const made = await call.audited(
      (inside) => issueToken(inside, services, null, body, call.freshActor()),
      ({ info }) => ({
        target: { type: 'token', id: info.id, name: info.name },
        changes: newValues({
          scopes: info.scopes,
          project_id: info.project_id || undefined,
          expires_at: info.expires_at,
        }),
      }),
    );
    services.mail.kick();
    const { id: token, name: token_name, expires_at } = made.info;
    logSecurityEvent(call, 'token_created', { token, token_name, scopes: body.scopes.join(), expires_at });
    return created(made);
  },
);
