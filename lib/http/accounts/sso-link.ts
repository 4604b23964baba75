import { and, eq, isNotNull } from 'drizzle-orm';
import { userEmails } from '../../../db/schema/accounts.ts';
import { identities } from '../../../db/schema/identities.ts';
import { lockAccount } from '../../accounts/accounts.ts';
import type { Flow } from '../../sso/flow.ts';
import { SsoRefusal } from '../../sso/refusal.ts';
import type { CookieCall } from '../call.ts';
import { mailChange } from '../mails.ts';
import { logSecurityEvent } from '../security-log.ts';
import { type Described, flowExpired } from './sso.ts';

/**
 * Connects the account at the provider to that of the session which asked for it. The address there must be a verified one of the account,
 * so that nobody signs in as a colleague.
 * @throws SsoRefusal
 */
export async function linkIdentity(
  visitor: CookieCall | undefined,
  flow: Flow,
  { connection, person: { issuer, subject, email } }: Described,
): Promise<void> {
  if (!visitor || visitor.sessionId !== flow.sessionId) throw flowExpired();
  const { db, now, services, user } = visitor;
  const { id } = services.nextId();
  await db.transaction(async (tx) => {
    await lockAccount(tx, visitor);
    const [own] = await tx
      .select({ email: userEmails.email })
      .from(userEmails)
      .where(
        and(
          eq(userEmails.userId, user.id),
          eq(userEmails.email, email ?? ''),
          isNotNull(userEmails.verifiedAt),
        ),
      );
    if (!own)
      throw new SsoRefusal(
        'other_address',
        `The provider named ${email ?? 'no address'}, which is no verified address of your account. Add it to your account first.`,
      );
    const [linked] = await tx
      .insert(identities)
      .values({
        ...{ id, userId: user.id, orgId: connection.orgId ?? null, issuer, subject, email: own.email },
        ...{ createdAt: now, lastUsedAt: now },
      })
      .onConflictDoNothing()
      .returning({ id: identities.id });
    if (!linked) throw new SsoRefusal('linked', 'This account at the provider is connected already.');
    await mailChange(tx, visitor, 'sso_linked', { address: own.email });
  });
  services.mail.kick();
  logSecurityEvent(visitor, 'sso_linked', { account: user.id, how: 'linked', issuer });
}
