import { eq } from 'drizzle-orm';
import { users } from '../../db/schema/accounts.ts';
import { toUser } from '../../lib/accounts/sessions/sessions.ts';
import { cookie } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { name } from '../../lib/http/fields.ts';
import { z } from '../../lib/http/schema.ts';
import { Account } from '../../lib/resources.ts';

export const updateMe = endpoint(
  {
    method: 'patch',
    path: '/auth/me',
    access: cookie,
    tag: 'Auth',
    summary: 'Change the name of the signed-in user',
    description:
      'Members of the same organizations see the new name everywhere, also in the activity of findings.',
    request: { body: z.object({ name: name('Ada Lovelace') }) },
    responses: { 200: { description: 'The account.', result: Account } },
  },
  async ({ body, db, user }) => {
    await db.update(users).set({ name: body.name }).where(eq(users.id, user.id));
    return ok({ ...toUser({ ...user, name: body.name }), mfa_enabled: user.mfaEnabled });
  },
);
