import { isPasskeyOf } from '../../../lib/accounts/passkeys/passkeys.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { removeDevice } from '../../../lib/http/accounts/remove-device.ts';
import { done } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { z } from '../../../lib/schema.ts';

export const removePasskey = endpoint(
  {
    method: 'delete',
    path: '/profile/passkeys/{id}',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: passkeys',
    summary: 'Remove a passkey',
    description:
      'Ends no session, but sessions that it signed in no longer count as MFA. If it was the last second factor, MFA is turned off; the message says so.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 200: { description: 'Removed.', message: 'The passkey was removed.' } },
  },
  async (call) => {
    const { params, user } = call;
    if (!(await removeDevice(call, { id: params.id, only: isPasskeyOf(user.id) }))) return done();
    const message =
      'The passkey was removed. It was the last second factor: multi-factor authentication is now off.';
    return done({ message });
  },
);
