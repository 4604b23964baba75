import { ApiError } from '../../lib/errors.ts';
import { sessionOrg } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { revokedEntry } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { z } from '../../lib/schema.ts';
import { revokeToken as revoke } from '../../lib/tokens/issue.ts';

export const revokeToken = endpoint(
  {
    method: 'delete',
    path: '/tokens/{id}',
    access: sessionOrg('admin', 'none'),
    audit: 'token.revoked',
    tag: 'API tokens: org-wide',
    summary: 'Revoke a token of the organization',
    description:
      'Takes an org-wide token or a token of a project. The token stops working with its next request and cannot be restored. Revoking it again changes nothing.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Revoked.' } },
  },
  async (call) => {
    const { id } = call.params;
    const outcome = await call.audited(({ db, org }) => revoke(db, org.tables, id), revokedEntry(id));
    if (outcome.kind === 'missing') throw new ApiError('resource_error/not_found');
    if (outcome.kind === 'revoked') {
      const { name: token_name, projectId, createdBy: created_by } = outcome.token;
      const project = projectId ?? undefined;
      logSecurityEvent(call, 'token_revoked', { token: id, token_name, project, created_by });
    }
    return noContent();
  },
);
