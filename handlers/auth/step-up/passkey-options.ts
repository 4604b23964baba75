import { credentialsOf } from '../../../lib/accounts/passkeys/passkeys.ts';
import { RequestOptions, requestOptions } from '../../../lib/accounts/passkeys/webauthn.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookie } from '../../../lib/http/access.ts';
import { usablePasskeySite } from '../../../lib/http/accounts/passkeys.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { z } from '../../../lib/schema.ts';

export const stepUpPasskeyOptions = endpoint(
  {
    method: 'post',
    path: '/auth/step-up/passkey-options',
    access: cookie,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Get the options for a step-up with a passkey',
    description: 'For `navigator.credentials.get()`; the answer is the `passkey` of `/auth/step-up`.',
    responses: {
      200: { description: 'The options.', result: z.object({ options: RequestOptions }) },
    },
    errors: ['resource_error/conflict', 'resource_error/not_found'],
  },
  async (call) => {
    const { db, now, services, sessionId, user } = call;
    const site = usablePasskeySite(call);
    const known = await credentialsOf(db, user.id);
    if (known.length === 0)
      throw new ApiError('resource_error/not_found', { message: 'The account has no passkey.' });
    const challenge = services.passkeyChallenges.issue(`step-up ${sessionId}`, now);
    return ok({ options: requestOptions(site, challenge, 'required', known) });
  },
);
