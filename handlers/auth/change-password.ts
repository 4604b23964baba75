import { and, eq } from 'drizzle-orm';
import { mailedTokens, users } from '../../db/schema/accounts.ts';
import { lockAccount, revokePersonalTokens, revokeSessions } from '../../lib/accounts/accounts.ts';
import { endMfaLogins } from '../../lib/accounts/mfa/logins.ts';
import { holdPasskeys } from '../../lib/accounts/passkeys/passkeys.ts';
import { checkChosenPassword, withWarning } from '../../lib/accounts/passwords/check.ts';
import { newPassword } from '../../lib/accounts/passwords/passwords.ts';
import { cookie } from '../../lib/http/access.ts';
import { rememberDevice } from '../../lib/http/accounts/clients.ts';
import { requirePassword } from '../../lib/http/accounts/password.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { password } from '../../lib/http/fields.ts';
import { mailPasswordChanged } from '../../lib/http/mails.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { optional, z } from '../../lib/schema.ts';
import { revokeTokensOf } from '../../lib/tokens/creators.ts';

const CHANGED = 'The password was changed.';

export const changePassword = endpoint(
  {
    method: 'post',
    path: '/auth/change-password',
    access: cookie,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Change the password',
    description:
      'Revokes all other sessions and all reset links that were mailed before. Tokens keep working, unless `revoke_tokens` is `true`.',
    request: {
      body: z.object({
        current_password: password(),
        new_password: newPassword(),
        revoke_tokens: optional(z.boolean()).openapi({
          type: 'boolean',
          example: false,
          description:
            'With `true`, also revokes your personal access tokens, and the API tokens that you created in your organizations, and makes your passkeys second factors only: what a thief of the account may have made.',
        }),
      }),
    },
    responses: { 200: { description: 'The password is changed.', message: CHANGED } },
    errors: ['auth_error/invalid_credentials', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, log, now, peer, services, sessionId, user } = call;
    const warning = checkChosenPassword(services.config, {
      field: 'new_password',
      password: body.new_password,
      addresses: [user.email],
    });
    const verified = await requirePassword(call, body.current_password);
    const passwordHash = await services.hasher.hash(body.new_password, peer.ip);
    await db.transaction(async (tx) => {
      await lockAccount(tx, call, verified);
      await tx.update(users).set({ passwordHash }).where(eq(users.id, user.id));
      await tx
        .delete(mailedTokens)
        .where(and(eq(mailedTokens.userId, user.id), eq(mailedTokens.purpose, 'reset_password')));
      await endMfaLogins(tx, user.id);
      if (body.revoke_tokens) await holdPasskeys(tx, user.id);
      await revokeSessions(tx, user.id, now, sessionId);
      if (body.revoke_tokens) await revokePersonalTokens(tx, user.id);
      await mailPasswordChanged(tx, call, user);
    });
    services.mail.kick();
    // Its device cookie has ended with the former password.
    await rememberDevice(call, { id: user.id, passwordHash });
    // The other sessions have ended, so a thief cannot create more of them.
    const ended = body.revoke_tokens ? await revokeTokensOf({ ...services, log }, user.id) : undefined;
    logSecurityEvent(call, 'password_changed', ended ? { revoked_tokens: ended.revoked } : {});
    const failed = ended?.failed.length
      ? `Revoke your tokens of these organizations yourself, which could not be reached: ${ended.failed.join(', ')}.`
      : undefined;
    return done(withWarning(CHANGED, [warning, failed].filter(Boolean).join(' ') || undefined));
  },
);
