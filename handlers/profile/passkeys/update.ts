import { and, eq } from 'drizzle-orm';
import { toResource } from '../../../db/resources.ts';
import { mfaDevices } from '../../../db/schema/accounts.ts';
import { lockAccount } from '../../../lib/accounts/accounts.ts';
import { isPasskeyOf, Passkey, passkeyFields } from '../../../lib/accounts/passkeys/passkeys.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookieTo } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { mailChange } from '../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { optional, text, z } from '../../../lib/schema.ts';

export const updatePasskey = endpoint(
  {
    method: 'patch',
    path: '/profile/passkeys/{id}',
    access: freshCookieTo('to change `sign_in`'),
    audit: { none: 'account' },
    tag: 'Profile: passkeys',
    summary: 'Rename a passkey, or change whether it signs in',
    description:
      'A reset of the password by mail, and a change of it with `revoke_tokens`, set `sign_in` of all passkeys to `false`: a thief of the account may have added one.',
    request: {
      params: z.object({ id: idParam() }),
      body: z.object({
        name: optional(text({ min: 1, max: 100, trim: true, example: 'Laptop' })),
        sign_in: optional(z.boolean().openapi({ example: true })),
      }),
    },
    responses: { 200: { description: 'The passkey.', result: Passkey } },
  },
  async (call) => {
    const { body, db, params, services, user } = call;
    const { name, sign_in: signsIn } = body;
    if (signsIn !== undefined) call.freshActor();
    const mine = and(eq(mfaDevices.id, params.id), isPasskeyOf(user.id));
    const row = await db.transaction(async (tx) => {
      await lockAccount(tx, call);
      const [before] = await tx.select({ signsIn: mfaDevices.signsIn }).from(mfaDevices).where(mine);
      if (!before) throw new ApiError('resource_error/not_found');
      const changes = { ...(name !== undefined && { name }), ...(signsIn !== undefined && { signsIn }) };
      if (Object.keys(changes).length > 0) await tx.update(mfaDevices).set(changes).where(mine);
      const [after] = await tx.select(passkeyFields).from(mfaDevices).where(mine);
      if (!after) throw new ApiError('resource_error/not_found');
      const isAllowed = after.sign_in && !before.signsIn;
      if (isAllowed) await mailChange(tx, call, 'passkey_allowed', { device: after.name });
      return { after, isAllowed };
    });
    services.mail.kick();
    if (row.isAllowed) logSecurityEvent(call, 'mfa_device_added', { device: params.id, type: 'passkey' });
    return ok(toResource(row.after));
  },
);
