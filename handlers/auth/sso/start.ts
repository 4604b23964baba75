import { baseDomainOnly } from '../../../lib/http/access.ts';
import { beginSso, orExplain } from '../../../lib/http/accounts/sso.ts';
import { redirect } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { email } from '../../../lib/http/fields.ts';
import { flag, text, uuid, z } from '../../../lib/schema.ts';
import {
  connectionOfAddress,
  connectionOfOrg,
  deploymentConnection,
  findConnection,
} from '../../../lib/sso/connections.ts';
import { SsoRefusal } from '../../../lib/sso/refusal.ts';
import { returnTo } from '../../../lib/sso/return-to.ts';

export const startSso = endpoint(
  {
    method: 'get',
    path: '/auth/sso/start',
    access: baseDomainOnly,
    tag: 'Single sign-on',
    summary: 'Sign in at a provider',
    description:
      'For a browser to navigate to. Give one of `connection` (an id), `org` (a slug: its first connection that is enabled) and `email` (by a proven domain); without any, the connection of the deployment is used. The sign-in can be completed in the same browser only, within 10 minutes. `Accept: text/html` gets errors as a redirect to the sign-in page.',
    request: {
      query: z.object({
        connection: uuid().optional(),
        org: text({ min: 1, max: 50, example: 'acme' }).optional(),
        email: email().optional(),
        return_to: returnTo().optional(),
        fresh: flag().optional().openapi({
          description:
            'The provider asks for the password again. The new session may then change what requires a step-up.',
        }),
      }),
    },
    responses: { 302: { description: 'The page of the provider.' } },
    errors: ['resource_error/not_found', 'resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { db, peer, query, services } = call;
    const { config, secretBox } = services;
    await services.limits.count('client', peer.ip);
    const context = { db, config, secretBox };
    async function find() {
      if (query.connection) return findConnection(context, query.connection);
      if (query.email) return connectionOfAddress(context, query.email);
      if (!query.org) return deploymentConnection(config);
      const org = await services.orgs.named(query.org);
      return org && connectionOfOrg(context, org.id);
    }
    return orExplain(
      call,
      () => ({ path: '/login', ...(query.email && { query: { email: query.email } }) }),
      async () => {
        const connection = await find();
        if (!connection?.enabled)
          throw new SsoRefusal('not_found', 'No single sign-on is set up for this organization or address.');
        return redirect(
          await beginSso(call, connection, {
            ...{ purpose: 'sign-in', returnTo: query.return_to, isFresh: query.fresh },
          }),
        );
      },
    );
  },
);
