import { and, eq } from 'drizzle-orm';
import { mfaDevices } from '../../../../../db/schema/accounts.ts';
import { lockAccount } from '../../../../../lib/accounts/accounts.ts';
import { matchTotp } from '../../../../../lib/accounts/mfa/totp.ts';
import { ApiError } from '../../../../../lib/errors.ts';
import { freshCookie } from '../../../../../lib/http/access.ts';
import { done } from '../../../../../lib/http/answer.ts';
import { endpoint } from '../../../../../lib/http/endpoint.ts';
import { idParam, sixDigits } from '../../../../../lib/http/fields.ts';
import { mailChange } from '../../../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../../../lib/http/security-log.ts';
import { z } from '../../../../../lib/schema.ts';

export const verifyTotpDevice = endpoint(
  {
    method: 'post',
    path: '/profile/mfa/devices/totp/{id}/verify',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: MFA',
    summary: 'Verify an authenticator app',
    request: { params: z.object({ id: idParam() }), body: z.object({ code: sixDigits() }) },
    responses: { 200: { description: 'The device is verified.', message: 'The device is verified.' } },
    errors: ['auth_error/mfa_invalid_code', 'resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, params, services, user } = call;
    const { id } = params;
    const mine = and(eq(mfaDevices.id, id), eq(mfaDevices.userId, user.id), eq(mfaDevices.type, 'totp'));
    const [device] = await db
      .select({ name: mfaDevices.name, secret: mfaDevices.secret, verified: mfaDevices.verified })
      .from(mfaDevices)
      .where(mine);
    if (!device?.secret) throw new ApiError('resource_error/not_found');
    if (device.verified) throw alreadyVerified();
    await services.limits.count('enrolment', id);
    const step = matchTotp(await services.secretBox.open(device.secret), body.code, now);
    if (step === undefined) throw new ApiError('auth_error/mfa_invalid_code');
    await db.transaction(async (tx) => {
      await lockAccount(tx, call);
      const [verified] = await tx
        .update(mfaDevices)
        // It counts from now on: an undo link goes by when it was enrolled.
        .set({ verified: true, lastStep: step, lastUsedAt: now, createdAt: now })
        .where(and(mine, eq(mfaDevices.verified, false)))
        .returning({ id: mfaDevices.id });
      if (!verified) throw alreadyVerified();
      await mailChange(tx, call, 'mfa_device_added', { device: device.name });
    });
    services.mail.kick();
    await services.limits.forget('enrolment', id);
    logSecurityEvent(call, 'mfa_device_added', { device: id, type: 'totp' });
    return done();
  },
);

const alreadyVerified = () =>
  new ApiError('resource_error/conflict', { message: 'The device is already verified.' });
