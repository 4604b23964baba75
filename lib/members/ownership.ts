import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Db, Tx } from '../../db/client.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { memberships, orgs, type Role } from '../../db/schema/orgs.ts';
import { run } from '../../db/statements.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import type { MailQueue } from '../mail/queue.ts';
import { countMail } from '../mail/quota.ts';
import { ownershipOffered } from '../mail/templates/organizations.ts';
import type { Org } from '../orgs/directory.ts';
import { type Actor, mailOwners, readOrgName, type WriteMail, withAddress } from '../orgs/notices.ts';
import { inOrgQuota } from '../quotas.ts';
import { type AccessChange, accessOfOwner } from './access.ts';
import { mailRoleChange } from './control.ts';
import { NO_OFFER, offerUntil } from './fields.ts';
import { orgUrl } from './invitations.ts';
import { type Rights, readRoles } from './owners.ts';

/*
 * With `ownerAcceptance` nobody becomes an owner without agreeing to it: a member who gets the role is an admin, with an offer. The
 * offer ends after 7 days, when it is declined, with every change of the role, and when its author is no longer an owner. The
 * functions below are called under the lock of the organization.
 */

const OFFER_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The columns of a membership that gets a role from an owner or admin.
 * @param before the present role
 */
export function grant(
  { ownerAcceptance }: Pick<Config, 'ownerAcceptance'>,
  { role, before, by, now }: { role: Role; before?: Role; by: string; now: Date },
): Pick<typeof memberships.$inferInsert, 'ownerOfferUntil' | 'ownerOfferBy'> & { role: Role } {
  if (role !== 'owner' || before === 'owner' || !ownerAcceptance) return { role, ...NO_OFFER };
  return { role: 'admin', ownerOfferUntil: new Date(now.getTime() + OFFER_MS), ownerOfferBy: by };
}

/**
 * The columns of a membership whose role changes: since when the member has been an owner, and the access to projects, which is never
 * limited for owners. Somebody who loses the role and gets it back is no newcomer.
 */
export const standing = (role: Role, now: Date): { ownerSince: SQL; projectAccess?: 'all' } => ({
  ...(role === 'owner' && { projectAccess: 'all' as const }),
  ownerSince:
    role === 'owner'
      ? sql`coalesce(${memberships.ownerSince}, ${sql.param(now, memberships.ownerSince)})`
      : sql`coalesce(${memberships.ownerSince}, case when ${memberships.role} = 'owner' then ${memberships.createdAt} end)`,
});

/** Whether a member has an offer now. */
export async function hasOffer(tx: Tx, orgId: string, userId: string, now: Date): Promise<boolean> {
  const [found] = await tx
    .select({ until: offerUntil(now) })
    .from(memberships)
    // Joined, so that the names of columns are qualified.
    .innerJoin(orgs, eq(orgs.id, memberships.orgId))
    .where(and(eq(memberships.orgId, orgId), eq(memberships.userId, userId)));
  return Boolean(found?.until);
}

type Context = { db: Db; org: Org };
/** The member who answers an offer. */
type Member = Actor & { user: { id: string } };

/**
 * Makes a member an owner who accepts the offer, and tells all owners.
 * @returns the change of the access to projects
 * @throws ApiError `resource_error/conflict` without an offer, so that one of several requests at once succeeds
 */
export const acceptOwnership = async (context: Context, member: Member): Promise<AccessChange['access']> =>
  accessOfOwner(
    await answer(
      context,
      member,
      { role: 'owner', ...NO_OFFER, ...standing('owner', member.now) },
      async (tx, tables, change) => {
        // Rules assign owners in all projects.
        await run(tx, reloadRulesOf(tables, change.userId));
        await mailRoleChange(tx, member, { ...change, from: 'admin', to: 'owner' });
      },
    ),
  );

/** Ends the offer; the member stays an admin. All owners are told. */
export const declineOwnership = (context: Context, member: Member): Promise<unknown> =>
  answer(context, member, NO_OFFER, (tx, _, change) =>
    mailRoleChange(tx, member, { ...change, from: 'admin', to: 'admin', offer: 'declined' }),
  );

/** @returns the rights of the member until now */
const answer = (
  context: Context,
  { user, now }: Member,
  columns: PgUpdateSetSource<typeof memberships>,
  complete: (tx: Tx, tables: OrgTables, change: { orgId: string; userId: string }) => Promise<void>,
): Promise<Rights> =>
  inOrgQuota(context, async (tx, tables) => {
    const change = { orgId: context.org.id, userId: user.id };
    if (!(await hasOffer(tx, change.orgId, change.userId, now)))
      throw new ApiError('resource_error/conflict', {
        message: 'You have no offer to become an owner, or it has ended. Ask an owner for another one.',
      });
    const { own } = await readRoles(tx, change.orgId, { caller: user.id, member: user.id });
    await tx
      .update(memberships)
      .set(columns)
      .where(and(eq(memberships.orgId, change.orgId), eq(memberships.userId, change.userId)));
    await complete(tx, tables, change);
    return own;
  });

/** Mails an offer to the member, in the transaction that makes it, as far as the quota of the address allows. */
export async function mailOffer(
  tx: Tx,
  { config, mail }: { config: Config; mail: MailQueue },
  { user: by, now }: Pick<Actor, 'user' | 'now'>,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<void> {
  const org = await readOrgName(tx, orgId);
  if (!org) return;
  const url = `${orgUrl(config, org.slug)}/members`;
  const write: WriteMail = async (to, { email }, content) => {
    if ((await countMail(to, config.quotas.mailsPerHour, 'link', email)) === undefined)
      await mail.enqueue(to, email, content);
  };
  const actor = by && (await withAddress(tx, orgId, by));
  const content = ({ name }: { name: string }) => ownershipOffered({ name, org, by: actor, at: now, url });
  await mailOwners(tx, { now, writeMail: write }, orgId, content, eq(memberships.userId, userId));
}
