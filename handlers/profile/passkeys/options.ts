import { randomBytes } from 'node:crypto';
import { credentialsOf, passkeyHandle } from '../../../lib/accounts/passkeys/passkeys.ts';
import { CreationOptions, creationOptions } from '../../../lib/accounts/passkeys/webauthn.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { usablePasskeySite } from '../../../lib/http/accounts/passkeys.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { z } from '../../../lib/schema.ts';

export const newPasskeyOptions = endpoint(
  {
    method: 'post',
    path: '/profile/passkeys/options',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: passkeys',
    summary: 'Get the options for a new passkey',
    description:
      'For `navigator.credentials.create()`; the answer is the `credential` of `POST /profile/passkeys`, in the same session.',
    responses: {
      200: { description: 'The options.', result: z.object({ options: CreationOptions }) },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { db, now, services, sessionId, user } = call;
    const site = usablePasskeySite(call);
    const handle = await passkeyHandle(db, user.id, randomBytes(32).toString('base64url'));
    const challenge = services.passkeyChallenges.issue(`register ${sessionId}`, now);
    const owner = { handle, email: user.email, name: user.name };
    return ok({ options: creationOptions(site, challenge, owner, await credentialsOf(db, user.id)) });
  },
);
