import { maskAddress, readMfaToken, verifiedDevices } from '../../../lib/auth/mfa.ts';
import { baseDomainOnly } from '../../../lib/http/access.ts';
import { done, endpoint } from '../../../lib/http/endpoint.ts';
import { ApiError } from '../../../lib/http/errors.ts';
import { mfaToken } from '../../../lib/http/fields.ts';
import { EXAMPLE_ID, z } from '../../../lib/http/schema.ts';
import { requireMailQuota } from '../../../lib/mail/quota.ts';
import { emailCode } from '../../../lib/mail/templates.ts';

export const sendEmailOtp = endpoint(
  {
    method: 'post',
    path: '/auth/mfa/send-email-otp',
    access: baseDomainOnly,
    tag: 'Auth',
    summary: 'Mail a one-time code',
    description:
      'To an e-mail device. The code has six digits and works once, for five minutes, with the same `mfa_token`; earlier ones no longer do.',
    request: {
      body: z.object({ mfa_token: mfaToken(), device_id: z.string().openapi({ example: EXAMPLE_ID }) }),
    },
    responses: {
      200: {
        description: 'The code is on its way; the message shows the masked address.',
        message: 'A code was sent to a***@example.com.',
      },
    },
    errors: ['auth_error/mfa_invalid_code', 'resource_error/not_found', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, services } = call;
    const { userId, id: purpose } = await readMfaToken(call, body.mfa_token);
    await services.limits.count('mail', userId);
    const devices = await verifiedDevices(db, userId);
    const device = devices.find(({ id, type }) => id === body.device_id.toLowerCase() && type === 'email');
    if (!device?.address)
      throw new ApiError('resource_error/not_found', { message: 'There is no such e-mail device.' });
    const { id, address } = device;
    await db.transaction(async (tx) => {
      await requireMailQuota(tx, call, 'code', address);
      const code = await services.emailCodes.issue(tx, { id, purpose }, now);
      await services.mail.enqueue(tx, address, emailCode({ code }));
    });
    services.mail.kick();
    return done({ message: `A code was sent to ${maskAddress(address)}.` });
  },
);
