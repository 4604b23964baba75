import { and, eq } from 'drizzle-orm';
import { userEmails } from '../../../db/shared.ts';
import { lockUser } from '../../../lib/auth/accounts.ts';
import { cookie } from '../../../lib/http/access.ts';
import { done, endpoint } from '../../../lib/http/endpoint.ts';
import { ApiError } from '../../../lib/http/errors.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { z } from '../../../lib/http/schema.ts';

export const setPrimaryEmail = endpoint(
  {
    method: 'post',
    path: '/profile/emails/{id}/set-primary',
    access: cookie,
    tag: 'Profile: e-mails',
    summary: 'Make a verified e-mail address the primary one',
    request: { params: z.object({ id: idParam() }) },
    responses: {
      200: { description: 'It is the primary address.', message: 'The primary e-mail address was changed.' },
    },
    errors: ['validation_error/invalid_request'],
  },
  async ({ db, params: { id }, user }) => {
    await db.transaction(async (tx) => {
      await lockUser(tx, user.id);
      const mine = and(eq(userEmails.id, id), eq(userEmails.userId, user.id));
      const [email] = await tx.select({ verifiedAt: userEmails.verifiedAt }).from(userEmails).where(mine);
      if (!email?.verifiedAt) {
        const message = email ? 'The e-mail address is not verified.' : 'There is no such e-mail address.';
        throw new ApiError('validation_error/invalid_request', { message });
      }
      await tx
        .update(userEmails)
        .set({ isPrimary: false })
        .where(and(eq(userEmails.userId, user.id), eq(userEmails.isPrimary, true)));
      await tx.update(userEmails).set({ isPrimary: true }).where(mine);
    });
    return done();
  },
);
