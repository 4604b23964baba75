import { readNetworks } from '../../../db/orgs/networks.ts';
import { ApiError } from '../../../lib/errors.ts';
import { publicAccess } from '../../../lib/http/access.ts';
import { created } from '../../../lib/http/answer.ts';
import { newValues } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { resolveOrg } from '../../../lib/http/middleware/access/organization.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { networkOf } from '../../../lib/network.ts';
import { requireNetwork } from '../../../lib/orgs/access-limits.ts';
import { EXAMPLE_ID, shown, text, timestamp, z } from '../../../lib/schema.ts';
import { checkIdToken, issueCiToken } from '../../../lib/tokens/ci/exchange.ts';

export const exchangeCiToken = endpoint(
  {
    method: 'post',
    path: '/agent/token',
    access: publicAccess,
    audit: 'ci_trust.used',
    tag: 'Agent ingest',
    summary: 'Exchange a token of a CI system for an API token',
    description:
      'For jobs without a key. Takes an OpenID Connect token that a trust of the project accepts (`POST /projects/{projectId}/ci-trusts`), with the public URL of this service as its audience, at most an hour old. The API token has the scope `ingest` and works for an hour. The same token gives the same API token again. Answers 401 `invalid` with the same message whether the project does not exist, has no such trust, or the token is not valid. The organization is named as for all agents.',
    request: {
      body: z
        .object({
          id_token: text({ min: 1, max: 16_384, example: 'eyJhbGciOiJSUzI1NiJ9.eyJ.sig' }),
          project: text({ min: 1, max: 50, example: 'web-shop' }).openapi({
            description: 'The id or the slug of the project.',
          }),
        })
        .openapi('CiTokenExchange', {
          example: { id_token: 'eyJhbGciOiJSUzI1NiJ9.eyJ.sig', project: 'web-shop' },
        }),
    },
    responses: {
      201: {
        description: 'The API token.',
        result: z.object({
          token: shown('svc_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b'),
          project_id: shown(EXAMPLE_ID),
          expires_at: timestamp(),
        }),
      },
    },
    errors: [
      'tenant_error/not_found',
      'token_error/invalid',
      'permission_error/address_not_allowed',
      'rate_limit_error/exceeded',
    ],
  },
  async (call) => {
    const { body, c, peer, services } = call;
    const org = await resolveOrg(call);
    c.get('request').org = org.slug;
    const checked = await checkIdToken(services, { ...call, org }, body);
    if ('refused' in checked) {
      const { project } = body;
      // Accepted ones are not counted: runners share addresses, so others could keep them out.
      await services.limits.count('exchange', networkOf(peer.ip));
      logSecurityEvent(call, 'ci_token_refused', { project, reason: checked.refused });
      throw new ApiError('token_error/invalid', {
        message: 'The token of the CI system is not accepted for this project.',
      });
    }
    requireNetwork(await readNetworks(call.db, org.tables), peer.ip);
    const { id, name, project_id } = checked.trust;
    const run = await call.audited(
      ({ db, now }) => issueCiToken(db, org.tables, checked, { ...services, now }),
      (issued) =>
        issued.isNew
          ? {
              org,
              actor: { type: 'token', id, name: issued.name },
              target: { type: 'ci_trust', id, name },
              changes: newValues({ project_id, expires_at: issued.expiresAt.toISOString() }),
            }
          : undefined,
    );
    const expires_at = run.expiresAt.toISOString();
    if (run.isNew)
      logSecurityEvent(call, 'token_created', {
        ...{ token: id, token_name: run.name, scopes: 'ingest', project: project_id, expires_at },
      });
    return created({ token: run.token, project_id, expires_at });
  },
);
