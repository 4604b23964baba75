import { and, eq, isNull, sql } from 'drizzle-orm';
import { mailedTokens, userEmails, users } from '../../db/schema/accounts.ts';
import { revokePersonalTokens, revokeSessions } from '../../lib/accounts/accounts.ts';
import { dropEarlierHolder, dropIdentities, isClaim, verifyAddress } from '../../lib/accounts/claim.ts';
import { consumeMailedToken, invalidLink, isMailedToken } from '../../lib/accounts/mailed-tokens.ts';
import { endMfaLogins } from '../../lib/accounts/mfa/logins.ts';
import { holdPasskeys } from '../../lib/accounts/passkeys/passkeys.ts';
import { checkChosenPassword, withWarning } from '../../lib/accounts/passwords/check.ts';
import { newPassword } from '../../lib/accounts/passwords/passwords.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { rememberDevice } from '../../lib/http/accounts/clients.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { mailedToken } from '../../lib/http/fields.ts';
import { mailPasswordChanged } from '../../lib/http/mails.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { releaseHeld } from '../../lib/members/invitations.ts';
import { z } from '../../lib/schema.ts';

const CHANGED = 'The password was changed. Log in with the new one.';

export const resetPassword = endpoint(
  {
    method: 'post',
    path: '/auth/reset-password',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Reset the password by a mailed link',
    description:
      'Revokes all sessions and personal access tokens of the account. Passkeys no longer sign in without the password until their owner allows it again. The address the link went to counts as verified, and a placeholder account becomes one that can log in. With `SVC_REQUIRE_VERIFIED_EMAIL`, a link that verifies the primary address for the first time also removes what was attached to the account before: other addresses, second factors and memberships by invitation to another address.',
    request: { body: z.object({ token: mailedToken(), password: newPassword() }) },
    responses: {
      200: {
        description: 'The password is changed.',
        message: CHANGED,
      },
    },
    errors: ['rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, peer, services } = call;
    await services.limits.count('client', peer.ip);
    const chosen = { field: 'password', password: body.password };
    let warning = checkChosenPassword(services.config, chosen);
    // Before the hash, which is the expensive part.
    if (!(await isMailedToken(db, 'reset_password', body.token, now))) throw invalidLink();
    const passwordHash = await services.hasher.hash(body.password, peer.ip);
    const account = await db.transaction(async (tx) => {
      const used = await consumeMailedToken(tx, 'reset_password', body.token, now);
      if (!used) throw invalidLink();
      const { userId, emailId } = used;
      const [user] = await tx
        .select({ name: users.name, passwordHash: users.passwordHash })
        .from(users)
        .where(and(eq(users.id, userId), isNull(users.disabledAt)));
      const [address] = await tx
        .select({ email: userEmails.email, verifiedAt: userEmails.verifiedAt })
        .from(userEmails)
        .where(and(eq(userEmails.id, emailId), isClaim));
      // It was given up since the link was mailed, and may be somebody else's by now.
      if (!user || !address) throw invalidLink();
      await tx.update(users).set({ passwordHash }).where(eq(users.id, userId));
      const { email } = address;
      const isFirst = address.verifiedAt === null;
      if (isFirst) await verifyAddress(tx, emailId, now);
      const wasHeld = await releaseHeld(tx, { userId, email }, now);
      const claimed =
        wasHeld || (isFirst && user.passwordHash !== null && services.config.requireVerifiedEmail);
      if (claimed) await dropEarlierHolder(tx, { userId, email });
      await tx
        .delete(mailedTokens)
        .where(and(eq(mailedTokens.userId, userId), eq(mailedTokens.purpose, 'reset_password')));
      await endMfaLogins(tx, userId);
      // Before the sessions, so that one which a passkey just made is seen. A thief may have added the passkey.
      await holdPasskeys(tx, userId);
      await dropIdentities(tx, userId);
      await revokeSessions(tx, userId, now);
      await revokePersonalTokens(tx, userId);
      const [primary] = await tx
        .select({
          email: userEmails.email,
          emailVerified: sql<boolean>`${userEmails.verifiedAt} is not null`,
        })
        .from(userEmails)
        .where(and(eq(userEmails.userId, userId), eq(userEmails.isPrimary, true)));
      // The account, and so its address, is known only now. A refused password leaves the link unused.
      if (primary) warning = checkChosenPassword(services.config, { ...chosen, addresses: [primary.email] });
      if (primary) await mailPasswordChanged(tx, call, { name: user.name, ...primary, claimed });
      return userId;
    });
    services.mail.kick();
    // The link proves the mailbox: this browser counts as known to the account.
    await rememberDevice(call, { id: account, passwordHash });
    logSecurityEvent(call, 'password_reset', { account });
    return done(withWarning(CHANGED, warning));
  },
);
