import { and, eq } from 'drizzle-orm';
import { userEmails } from '../../../db/schema/accounts.ts';
import { lockAccount } from '../../../lib/accounts/accounts.ts';
import { mailUndoLink } from '../../../lib/accounts/primary-email-changes.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { done } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { EXAMPLE_ID, z } from '../../../lib/schema.ts';

export const setPrimaryEmail = endpoint(
  {
    method: 'post',
    path: '/profile/emails/{id}/set-primary',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: e-mails',
    summary: 'Make a verified e-mail address the primary one',
    description:
      'Mails a link that undoes the change to the former primary address; it works for 72 hours. An id that names no address of the user answers 400.',
    request: { params: z.object({ id: z.string().openapi({ example: EXAMPLE_ID }) }) },
    responses: {
      200: {
        description: 'The address is the primary one.',
        message: 'The primary e-mail address was changed.',
      },
    },
    errors: ['validation_error/invalid_request'],
  },
  async (call) => {
    const { db, now, params, peer, services, user } = call;
    const id = params.id.toLowerCase();
    if (!z.guid().safeParse(id).success) throw refused('The account has no such e-mail address.');
    const isChanged = await db.transaction(async (tx) => {
      await lockAccount(tx, call);
      const emails = await tx
        .select({
          id: userEmails.id,
          address: userEmails.email,
          isPrimary: userEmails.isPrimary,
          verifiedAt: userEmails.verifiedAt,
        })
        .from(userEmails)
        .where(eq(userEmails.userId, user.id));
      const email = emails.find((each) => each.id === id);
      const former = emails.find(({ isPrimary }) => isPrimary);
      if (!email) throw refused('The account has no such e-mail address.');
      if (!email.verifiedAt) throw refused('The e-mail address is not verified.');
      if (email.isPrimary || !former) return false;
      const set = (isPrimary: boolean, emailId: string) =>
        tx
          .update(userEmails)
          .set({ isPrimary })
          .where(and(eq(userEmails.id, emailId), eq(userEmails.userId, user.id)));
      await set(false, former.id);
      await set(true, id);
      const wasVerified = former.verifiedAt !== null;
      const change = { from: former.address, wasVerified, to: email.address, now, ip: peer.ip };
      await mailUndoLink(tx, services, user, change);
      return true;
    });
    if (isChanged) {
      services.mail.kick();
      logSecurityEvent(call, 'primary_email_changed', { email: id });
    }
    return done();
  },
);

const refused = (message: string) => new ApiError('validation_error/invalid_request', { message });
