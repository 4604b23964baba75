import { sessionOrg } from '../../../lib/http/access.ts';
import { created } from '../../../lib/http/answer.ts';
import { newValues } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { requireIssuer } from '../../../lib/outbound/issuers.ts';
import { requireProject } from '../../../lib/projects/projects.ts';
import { requireStays } from '../../../lib/projects/transfer/guard.ts';
import { z } from '../../../lib/schema.ts';
import { CiTrust, CiTrustInput, createTrust } from '../../../lib/tokens/ci/trusts.ts';

export const createCiTrust = endpoint(
  {
    method: 'post',
    path: '/projects/{projectId}/ci-trusts',
    access: sessionOrg('admin', 'project'),
    audit: 'ci_trust.created',
    tag: 'API tokens: project-scoped',
    summary: 'Let a CI system sign in to a project without a key',
    description:
      'Its jobs exchange a token that the CI system signs for an API token with the scope `ingest` (`POST /agent/token`). A trust is an API token of the project without a secret: `GET /tokens` lists it, and revoking it deletes the trust. Answers 409 `conflict` when the organization or the project has reached its limit of active tokens.',
    request: { params: z.object({ projectId: idParam() }), body: CiTrustInput },
    responses: { 201: { description: 'The trust.', result: CiTrust } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, db, org, params, services } = call;
    requireIssuer(services.outbound.refusal(body.issuer), body.issuer);
    await requireProject(db, org, params.projectId);
    await requireStays(call, { project: params.projectId });
    const made = await call.audited(
      (inside) => createTrust(inside, services, params.projectId, body),
      ({ id, name, project_id, issuer, claims }) => ({
        target: { type: 'ci_trust', id, name },
        changes: newValues({ project_id, issuer, claims }),
      }),
    );
    const { id: token, name: token_name, project_id: project, issuer } = made;
    logSecurityEvent(call, 'token_created', { token, token_name, scopes: 'ingest', project, issuer });
    return created(made);
  },
);
