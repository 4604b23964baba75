import { and, eq, gt, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { primaryEmailChanges as c, userEmails, users } from '../../db/schema/accounts.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { hasSignIn } from '../accounts/has-sign-in.ts';
import type { MailContent } from '../mail/mailer.ts';
import type { Letter } from '../mail/templates/letter.ts';
import { type ControlChange, controlChanged, type OrgNotice } from '../mail/templates/organizations.ts';
import { hasCome, isActive, memberEmail } from '../members/fields.ts';

/** The primary address of an owner. */
interface Recipient {
  email: string;
  /** The person has verified the address and used the organization: its mails have a quota of their own. */
  isKnown: boolean;
  orgId: string;
}

/** Writes a mail into the queue, in a transaction. */
export type WriteMail = (tx: Tx, recipient: Recipient, content: MailContent) => Promise<unknown>;

/**
 * The actor of a change of control over an organization: a user who has just signed in or stepped up, or an operator. A request
 * gets one from `freshActor()` only.
 */
export interface Actor {
  /** Unset: an operator. */
  user?: { id: string; name: string };
  now: Date;
  writeMail: WriteMail;
  /** Base of the links in mails. Unset: the mails have no link, because an operator made the change. */
  publicUrl?: string;
}

/** The memberships of owners who are not suspended. */
export const isOwner = sql`(${memberships.role} = 'owner' and ${isActive})`;

/** The most owners that get a mail about one event: those who have been members for longest. */
const MOST = 50;

/**
 * Mails every owner of an organization at the primary address, and at a former one that may still be restored, because a thief may have
 * changed it. Owners who have never signed in get no mail. Part of the transaction that causes the mails.
 * @param recipients which members instead of the owners
 */
export async function mailOwners(
  tx: Tx,
  { now, writeMail }: Pick<Actor, 'now' | 'writeMail'>,
  orgId: string,
  content: (owner: { id: string; name: string }) => MailContent | Promise<MailContent>,
  recipients: SQL | undefined = isOwner,
): Promise<void> {
  const found = await tx
    .select({
      ...{ id: users.id, name: users.name, email: userEmails.email, verifiedAt: userEmails.verifiedAt },
      hasCome,
    })
    .from(memberships)
    .innerJoin(users, and(eq(users.id, memberships.userId), isNull(users.disabledAt), hasSignIn))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(and(eq(memberships.orgId, orgId), recipients))
    .orderBy(memberships.createdAt, users.id)
    .limit(MOST);
  const former = await tx
    .select({ id: c.userId, email: c.oldEmail, verified: c.oldEmailVerified })
    .from(c)
    .where(
      and(
        inArray(
          c.userId,
          found.map(({ id }) => id),
        ),
        gt(c.expiresAt, now),
      ),
    );
  const letters: { recipient: Recipient; content: MailContent }[] = [];
  for (const { email, verifiedAt, hasCome, ...owner } of found) {
    const written = await content(owner);
    for (const to of [
      { email, verified: verifiedAt !== null },
      ...former.filter(({ id }) => id === owner.id),
    ])
      letters.push({
        recipient: { email: to.email, isKnown: to.verified && hasCome, orgId },
        content: written,
      });
  }
  // In one order, as everywhere: writing counts the mails of an address.
  letters.sort((a, b) => (a.recipient.email < b.recipient.email ? -1 : 1));
  for (const letter of letters) await writeMail(tx, letter.recipient, letter.content);
}

/** Tells all owners about a change of control. Part of the transaction that makes it. */
export async function mailControl(
  tx: Tx,
  { user, now, writeMail }: Actor,
  orgId: string,
  change: ControlChange,
  facts: Letter['facts'],
  recipients?: SQL,
): Promise<void> {
  const org = await readOrgName(tx, orgId);
  if (!org) return;
  const notice = { org, by: user && (await withAddress(tx, orgId, user)), at: now };
  const content = ({ name }: { name: string }) => controlChanged(change, { name, ...notice }, facts);
  await mailOwners(tx, { now, writeMail }, orgId, content, recipients);
}

/** The address of a member that the organization sees; undefined for others. */
export async function memberAddress(tx: Tx, orgId: string, userId: string): Promise<string | undefined> {
  const [member] = await tx
    .select({ email: memberEmail })
    .from(memberships)
    .innerJoin(userEmails, and(eq(userEmails.userId, memberships.userId), eq(userEmails.isPrimary, true)))
    .where(and(eq(memberships.orgId, orgId), eq(memberships.userId, userId)));
  return member?.email;
}

/** The actor as mails to members name them. */
export const withAddress = async (
  tx: Tx,
  orgId: string,
  { id, name }: { id: string; name: string },
): Promise<OrgNotice['by']> => ({ name, email: await memberAddress(tx, orgId, id) });

/** The name and the slug of an organization as the transaction sees them. */
export async function readOrgName(
  db: Db | Tx,
  orgId: string,
): Promise<{ name: string; slug: string } | undefined> {
  const [org] = await db.select({ name: orgs.name, slug: orgs.slug }).from(orgs).where(eq(orgs.id, orgId));
  return org;
}
