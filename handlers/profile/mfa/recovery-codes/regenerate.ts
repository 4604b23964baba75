import { lockAccount } from '../../../../lib/accounts/accounts.ts';
import { RecoveryCodes, replaceRecoveryCodes } from '../../../../lib/accounts/mfa/recovery-codes.ts';
import { ApiError } from '../../../../lib/errors.ts';
import { freshCookie } from '../../../../lib/http/access.ts';
import { requirePassword } from '../../../../lib/http/accounts/password.ts';
import { ok } from '../../../../lib/http/answer.ts';
import { endpoint } from '../../../../lib/http/endpoint.ts';
import { password } from '../../../../lib/http/fields.ts';
import { mailChange } from '../../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../../lib/http/security-log.ts';
import { z } from '../../../../lib/schema.ts';

export const regenerateRecoveryCodes = endpoint(
  {
    method: 'post',
    path: '/profile/mfa/recovery-codes/regenerate',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: MFA',
    summary: 'Generate new recovery codes',
    description: 'The old codes stop working. The new codes are returned only here.',
    request: { body: z.object({ password: password() }) },
    responses: {
      200: {
        description: 'The new codes.',
        result: z.object({ recovery_codes: RecoveryCodes }),
        message: 'New recovery codes were made; the old ones no longer work.',
      },
    },
    errors: [
      'auth_error/invalid_credentials',
      'validation_error/invalid_request',
      'rate_limit_error/exceeded',
    ],
  },
  async (call) => {
    const { body, db, services, user } = call;
    const verified = await requirePassword(call, body.password);
    const codes = await db.transaction(async (tx) => {
      const { mfaEnabled } = await lockAccount(tx, call, verified);
      if (!mfaEnabled) throw new ApiError('validation_error/invalid_request', { message: 'MFA is off.' });
      await mailChange(tx, call, 'recovery_codes_renewed');
      return replaceRecoveryCodes(tx, user.id);
    });
    services.mail.kick();
    logSecurityEvent(call, 'recovery_codes_renewed');
    return ok({ recovery_codes: codes });
  },
);
