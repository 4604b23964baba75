import { readMfaToken, requireMfaLogin } from '../../../lib/accounts/mfa/logins.ts';
import { mailCode } from '../../../lib/accounts/mfa/mail-code.ts';
import { baseDomainOnly } from '../../../lib/http/access.ts';
import { done } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { mfaToken } from '../../../lib/http/fields.ts';
import { EXAMPLE_ID, z } from '../../../lib/schema.ts';

export const sendEmailOtp = endpoint(
  {
    method: 'post',
    path: '/auth/mfa/send-email-otp',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Mail a one-time code',
    description:
      'Sends the code to an e-mail device. The code has six digits and works once, for five minutes, with the same `mfa_token`. Earlier codes of this `mfa_token` stop working.',
    request: {
      body: z.object({ mfa_token: mfaToken(), device_id: z.string().openapi({ example: EXAMPLE_ID }) }),
    },
    responses: {
      200: {
        description: 'The code was sent; the message shows the masked address.',
        message: 'A code was sent to a***@example.com.',
      },
    },
    errors: ['auth_error/mfa_invalid_code', 'resource_error/not_found', 'rate_limit_error/exceeded'],
  },
  async ({ body, db, now, services }) => {
    const claims = await readMfaToken(services.signedTokens, body.mfa_token, now);
    await requireMfaLogin(db, claims, now);
    const device = { id: body.device_id, purpose: claims.id };
    const address = await mailCode({ db, now }, services, claims.userId, device);
    return done({ message: `A code was sent to ${address}.` });
  },
);
