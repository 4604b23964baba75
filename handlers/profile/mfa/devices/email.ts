import { and, eq, isNotNull } from 'drizzle-orm';
import { toResource } from '../../../../db/resources.ts';
import { mfaDevices, userEmails } from '../../../../db/schema/accounts.ts';
import { lockAccount } from '../../../../lib/accounts/accounts.ts';
import { insertEmailDevice, MfaDevice } from '../../../../lib/accounts/mfa/devices.ts';
import { ApiError } from '../../../../lib/errors.ts';
import { freshCookie } from '../../../../lib/http/access.ts';
import { created } from '../../../../lib/http/answer.ts';
import { endpoint } from '../../../../lib/http/endpoint.ts';
import { mailChange } from '../../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../../lib/http/security-log.ts';
import { requireNoMore } from '../../../../lib/quotas.ts';
import { uuid, z } from '../../../../lib/schema.ts';

export const createEmailDevice = endpoint(
  {
    method: 'post',
    path: '/profile/mfa/devices/email',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: MFA',
    summary: 'Use a verified e-mail address for codes',
    request: { body: z.object({ email_id: uuid() }) },
    responses: { 201: { description: 'The device, already verified.', result: MfaDevice } },
    errors: ['resource_error/already_exists', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, db, services, user } = call;
    const { id, at: createdAt } = services.nextId();
    const row = await db.transaction(async (tx) => {
      await lockAccount(tx, call);
      const mine = and(eq(userEmails.id, body.email_id), eq(userEmails.userId, user.id));
      const [email] = await tx
        .select({ address: userEmails.email })
        .from(userEmails)
        .where(and(mine, isNotNull(userEmails.verifiedAt)));
      if (!email) {
        throw new ApiError('validation_error/field_invalid', {
          message: 'The e-mail address is not verified.',
          details: [{ field: 'email_id', message: 'is not one of your verified addresses' }],
        });
      }
      const { address } = email;
      const made = await insertEmailDevice(tx, {
        id,
        userId: user.id,
        emailId: body.email_id,
        address,
        createdAt,
      });
      if (!made) return undefined;
      const own = eq(mfaDevices.userId, user.id);
      await requireNoMore(tx, services.config, 'mfaDevicesPerAccount', mfaDevices, own);
      await mailChange(tx, call, 'mfa_device_added', { device: address });
      return made;
    });
    if (!row)
      throw new ApiError('resource_error/already_exists', { message: 'The address is a device already.' });
    services.mail.kick();
    logSecurityEvent(call, 'mfa_device_added', { device: id, type: 'email' });
    return created(toResource(row));
  },
);
