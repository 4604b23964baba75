import { and, eq } from 'drizzle-orm';
import { mfaDevices } from '../../../../db/shared.ts';
import { lockUser, requirePassword } from '../../../../lib/auth/accounts.ts';
import { switchMfaOff, verifiedDevices } from '../../../../lib/auth/mfa.ts';
import { cookie } from '../../../../lib/http/access.ts';
import { done, endpoint } from '../../../../lib/http/endpoint.ts';
import { ApiError } from '../../../../lib/http/errors.ts';
import { idParam, password } from '../../../../lib/http/fields.ts';
import { z } from '../../../../lib/http/schema.ts';

export const removeMfaDevice = endpoint(
  {
    method: 'delete',
    path: '/profile/mfa/devices/{id}',
    access: cookie,
    tag: 'Profile: MFA',
    summary: 'Remove an MFA device',
    description: 'Removing the last verified one switches MFA off, and the message says so.',
    request: { params: z.object({ id: idParam() }), body: z.object({ password: password() }) },
    responses: { 200: { description: 'It is removed.', message: 'The device was removed.' } },
    errors: ['auth_error/invalid_credentials', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, params, user } = call;
    const verified = await requirePassword(call, body.password);
    return db.transaction(async (tx) => {
      const { mfaEnabled } = await lockUser(tx, user.id, verified);
      const removed = await tx
        .delete(mfaDevices)
        .where(and(eq(mfaDevices.id, params.id), eq(mfaDevices.userId, user.id)))
        .returning({ id: mfaDevices.id });
      if (removed.length === 0) throw new ApiError('resource_error/not_found');
      if (!mfaEnabled || (await verifiedDevices(tx, user.id)).length > 0) return done();
      await switchMfaOff(tx, user.id);
      const message = 'The device was removed. It was the last one: multi-factor authentication is now off.';
      return done({ message });
    });
  },
);
