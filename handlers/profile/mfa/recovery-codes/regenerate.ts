import { lockUser, requirePassword } from '../../../../lib/auth/accounts.ts';
import { RecoveryCodes, replaceRecoveryCodes } from '../../../../lib/auth/recovery-codes.ts';
import { cookie } from '../../../../lib/http/access.ts';
import { endpoint, ok } from '../../../../lib/http/endpoint.ts';
import { ApiError } from '../../../../lib/http/errors.ts';
import { password } from '../../../../lib/http/fields.ts';
import { z } from '../../../../lib/http/schema.ts';

export const regenerateRecoveryCodes = endpoint(
  {
    method: 'post',
    path: '/profile/mfa/recovery-codes/regenerate',
    access: cookie,
    tag: 'Profile: MFA',
    summary: 'Make new recovery codes',
    description: 'The old ones no longer work. The new ones are shown this once.',
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
    const { body, db, user } = call;
    const verified = await requirePassword(call, body.password);
    const codes = await db.transaction(async (tx) => {
      const { mfaEnabled } = await lockUser(tx, user.id, verified);
      if (!mfaEnabled) throw new ApiError('validation_error/invalid_request', { message: 'MFA is off.' });
      return replaceRecoveryCodes(tx, user.id);
    });
    return ok({ recovery_codes: codes });
  },
);
