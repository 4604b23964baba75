import { ApiError } from '../../../lib/errors.ts';
import { sessionOrg } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { revokedEntry } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { anotherProject } from '../../../lib/projects/projects.ts';
import { z } from '../../../lib/schema.ts';
import { revokeToken } from '../../../lib/tokens/issue.ts';
import { rankOf } from '../../../lib/tokens/scopes.ts';

export const revokeProjectToken = endpoint(
  {
    method: 'delete',
    path: '/projects/{projectId}/tokens/{id}',
    access: sessionOrg('viewer', 'project'),
    audit: 'token.revoked',
    tag: 'API tokens: project-scoped',
    summary: 'Revoke a project token',
    description:
      'The token stops working with its next request and cannot be restored. Revoking it again changes nothing. The trust in a CI system is for admins (403).',
    request: { params: z.object({ projectId: idParam(), id: idParam() }) },
    responses: { 204: { description: 'Revoked.' } },
    errors: ['token_error/scope_mismatch'],
  },
  async (call) => {
    const { projectId, id } = call.params;
    const outcome = await call.audited(
      ({ db, org, role }) =>
        revokeToken(db, org.tables, id, projectId, {
          trusts: rankOf(role) >= rankOf('admin'),
        }),
      revokedEntry(id),
    );
    const isHidden = outcome.kind === 'other_project' && call.reach !== undefined;
    if (outcome.kind === 'missing' || isHidden) throw new ApiError('resource_error/not_found');
    if (outcome.kind === 'other_project') throw anotherProject();
    if (outcome.kind === 'revoked') {
      const { name: token_name, createdBy: created_by } = outcome.token;
      logSecurityEvent(call, 'token_revoked', { token: id, token_name, project: projectId, created_by });
    }
    return noContent();
  },
);
