import { publicAccess } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { shown, z } from '../../lib/schema.ts';
import { SsoOffer, ssoOffer } from '../../lib/sso/offer.ts';

export const authConfig = endpoint(
  {
    method: 'get',
    path: '/config/auth',
    access: publicAccess,
    tag: 'Configuration',
    summary: 'Get the base domain',
    withoutDatabase: true,
    responses: {
      200: {
        description: 'The base domain; empty when none is configured.',
        result: z.object({ base_domain: shown('findings.example.com'), sso: SsoOffer.optional() }),
      },
    },
  },
  async ({ services }) => ok({ base_domain: services.config.baseDomain ?? '', ...ssoOffer(services.config) }),
);
