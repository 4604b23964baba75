import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { beginSso } from '../../../lib/http/accounts/sso.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { shown, uuid, z } from '../../../lib/schema.ts';
import { findConnection } from '../../../lib/sso/connections.ts';
import { listConnectable } from '../../../lib/sso/identities.ts';
import { returnTo } from '../../../lib/sso/return-to.ts';

export const connectIdentity = endpoint(
  {
    method: 'post',
    path: '/profile/identities',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Single sign-on',
    summary: 'Connect an account at a provider',
    description:
      'Starts a sign-in at a connection that `GET /profile/identities` lists: send this browser to `url`. Only this session completes it, within 10 minutes. The account there must have a verified address of this account. It signs in to this account from then on. You get a mail.',
    request: { body: z.object({ connection: uuid(), return_to: returnTo().optional() }) },
    responses: {
      200: {
        description: 'The page of the provider.',
        result: z.object({ url: shown('https://login.acme.example/authorize?client_id=svc-findings') }),
      },
    },
    errors: ['resource_error/conflict', 'resource_error/not_found'],
  },
  async (call) => {
    const { body, db, services, sessionId, user } = call;
    const { config, secretBox } = services;
    const offered = await listConnectable(db, config, user.id);
    const connection = offered.some(({ id }) => id === body.connection)
      ? await findConnection({ db, config, secretBox }, body.connection)
      : undefined;
    if (!connection) throw new ApiError('resource_error/not_found');
    const url = await beginSso(call, connection, { purpose: 'link', sessionId, returnTo: body.return_to });
    return ok({ url });
  },
);
