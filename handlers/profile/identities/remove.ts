import { and, eq } from 'drizzle-orm';
import { users } from '../../../db/schema/accounts.ts';
import { identities as t } from '../../../db/schema/identities.ts';
import { lockAccount } from '../../../lib/accounts/accounts.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { mailChange } from '../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { z } from '../../../lib/schema.ts';
import { endIdentitySessions } from '../../../lib/sso/sessions.ts';

export const removeIdentity = endpoint(
  {
    method: 'delete',
    path: '/profile/identities/{id}',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Single sign-on',
    summary: 'Disconnect an account at a provider',
    description:
      'It no longer signs in, and its sessions end. The last one of an account without a password stays (409 `conflict`): set a password first, by “Forgot password”. You get a mail.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Disconnected.' } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { db, now, params, services, user } = call;
    const mine = eq(t.userId, user.id);
    await db.transaction(async (tx) => {
      await lockAccount(tx, call);
      // Undone with the transaction if the account is not theirs.
      await endIdentitySessions(tx, params.id, now);
      const [removed] = await tx
        .delete(t)
        .where(and(mine, eq(t.id, params.id)))
        .returning();
      if (!removed) throw new ApiError('resource_error/not_found');
      const [{ hash } = { hash: null }] = await tx
        .select({ hash: users.passwordHash })
        .from(users)
        .where(eq(users.id, user.id));
      if (hash === null && (await tx.$count(t, mine)) === 0)
        throw new ApiError('resource_error/conflict', {
          message: 'Nothing else signs in to your account. Set a password first, by “Forgot password”.',
        });
      await mailChange(tx, call, 'sso_unlinked', { address: removed.email });
    });
    services.mail.kick();
    logSecurityEvent(call, 'sso_unlinked', { account: user.id });
    return noContent();
  },
);
