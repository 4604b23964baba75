import { eq } from 'drizzle-orm';
import { userEmails } from '../../../db/schema/accounts.ts';
import { lockAccount, mailVerification } from '../../../lib/accounts/accounts.ts';
import { isClaimed } from '../../../lib/accounts/claim.ts';
import { emailFields, toEmail, UserEmail } from '../../../lib/accounts/emails.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { created } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { email } from '../../../lib/http/fields.ts';
import { mailChange } from '../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { requireMailQuota } from '../../../lib/mail/quota.ts';
import { requireNoMore } from '../../../lib/quotas.ts';
import { z } from '../../../lib/schema.ts';

export const addEmail = endpoint(
  {
    method: 'post',
    path: '/profile/emails',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: e-mails',
    summary: 'Add an e-mail address',
    description:
      'Mails a verification link to the address; the mail names the primary address of the account. An unverified address gives no rights.',
    request: { body: z.object({ email: email() }) },
    responses: { 201: { description: 'The address, unverified.', result: UserEmail } },
    errors: ['resource_error/already_exists', 'resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, services, user } = call;
    await services.limits.count('mail', user.id);
    const { id, at } = services.nextId();
    const row = await db.transaction(async (tx) => {
      await lockAccount(tx, call);
      if (await isClaimed(tx, body.email)) return undefined;
      const [added] = await tx
        .insert(userEmails)
        .values({ id, userId: user.id, email: body.email, createdAt: at })
        .onConflictDoNothing()
        .returning(emailFields);
      if (!added) return undefined;
      const own = eq(userEmails.userId, user.id);
      await requireNoMore(tx, services.config, 'emailsPerAccount', userEmails, own);
      await requireMailQuota(tx, services.config.quotas.mailsPerHour, 'link', body.email);
      const address = { id, userId: user.id, address: body.email, addedBy: user.email };
      await mailVerification(tx, services, address, now);
      await mailChange(tx, call, 'email_added', { address: body.email });
      return added;
    });
    if (!row)
      throw new ApiError('resource_error/already_exists', { message: 'The e-mail address is in use.' });
    services.mail.kick();
    logSecurityEvent(call, 'email_added', { email: id });
    return created(toEmail(row));
  },
);
