import { and, eq } from 'drizzle-orm';
import { mfaDevices } from '../../../../../db/shared.ts';
import { matchTotp } from '../../../../../lib/auth/totp.ts';
import { cookie } from '../../../../../lib/http/access.ts';
import { done, endpoint } from '../../../../../lib/http/endpoint.ts';
import { ApiError } from '../../../../../lib/http/errors.ts';
import { idParam, sixDigits } from '../../../../../lib/http/fields.ts';
import { z } from '../../../../../lib/http/schema.ts';

export const verifyTotpDevice = endpoint(
  {
    method: 'post',
    path: '/profile/mfa/devices/totp/{id}/verify',
    access: cookie,
    tag: 'Profile: MFA',
    summary: 'Verify an authenticator app',
    request: { params: z.object({ id: idParam() }), body: z.object({ code: sixDigits() }) },
    responses: { 200: { description: 'The device is verified.', message: 'The device is verified.' } },
    errors: ['auth_error/mfa_invalid_code', 'resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async ({ body, db, now, params: { id }, services, user }) => {
    const mine = and(eq(mfaDevices.id, id), eq(mfaDevices.userId, user.id), eq(mfaDevices.type, 'totp'));
    const [device] = await db
      .select({ secret: mfaDevices.secret, verified: mfaDevices.verified })
      .from(mfaDevices)
      .where(mine);
    if (!device?.secret) throw new ApiError('resource_error/not_found');
    if (device.verified)
      throw new ApiError('resource_error/conflict', { message: 'The device is already verified.' });
    await services.limits.count('code', user.id);
    const step = matchTotp(await services.secretBox.open(device.secret), body.code, now);
    if (step === undefined) throw new ApiError('auth_error/mfa_invalid_code');
    await db.update(mfaDevices).set({ verified: true, lastStep: step, lastUsedAt: now }).where(mine);
    await services.limits.forget('code', user.id);
    return done();
  },
);
