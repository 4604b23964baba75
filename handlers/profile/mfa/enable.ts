import { eq } from 'drizzle-orm';
import { users } from '../../../db/schema/accounts.ts';
import { lockAccount } from '../../../lib/accounts/accounts.ts';
import { insertEmailDevice, verifiedAddress, verifiedDevices } from '../../../lib/accounts/mfa/devices.ts';
import { RecoveryCodes, replaceRecoveryCodes } from '../../../lib/accounts/mfa/recovery-codes.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { mailChange } from '../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { z } from '../../../lib/schema.ts';

export const enableMfa = endpoint(
  {
    method: 'post',
    path: '/profile/mfa/enable',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: MFA',
    summary: 'Turn MFA on',
    description:
      'Needs a verified device or a verified e-mail address, from which the service then creates a device. The recovery codes are returned only here.',
    responses: {
      200: {
        description: 'MFA is on.',
        result: z.object({ recovery_codes: RecoveryCodes }),
        message: 'Multi-factor authentication is on. Keep the recovery codes safe.',
      },
    },
    errors: ['validation_error/invalid_request', 'resource_error/conflict'],
  },
  async (call) => {
    const { db, services, user } = call;
    const codes = await db.transaction(async (tx) => {
      const { mfaEnabled } = await lockAccount(tx, call);
      if (mfaEnabled) throw new ApiError('resource_error/conflict', { message: 'MFA is already on.' });
      if ((await verifiedDevices(tx, user.id)).length === 0) {
        const email = await verifiedAddress(tx, user.id);
        if (!email) {
          const message = 'Add and verify a device, or verify an e-mail address, first.';
          throw new ApiError('validation_error/invalid_request', { message });
        }
        const { id, at: createdAt } = services.nextId();
        await insertEmailDevice(tx, {
          id,
          userId: user.id,
          emailId: email.id,
          address: email.address,
          createdAt,
        });
      }
      await tx.update(users).set({ mfaEnabled: true }).where(eq(users.id, user.id));
      await mailChange(tx, call, 'mfa_enabled');
      return replaceRecoveryCodes(tx, user.id);
    });
    services.mail.kick();
    logSecurityEvent(call, 'mfa_enabled');
    return ok({ recovery_codes: codes });
  },
);
