import { and, eq } from 'drizzle-orm';
import { mfaDevices, userEmails } from '../../../db/shared.ts';
import { lockUser } from '../../../lib/auth/accounts.ts';
import { cookie } from '../../../lib/http/access.ts';
import { endpoint, noContent } from '../../../lib/http/endpoint.ts';
import { ApiError } from '../../../lib/http/errors.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { z } from '../../../lib/http/schema.ts';

export const removeEmail = endpoint(
  {
    method: 'delete',
    path: '/profile/emails/{id}',
    access: cookie,
    tag: 'Profile: e-mails',
    summary: 'Remove an e-mail address',
    description: 'The primary one stays, and so does one that is an MFA device: remove the device first.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'It is removed.' } },
    errors: ['validation_error/invalid_request', 'resource_error/conflict'],
  },
  async ({ db, params: { id }, user }) =>
    db.transaction(async (tx) => {
      await lockUser(tx, user.id);
      const mine = and(eq(userEmails.id, id), eq(userEmails.userId, user.id));
      const [email] = await tx
        .select({ isPrimary: userEmails.isPrimary, deviceId: mfaDevices.id })
        .from(userEmails)
        .leftJoin(mfaDevices, eq(mfaDevices.emailId, userEmails.id))
        .where(mine);
      if (!email) throw new ApiError('resource_error/not_found');
      if (email.isPrimary) {
        throw new ApiError('validation_error/invalid_request', {
          message: 'The primary e-mail cannot be removed.',
        });
      }
      if (email.deviceId !== null) {
        throw new ApiError('resource_error/conflict', {
          message: 'The address is an MFA device: remove that first.',
        });
      }
      await tx.delete(userEmails).where(mine);
      return noContent();
    }),
);
