import { and, eq, isNull } from 'drizzle-orm';
import type { Tx } from '../../../db/client.ts';
import { userEmails, users } from '../../../db/schema/accounts.ts';
import { signInFields } from '../../../lib/accounts/accounts.ts';
import { completeMfaLogin, countCode, readMfaToken } from '../../../lib/accounts/mfa/logins.ts';
import { countRecoveryCodes } from '../../../lib/accounts/mfa/recovery-codes.ts';
import { useCode } from '../../../lib/accounts/mfa/second-factor.ts';
import { toUser } from '../../../lib/accounts/sessions/sessions.ts';
import { ApiError } from '../../../lib/errors.ts';
import { baseDomainOnly } from '../../../lib/http/access.ts';
import { clientOf } from '../../../lib/http/accounts/clients.ts';
import { signIn, unlessDeleted } from '../../../lib/http/accounts/sign-in.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { mfaToken } from '../../../lib/http/fields.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { User } from '../../../lib/resources.ts';
import { count, EXAMPLE_ID, optional, text, z } from '../../../lib/schema.ts';
import { readSsoLogin } from '../../../lib/sso/sessions.ts';

export const validateMfa = endpoint(
  {
    method: 'post',
    path: '/auth/mfa/validate',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Complete a login with the second factor',
    description:
      'Takes a code of a TOTP or e-mail device, or a recovery code (`is_recovery`, without `device_id`). Each code works once. 401 `invalid_credentials` if the connection that began the sign-in was switched off meanwhile.',
    request: {
      body: z.object({
        mfa_token: mfaToken(),
        device_id: optional(z.string().openapi({ example: EXAMPLE_ID })),
        code: text({ min: 1, max: 100, trim: true, example: '123456' }),
        is_recovery: optional(z.boolean().openapi({ example: false })),
      }),
    },
    responses: {
      200: {
        description: 'The user; the session cookie is set.',
        result: z.object({ user: User, recovery_codes_remaining: count(7).optional() }),
        cookie: true,
      },
    },
    errors: ['auth_error/invalid_credentials', 'auth_error/mfa_invalid_code', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, services } = call;
    const { limits } = services;
    const claims = await readMfaToken(services.signedTokens, body.mfa_token, now);
    const { userId } = claims;
    if (limits.on && !(await countCode(db, claims, now))) throw refused('sign-in over');
    const [user] = await db
      .select(signInFields)
      .from(users)
      .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
      .where(and(eq(users.id, userId), isNull(users.disabledAt)));
    const forget = await limits.guess('code', userId, await clientOf(call, user));
    if (!user?.mfaEnabled) throw new ApiError('auth_error/mfa_invalid_code');
    let remaining: number | undefined;
    const sso = await readSsoLogin(db, services.ssoBox, claims.id);
    const complete = async (tx: Tx) => {
      if (!(await completeMfaLogin(tx, claims, now))) throw refused('sign-in over');
      const { code, device_id: deviceId, is_recovery: isRecovery } = body;
      const given = { code, deviceId, isRecovery, purpose: claims.id };
      if (!(await useCode(tx, services, userId, given, now))) throw refused('wrong code');
      if (isRecovery) remaining = await countRecoveryCodes(tx, userId);
    };
    const headers = await signIn(call, user, complete, { sso }).catch(unlessDeleted);
    await forget();
    const result = remaining === undefined ? {} : { recovery_codes_remaining: remaining };
    return ok({ user: toUser(user), ...result }, { headers });

    function refused(reason: string): ApiError {
      logSecurityEvent(call, 'sign_in_failed', { reason, account: userId });
      return new ApiError('auth_error/mfa_invalid_code');
    }
  },
);
