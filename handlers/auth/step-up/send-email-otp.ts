import { mailCode } from '../../../lib/accounts/mfa/mail-code.ts';
import { cookie } from '../../../lib/http/access.ts';
import { done } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { EXAMPLE_ID, z } from '../../../lib/schema.ts';

export const sendStepUpOtp = endpoint(
  {
    method: 'post',
    path: '/auth/step-up/send-email-otp',
    access: cookie,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Mail a one-time code for the step-up',
    description:
      'Sends the code to an e-mail device of the signed-in user. The code has six digits and works once, for five minutes, in the same session. Earlier codes of this session stop working.',
    request: { body: z.object({ device_id: z.string().openapi({ example: EXAMPLE_ID }) }) },
    responses: {
      200: {
        description: 'The code was sent; the message shows the masked address.',
        message: 'A code was sent to a***@example.com.',
      },
    },
    errors: ['resource_error/not_found', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const address = await mailCode(
      call,
      call.services,
      call.user.id,
      { id: call.body.device_id, purpose: call.sessionId },
      { stepUp: true },
    );
    return done({ message: `A code was sent to ${address}.` });
  },
);
