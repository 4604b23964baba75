import { ApiError } from '../../../lib/errors.ts';
import { sessionOrg } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { z } from '../../../lib/schema.ts';
import { listTrusts } from '../../../lib/tokens/ci/trusts.ts';
import { revokeToken } from '../../../lib/tokens/issue.ts';

export const deleteCiTrust = endpoint(
  {
    method: 'delete',
    path: '/projects/{projectId}/ci-trusts/{id}',
    access: sessionOrg('admin', 'project'),
    audit: 'ci_trust.deleted',
    tag: 'API tokens: project-scoped',
    summary: 'Delete the trust in a CI system',
    description: 'The tokens that its jobs have got stop working with their next request.',
    request: { params: z.object({ projectId: idParam(), id: idParam() }) },
    responses: { 204: { description: 'Deleted.' } },
  },
  async (call) => {
    const { projectId, id } = call.params;
    const deleted = await call.audited(
      async ({ db, org: { tables } }) => {
        const trust = (await listTrusts(db, tables, projectId)).find((one) => one.id === id);
        if (!trust) throw new ApiError('resource_error/not_found');
        const { kind } = await revokeToken(db, tables, id, projectId);
        // Another request was faster.
        if (kind !== 'revoked') throw new ApiError('resource_error/not_found');
        return trust;
      },
      ({ name, issuer, claims }) => ({
        target: { type: 'ci_trust', id, name },
        changes: { issuer: { from: issuer }, claims: { from: claims } },
      }),
    );
    const { name: token_name, created_by } = deleted;
    logSecurityEvent(call, 'token_revoked', { token: id, token_name, project: projectId, created_by });
    return noContent();
  },
);
