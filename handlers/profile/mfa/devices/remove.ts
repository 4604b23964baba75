import { freshCookie } from '../../../../lib/http/access.ts';
import { requirePassword } from '../../../../lib/http/accounts/password.ts';
import { removeDevice } from '../../../../lib/http/accounts/remove-device.ts';
import { done } from '../../../../lib/http/answer.ts';
import { endpoint } from '../../../../lib/http/endpoint.ts';
import { idParam, password } from '../../../../lib/http/fields.ts';
import { z } from '../../../../lib/schema.ts';

export const removeMfaDevice = endpoint(
  {
    method: 'delete',
    path: '/profile/mfa/devices/{id}',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: MFA',
    summary: 'Remove an MFA device',
    description: 'Removing the last verified device turns MFA off; the message says so.',
    request: { params: z.object({ id: idParam() }), body: z.object({ password: password() }) },
    responses: { 200: { description: 'Removed.', message: 'The device was removed.' } },
    errors: ['auth_error/invalid_credentials', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, params } = call;
    const verified = await requirePassword(call, body.password);
    if (!(await removeDevice(call, { id: params.id, verifiedHash: verified }))) return done();
    const message = 'The device was removed. It was the last one: multi-factor authentication is now off.';
    return done({ message });
  },
);
