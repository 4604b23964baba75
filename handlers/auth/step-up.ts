import { and, eq, isNull } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { sessions } from '../../db/schema/accounts.ts';
import { lockUser } from '../../lib/accounts/accounts.ts';
import { useAnyCode } from '../../lib/accounts/mfa/second-factor.ts';
import { Assertion } from '../../lib/accounts/passkeys/webauthn.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookie } from '../../lib/http/access.ts';
import { clientOfSession } from '../../lib/http/accounts/clients.ts';
import { withPasskey } from '../../lib/http/accounts/passkeys.ts';
import { requirePassword } from '../../lib/http/accounts/password.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { password } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { EXAMPLE_ID, optional, text, z } from '../../lib/schema.ts';

export const stepUp = endpoint(
  {
    method: 'post',
    path: '/auth/step-up',
    access: cookie,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Confirm your identity again',
    description:
      'Required for changes that a stolen session must not allow: for 10 minutes this session may change e-mail addresses and second factors, and delete projects and organizations. With MFA on, a `code` is required too: of any TOTP or e-mail device, of the device `device_id`, or a recovery code (`is_recovery`). A `passkey` (options: `/auth/step-up/passkey-options`) that verifies the user is sufficient without password and code.',
    request: {
      body: z.object({
        password: optional(password()),
        passkey: optional(Assertion),
        code: optional(text({ min: 1, max: 100, trim: true, example: '123456' })),
        device_id: optional(z.string().openapi({ example: EXAMPLE_ID })),
        is_recovery: optional(z.boolean().openapi({ example: false })),
      }),
    },
    responses: { 200: { description: 'Confirmed.', message: 'Confirmed for the next 10 minutes.' } },
    errors: [
      'auth_error/invalid_credentials',
      'auth_error/mfa_invalid_code',
      'resource_error/conflict',
      'validation_error/field_required',
      'rate_limit_error/exceeded',
    ],
  },
  async (call) => {
    const { body, db, now, services, sessionId, user } = call;
    const { code, device_id: deviceId, is_recovery: isRecovery } = body;
    if (body.password === undefined && body.passkey !== undefined) {
      const ceremony = {
        purpose: `step-up ${sessionId}`,
        alone: true,
        where: 'any',
        userId: user.id,
        event: 'step_up_failed',
        error: 'auth_error/invalid_credentials',
        clientOf: () => clientOfSession(call),
      } as const;
      await withPasskey(call, body.passkey, ceremony, ({ use }) =>
        db.transaction(async (tx) => {
          await lockUser(tx, user.id);
          await use(tx);
          await refresh(tx);
        }),
      );
      logSecurityEvent(call, 'step_up');
      return done();
    }
    if (body.password === undefined) throw required('password');
    if (user.mfaEnabled && code === undefined) throw required('code');
    const verified = await requirePassword(call, body.password);
    const client = clientOfSession(call);
    const forgetCodes = user.mfaEnabled && (await services.limits.guess('code', user.id, client));
    await db.transaction(async (tx) => {
      const { mfaEnabled } = await lockUser(tx, user.id, verified);
      if (mfaEnabled) {
        if (code === undefined) throw required('code');
        const given = { code, deviceId, isRecovery, purpose: sessionId };
        if (!(await useAnyCode(tx, services, user.id, given, now))) {
          logSecurityEvent(call, 'step_up_failed', { reason: 'wrong code' });
          throw new ApiError('auth_error/mfa_invalid_code');
        }
      }
      await refresh(tx);
    });
    if (forgetCodes) await forgetCodes();
    logSecurityEvent(call, 'step_up');
    return done();

    async function refresh(tx: Tx): Promise<void> {
      const fresh = await tx
        .update(sessions)
        .set({ steppedUpAt: now, lastActiveAt: now, idleSeconds: 0 })
        .where(and(eq(sessions.id, sessionId), isNull(sessions.revokedAt)))
        .returning({ id: sessions.id });
      if (fresh.length === 0) throw new ApiError('auth_error/session_revoked');
    }
  },
);

const required = (field: string) =>
  new ApiError('validation_error/field_required', { details: [{ field, message: 'is required' }] });
