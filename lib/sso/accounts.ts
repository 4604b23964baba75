import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { mfaLogins, userEmails, users } from '../../db/schema/accounts.ts';
import { identities as t } from '../../db/schema/identities.ts';
import {
  type Account,
  findAnyAccount,
  lockUser,
  revokePersonalTokens,
  revokeSessions,
  signInFields,
} from '../accounts/accounts.ts';
import { dropEarlierHolder, verifyAddress } from '../accounts/claim.ts';
import { isRegistrationOpen } from '../accounts/registration.ts';
import { releaseHeld } from '../members/invitations.ts';
import { vouchesFor } from './claims.ts';
import type { SsoConnection } from './connections.ts';
import { SsoRefusal } from './refusal.ts';

/** A person, as the provider describes them. */
export interface Person {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailVerified: boolean | undefined;
  name: string;
}

/** The account of a person who signs in. */
export interface SsoAccount extends Omit<Account, 'emailId'> {
  identityId: string;
  /** How the account became the person's: it was, it is new, or its address is of a proven domain. */
  how: 'known' | 'created' | 'adopted';
}

type NextId = () => NewId;

export const DISABLED = () => new SsoRefusal('disabled', 'The account is disabled.');

/** The account that a person has signed in to before, by a connection of the same organization. */
export async function knownAccount(
  tx: Tx,
  { orgId }: Pick<SsoConnection, 'orgId'>,
  { issuer, subject }: Pick<Person, 'issuer' | 'subject'>,
): Promise<SsoAccount | undefined> {
  const [row] = await tx
    .select({ ...signInFields, identityId: t.id, disabledAt: users.disabledAt })
    .from(t)
    .innerJoin(users, eq(users.id, t.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(
      and(
        eq(t.issuer, issuer),
        eq(t.subject, subject),
        sql`${t.orgId} is not distinct from ${orgId ?? null}::uuid`,
      ),
    );
  if (!row) return undefined;
  const { disabledAt, ...account } = row;
  if (disabledAt) throw DISABLED();
  return { ...account, how: 'known' };
}

/**
 * The account of a person who signs in for the first time: a new one, or the one with the address, if the connection speaks for its
 * domain. An address alone proves nothing: any provider can name any.
 * @throws a unique violation if another request creates the account or takes the address at the same moment
 */
export async function newAccount(
  tx: Tx,
  connection: SsoConnection,
  person: Person,
  { nextId, now }: { nextId: NextId; now: Date },
): Promise<SsoAccount> {
  const { email } = person;
  if (email === undefined)
    throw new SsoRefusal(
      'no_email',
      `The provider sent no e-mail address (claim ${connection.claims.email}). Add the scope email, or the claim, at the provider.`,
    );
  const isVouched = vouchesFor(connection, person);
  const found = await findAnyAccount(tx, email);
  if (found) await lockUser(tx, found.id);
  // As it is under the lock: somebody may have verified the address meanwhile, or given it up.
  const holder = found && (await findAnyAccount(tx, email));
  if (holder?.id !== found?.id) throw new SsoRefusal('expired', 'The account has just changed. Try again.');
  if (!holder) {
    if (!isVouched && connection.orgId === undefined && !(await isRegistrationOpen(tx)))
      throw new SsoRefusal(
        'closed',
        'Nobody can register here: ask the operator to name the domain of your address.',
      );
    const { id, at: createdAt } = nextId();
    await tx.insert(users).values({ id, name: person.name, createdAt });
    const address = { id: nextId().id, userId: id, email, isPrimary: true, createdAt };
    await tx.insert(userEmails).values({ ...address, verifiedAt: isVouched ? now : null });
    return insertIdentity(tx, connection, id, { ...person, email }, { nextId, now, how: 'created' });
  }
  if (holder.disabledAt) throw DISABLED();
  if (!isVouched || holder.email !== email)
    throw new SsoRefusal(
      'link',
      `An account with the address ${email} exists. Sign in to it, then connect the provider in its profile.`,
    );
  if (!holder.emailVerified) {
    // Somebody else may have registered the address. Its domain's owner takes precedence, as the mailbox's owner does.
    await dropEarlierHolder(tx, { userId: holder.id, email });
    await tx.update(users).set({ passwordHash: null, name: person.name }).where(eq(users.id, holder.id));
    await verifyAddress(tx, holder.emailId, now);
    await releaseHeld(tx, { userId: holder.id, email }, now);
    await revokeSessions(tx, holder.id, now);
    await revokePersonalTokens(tx, holder.id);
    await tx.delete(mfaLogins).where(eq(mfaLogins.userId, holder.id));
  }
  return insertIdentity(tx, connection, holder.id, { ...person, email }, { nextId, now, how: 'adopted' });
}

async function insertIdentity(
  tx: Tx,
  connection: SsoConnection,
  userId: string,
  { issuer, subject, email }: Person & { email: string },
  { nextId, now, how }: { nextId: NextId; now: Date; how: SsoAccount['how'] },
): Promise<SsoAccount> {
  const { id: identityId } = nextId();
  await tx.insert(t).values({
    ...{ id: identityId, userId, orgId: connection.orgId ?? null, issuer, subject, email },
    ...{ createdAt: now, lastUsedAt: now },
  });
  const account = await knownAccount(tx, connection, { issuer, subject });
  if (!account) throw new Error('the identity was not inserted');
  return { ...account, how };
}

/** Notes a sign-in, and the address that the provider names now. */
export async function noteUse(
  tx: Tx,
  identityId: string,
  email: string | undefined,
  now: Date,
): Promise<void> {
  await tx
    .update(t)
    .set({ lastUsedAt: now, ...(email !== undefined && { email }) })
    .where(eq(t.id, identityId));
}
