import { isForeignKeyViolation } from '../../db/errors.ts';
import { findAccount } from '../../lib/accounts/accounts.ts';
import { issueMailedToken } from '../../lib/accounts/mailed-tokens.ts';
import { randomHex } from '../../lib/crypto/random.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { email } from '../../lib/http/fields.ts';
import { mayMail } from '../../lib/http/mails.ts';
import { setPassword } from '../../lib/mail/templates/invitations.ts';
import { resetPassword } from '../../lib/mail/templates/sign-in.ts';
import { z } from '../../lib/schema.ts';

export const forgotPassword = endpoint(
  {
    method: 'post',
    path: '/auth/forgot-password',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Request a password reset link',
    description: 'The answer and its timing do not depend on whether the address is known.',
    request: { body: z.object({ email: email() }) },
    responses: {
      200: {
        description: 'If the address belongs to an account, a link was sent. It works once, for one hour.',
        message: 'If the address belongs to an account, a link to reset the password is on its way.',
      },
    },
    errors: ['rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, peer, services } = call;
    const { limits, mail } = services;
    await limits.count('client', peer.ip);
    await limits.count('mail', body.email);
    const account = await findAccount(db, body.email);
    const write = db.transaction(async (tx) => {
      // The answer is the same, and so is what was done for an unknown address.
      if (!(await mayMail(tx, call, 'reset', body.email))) return;
      // For an unknown address as much is written and committed, to nobody.
      const token = account
        ? await issueMailedToken(
            tx,
            { purpose: 'reset_password', userId: account.id, emailId: account.emailId },
            now,
          )
        : randomHex(32);
      const link = { publicUrl: services.config.publicUrl, token };
      const content =
        account?.passwordHash === null
          ? setPassword(link)
          : resetPassword({ ...link, name: account?.name ?? '' });
      if (account) await mail.enqueue(tx, body.email, content);
      else await mail.pretend(tx, content);
    });
    await write.catch((error) => {
      // The account gave the address up meanwhile.
      if (!isForeignKeyViolation(error)) throw error;
    });
    if (account) mail.kick();
    return done();
  },
);
