import { desc, eq } from 'drizzle-orm';
import { userEmails } from '../../../db/schema/accounts.ts';
import { emailFields, toEmail, UserEmail } from '../../../lib/accounts/emails.ts';
import { unverifiedCookie } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { z } from '../../../lib/schema.ts';

export const listEmails = endpoint(
  {
    method: 'get',
    path: '/profile/emails',
    access: unverifiedCookie,
    tag: 'Profile: e-mails',
    summary: 'List the e-mail addresses of the account',
    responses: {
      200: { description: 'The addresses, newest first.', result: z.object({ emails: z.array(UserEmail) }) },
    },
  },
  async ({ db, user }) => {
    const rows = await db
      .select(emailFields)
      .from(userEmails)
      .where(eq(userEmails.userId, user.id))
      .orderBy(desc(userEmails.createdAt), desc(userEmails.id));
    return ok({ emails: rows.map(toEmail) });
  },
);
