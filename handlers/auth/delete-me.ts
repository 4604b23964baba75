import { retried } from '../../db/errors.ts';
import { lockAccount } from '../../lib/accounts/accounts.ts';
import { deleteAccount } from '../../lib/accounts/deletion/delete.ts';
import { eraseNow } from '../../lib/accounts/deletion/erase.ts';
import { freshCookie } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { mayMail } from '../../lib/http/mails.ts';
import { sessionCookie } from '../../lib/http/request/session-cookie.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { accountDeleted } from '../../lib/mail/templates/changes.ts';
import { text, z } from '../../lib/schema.ts';

const AccountDeletion = z
  .object({
    confirm: text({ max: 254, trim: true, example: 'ada@example.com' }).openapi({
      description: 'The primary e-mail address of the account.',
    }),
  })
  .openapi('AccountDeletion', { example: { confirm: 'ada@example.com' } });

export const deleteMe = endpoint(
  {
    method: 'delete',
    path: '/auth/me',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Delete the account of the signed-in user',
    description:
      'Ends all sessions and personal access tokens at once, and frees the addresses. Personal data in organizations is removed in the background, unless that takes less than a second. Decisions, comments and API tokens stay in their organizations without the name. The only owner of an organization gets 409, with the slugs of these organizations in `details`. Cannot be undone.',
    request: { body: AccountDeletion },
    responses: { 204: { description: 'Deleted; the session cookie is cleared.', cookie: true } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, db, now, peer, services, user } = call;
    await retried(() =>
      db.transaction(async (tx) => {
        await lockAccount(tx, call);
        const leaving = { userId: user.id, confirm: body.confirm, actor: call.freshActor() };
        const { name, email, emailVerified } = await deleteAccount(tx, services.config, leaving);
        if (emailVerified || (await mayMail(tx, call, 'notice', email)))
          await services.mail.enqueue(tx, email, accountDeleted({ name, at: now, ip: peer.ip }));
      }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'account_deleted', { account: user.id });
    await eraseNow(services, user.id);
    return noContent({ headers: sessionCookie(call, '', 0) });
  },
);
