import { sessionOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { shown, z } from '../../../lib/schema.ts';
import { findScimToken, ScimToken, scimUrl, toScimToken } from '../../../lib/scim/tokens.ts';

export const getScim = endpoint(
  {
    method: 'get',
    path: '/settings/scim',
    access: sessionOrg('owner'),
    tag: 'Provisioning',
    summary: 'Get the state of provisioning',
    description: 'The URL for the provider, and the token without its secret part, if there is one.',
    responses: {
      200: {
        description: 'The state.',
        result: z
          .object({
            base_url: shown('https://findings.example.com/scim/v2', 'To enter at the provider.'),
            token: ScimToken.optional(),
          })
          .openapi('ScimSettings'),
      },
    },
  },
  async ({ db, org, services }) => {
    const row = await findScimToken(db, org.id);
    return ok({ base_url: scimUrl(services.config), ...(row && { token: toScimToken(row) }) });
  },
);
