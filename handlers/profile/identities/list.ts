import { asc, eq } from 'drizzle-orm';
import { identities as t } from '../../../db/schema/accounts.ts';
import { cookie } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { z } from '../../../lib/schema.ts';
import { Identity, toIdentity } from '../../../lib/sso/identities.ts';

export const listIdentities = endpoint(
  {
    method: 'get',
    path: '/profile/identities',
    access: cookie,
    tag: 'Single sign-on',
    summary: 'List the accounts at providers that sign in to this account',
    responses: {
      200: {
        description: 'The accounts, the oldest first.',
        result: z.object({ identities: z.array(Identity) }),
      },
    },
  },
  async ({ db, user }) => {
    const rows = await db.select().from(t).where(eq(t.userId, user.id)).orderBy(asc(t.createdAt), asc(t.id));
    return ok({ identities: rows.map(toIdentity) });
  },
);
