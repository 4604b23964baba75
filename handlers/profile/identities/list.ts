import { cookie } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { z } from '../../../lib/schema.ts';
import {
  Connectable,
  Identity,
  listConnectable,
  listIdentities as readIdentities,
} from '../../../lib/sso/identities.ts';

export const listIdentities = endpoint(
  {
    method: 'get',
    path: '/profile/identities',
    access: cookie,
    tag: 'Single sign-on',
    summary: 'List the accounts at providers that sign in to this account',
    responses: {
      200: {
        description: 'The accounts, the oldest first, and the connections whose accounts can be connected.',
        result: z.object({ identities: z.array(Identity), connections: z.array(Connectable) }),
      },
    },
  },
  async ({ db, services, user }) => {
    const connections = await listConnectable(db, services.config, user.id);
    return ok({ identities: await readIdentities(db, user.id), connections });
  },
);
