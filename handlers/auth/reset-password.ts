import { and, eq, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { mailedTokens, userEmails, users } from '../../db/shared.ts';
import { mailPasswordChanged, revokeSessions } from '../../lib/auth/accounts.ts';
import { consumeMailedToken, invalidLink } from '../../lib/auth/mailed-tokens.ts';
import { newPassword } from '../../lib/auth/passwords.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { done, endpoint } from '../../lib/http/endpoint.ts';
import { mailedToken } from '../../lib/http/fields.ts';
import { z } from '../../lib/http/schema.ts';

export const resetPassword = endpoint(
  {
    method: 'post',
    path: '/auth/reset-password',
    access: baseDomainOnly,
    tag: 'Auth',
    summary: 'Reset the password by a mailed link',
    description:
      'Revokes all sessions of the account. The address the link went to counts as verified, and a placeholder account becomes one that can log in.',
    request: { body: z.object({ token: mailedToken(), password: newPassword() }) },
    responses: {
      200: {
        description: 'The password is changed.',
        message: 'The password was changed. Log in with the new one.',
      },
    },
    errors: ['rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, peer, services } = call;
    await services.limits.count('client', peer.ip);
    const passwordHash = await services.hasher.hash(body.password);
    await db.transaction(async (tx) => {
      const used = await consumeMailedToken(tx, 'reset_password', body.token, now);
      if (!used) throw invalidLink();
      const [user] = await tx
        .update(users)
        .set({ passwordHash })
        .where(and(eq(users.id, used.userId), isNull(users.disabledAt)))
        .returning({ name: users.name });
      if (!user) throw invalidLink();
      const claimed = or(eq(userEmails.isPrimary, true), isNotNull(userEmails.verifiedAt));
      const [address] = await tx
        .update(userEmails)
        .set({ verifiedAt: sql`coalesce(${userEmails.verifiedAt}, ${now.toISOString()}::timestamptz)` })
        .where(and(eq(userEmails.id, used.emailId), claimed))
        .returning({ id: userEmails.id });
      // It was given up since the link was mailed, and may be somebody else's by now.
      if (!address) throw invalidLink();
      await tx
        .delete(mailedTokens)
        .where(and(eq(mailedTokens.userId, used.userId), eq(mailedTokens.purpose, 'reset_password')));
      await revokeSessions(tx, used.userId, now);
      const [primary] = await tx
        .select({ email: userEmails.email })
        .from(userEmails)
        .where(and(eq(userEmails.userId, used.userId), eq(userEmails.isPrimary, true)));
      if (primary) await mailPasswordChanged(tx, call, { ...user, ...primary });
    });
    services.mail.kick();
    return done();
  },
);
