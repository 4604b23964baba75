import { getCookie } from 'hono/cookie';
import { identities } from '../../../db/schema/accounts.ts';
import { lockAccount } from '../../../lib/accounts/accounts.ts';
import { spendChallenge } from '../../../lib/accounts/passkeys/challenges.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { setSsoCookie } from '../../../lib/http/accounts/sso.ts';
import { created } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { email } from '../../../lib/http/fields.ts';
import { mailChange } from '../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { z } from '../../../lib/schema.ts';
import { LINK_COOKIE, openLink } from '../../../lib/sso/flow.ts';
import { Identity, toIdentity } from '../../../lib/sso/identities.ts';

export const linkSso = endpoint(
  {
    method: 'post',
    path: '/auth/sso/link',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Single sign-on',
    summary: 'Connect the account at a provider',
    description:
      'After a sign-in at a provider that ended with 409 because an account has the address: proves both accounts. Within 10 minutes, in the same browser. `email` is the address that the provider sent, so that nobody connects an account unseen. You get a mail.',
    request: { body: z.object({ email: email() }) },
    responses: { 201: { description: 'The connected account.', result: Identity } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, c, db, now, services, user } = call;
    const cookie = getCookie(c, LINK_COOKIE);
    const link = cookie === undefined ? undefined : await openLink(services.ssoBox, cookie, now);
    if (!link || link.email !== body.email)
      throw new ApiError('resource_error/conflict', {
        message:
          'No sign-in at a provider waits in this browser for an account with this address. Sign in there again.',
      });
    const { id } = services.nextId();
    const row = await db.transaction(async (tx) => {
      await lockAccount(tx, call);
      const isFirst = await spendChallenge(tx, {
        text: `sso link ${link.nonce}`,
        expiresAt: new Date(link.expiresAt),
      });
      const [inserted] = isFirst
        ? await tx
            .insert(identities)
            .values({
              ...{ id, userId: user.id, issuer: link.issuer, subject: link.subject, email: link.email },
              createdAt: now,
              lastUsedAt: now,
            })
            .onConflictDoNothing()
            .returning()
        : [];
      if (!inserted)
        throw new ApiError('resource_error/conflict', {
          message: 'The account at the provider is connected already.',
        });
      await mailChange(tx, call, 'sso_linked', { address: link.email });
      return inserted;
    });
    setSsoCookie(call, LINK_COOKIE, '', 0);
    services.mail.kick();
    logSecurityEvent(call, 'sso_linked', { account: user.id, how: 'linked', issuer: link.issuer });
    return created(toIdentity(row));
  },
);
