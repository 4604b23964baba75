import { and, eq } from 'drizzle-orm';
import { mfaDevices, userEmails } from '../../../db/schema/accounts.ts';
import { lockAccount } from '../../../lib/accounts/accounts.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { mailChange } from '../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { z } from '../../../lib/schema.ts';

export const removeEmail = endpoint(
  {
    method: 'delete',
    path: '/profile/emails/{id}',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: e-mails',
    summary: 'Remove an e-mail address',
    description:
      'The primary address cannot be removed. An address that is an MFA device cannot be removed while MFA is on: remove the device first. While MFA is off, the device is removed with the address.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Removed.' } },
    errors: ['validation_error/invalid_request', 'resource_error/conflict'],
  },
  async (call) => {
    const { db, params, services, user } = call;
    const { id } = params;
    await db.transaction(async (tx) => {
      const { mfaEnabled } = await lockAccount(tx, call);
      const mine = and(eq(userEmails.id, id), eq(userEmails.userId, user.id));
      const [email] = await tx
        .select({
          address: userEmails.email,
          isPrimary: userEmails.isPrimary,
          verifiedAt: userEmails.verifiedAt,
          deviceId: mfaDevices.id,
        })
        .from(userEmails)
        .leftJoin(mfaDevices, eq(mfaDevices.emailId, userEmails.id))
        .where(mine);
      if (!email) throw new ApiError('resource_error/not_found');
      const { address, isPrimary, verifiedAt, deviceId } = email;
      if (isPrimary) {
        throw new ApiError('validation_error/invalid_request', {
          message: 'The primary e-mail cannot be removed.',
        });
      }
      if (deviceId !== null && mfaEnabled) {
        throw new ApiError('resource_error/conflict', {
          message: 'The address is an MFA device: remove that first.',
        });
      }
      await tx.delete(userEmails).where(mine);
      await mailChange(tx, call, 'email_removed', { address }, verifiedAt ? [address] : []);
    });
    services.mail.kick();
    logSecurityEvent(call, 'email_removed', { email: id });
    return noContent();
  },
);
