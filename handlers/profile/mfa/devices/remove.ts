import { and, eq } from 'drizzle-orm';
import { mfaDevices } from '../../../../db/schema/accounts.ts';
import { lockAccount } from '../../../../lib/accounts/accounts.ts';
import { switchMfaOff, verifiedDevices } from '../../../../lib/accounts/mfa/devices.ts';
import { ApiError } from '../../../../lib/errors.ts';
import { freshCookie } from '../../../../lib/http/access.ts';
import { requirePassword } from '../../../../lib/http/accounts/password.ts';
import { done } from '../../../../lib/http/answer.ts';
import { endpoint } from '../../../../lib/http/endpoint.ts';
import { idParam, password } from '../../../../lib/http/fields.ts';
import { mailChange } from '../../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../../lib/http/security-log.ts';
import { z } from '../../../../lib/schema.ts';

export const removeMfaDevice = endpoint(
  {
    method: 'delete',
    path: '/profile/mfa/devices/{id}',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: MFA',
    summary: 'Remove an MFA device',
    description: 'Removing the last verified device turns MFA off; the message says so.',
    request: { params: z.object({ id: idParam() }), body: z.object({ password: password() }) },
    responses: { 200: { description: 'Removed.', message: 'The device was removed.' } },
    errors: ['auth_error/invalid_credentials', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, params, services, user } = call;
    const verified = await requirePassword(call, body.password);
    const isOff = await db.transaction(async (tx) => {
      const { mfaEnabled } = await lockAccount(tx, call, verified);
      const removed = await tx
        .delete(mfaDevices)
        .where(and(eq(mfaDevices.id, params.id), eq(mfaDevices.userId, user.id)))
        .returning({ name: mfaDevices.name });
      const [device] = removed;
      if (!device) throw new ApiError('resource_error/not_found');
      await mailChange(tx, call, 'mfa_device_removed', { device: device.name });
      if (!mfaEnabled || (await verifiedDevices(tx, user.id)).length > 0) return false;
      await switchMfaOff(tx, user.id);
      await mailChange(tx, call, 'mfa_disabled');
      return true;
    });
    services.mail.kick();
    logSecurityEvent(call, 'mfa_device_removed', { device: params.id });
    if (!isOff) return done();
    logSecurityEvent(call, 'mfa_disabled');
    const message = 'The device was removed. It was the last one: multi-factor authentication is now off.';
    return done({ message });
  },
);
