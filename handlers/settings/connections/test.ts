import { ApiError } from '../../../lib/errors.ts';
import { freshCookieOrg } from '../../../lib/http/access.ts';
import { beginSso } from '../../../lib/http/accounts/sso.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { shown, z } from '../../../lib/schema.ts';
import { findConnection } from '../../../lib/sso/connections.ts';

export const testConnection = endpoint(
  {
    method: 'post',
    path: '/settings/connections/{id}/test',
    access: freshCookieOrg('owner', 'none'),
    audit: 'connection.tested',
    tag: 'Single sign-on',
    summary: 'Test a connection for single sign-on',
    description:
      'Starts a sign-in that shows the claims and the role that they give, and signs nobody in: send this browser to `url`. Works for connections that are switched off.',
    request: { params: z.object({ id: idParam() }) },
    responses: {
      200: {
        description: 'The page of the provider.',
        result: z.object({ url: shown('https://login.acme.example/authorize?client_id=svc-findings') }),
      },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { db, org, params, services } = call;
    const { config, secretBox } = services;
    const connection = await findConnection({ db, config, secretBox }, params.id);
    if (connection?.orgId !== org.id) throw new ApiError('resource_error/not_found');
    const url = await beginSso(call, connection, { purpose: 'test' });
    await call.audited(
      async () => {},
      () => ({ target: { type: 'connection', id: connection.id, name: connection.name } }),
    );
    return ok({ url });
  },
);
