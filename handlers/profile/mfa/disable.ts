import { lockAccount } from '../../../lib/accounts/accounts.ts';
import { switchMfaOff } from '../../../lib/accounts/mfa/devices.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { requirePassword } from '../../../lib/http/accounts/password.ts';
import { done } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { password } from '../../../lib/http/fields.ts';
import { mailChange } from '../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { z } from '../../../lib/schema.ts';

export const disableMfa = endpoint(
  {
    method: 'post',
    path: '/profile/mfa/disable',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: MFA',
    summary: 'Turn MFA off',
    description: 'Deletes the recovery codes and keeps the devices.',
    request: { body: z.object({ password: password() }) },
    responses: { 200: { description: 'MFA is off.', message: 'Multi-factor authentication is off.' } },
    errors: [
      'auth_error/invalid_credentials',
      'validation_error/invalid_request',
      'rate_limit_error/exceeded',
    ],
  },
  async (call) => {
    const { body, db, services, user } = call;
    const verified = await requirePassword(call, body.password);
    await db.transaction(async (tx) => {
      const { mfaEnabled } = await lockAccount(tx, call, verified);
      if (!mfaEnabled) throw new ApiError('validation_error/invalid_request', { message: 'MFA is off.' });
      await switchMfaOff(tx, user.id);
      await mailChange(tx, call, 'mfa_disabled');
    });
    services.mail.kick();
    logSecurityEvent(call, 'mfa_disabled');
    return done();
  },
);
