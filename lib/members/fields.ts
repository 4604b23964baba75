import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { rankIn } from '../../db/schema/columns.ts';
import { memberships, ROLES } from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';

/*
 * Members as their organization sees them. An organization knows an invited member by the invited address, whatever other
 * addresses the account has. These expressions read memberships joined with the account's primary address.
 */

/** Whether a membership gives access where invitations are pending until they are confirmed. */
export const isConfirmed = sql<boolean>`(${memberships.confirmedAt} is not null
  or (${memberships.invitedEmail} is null and ${userEmails.verifiedAt} is not null))`;

/** The address an organization knows a member by. */
export const memberEmail = sql<string>`coalesce(${memberships.invitedEmail}, ${userEmails.email})`;

/** Whether the shown address was verified by the account. */
const isVerified = sql<boolean>`case when ${memberships.invitedEmail} is null then ${userEmails.verifiedAt} is not null
  else ${memberships.confirmedAt} is not null end`;

/** The member has not used the organization, nor verified the address, since the invitation. */
const isUnseen = sql`(${memberships.confirmedAt} is null or ${memberships.confirmedAt} <= ${memberships.createdAt})`;

/** What stands before the @ of the invited address, as placeholder accounts are called. */
const localPart = sql`left(regexp_replace(${memberships.invitedEmail}, '@[^@]*$', ''), 200)`;

type Switches = Pick<Config, 'pendingInvitations'>;

/** The fields of a member, as the API shows them. */
function memberFields({ pendingInvitations }: Switches) {
  // Without pending invitations the API contract shows the name of whoever is invited by their primary address.
  const isOther = pendingInvitations
    ? sql`${memberships.invitedEmail} is not null`
    : sql`${memberships.invitedEmail} <> ${userEmails.email}`;
  const hides = sql`(${isOther} and ${isUnseen})`;
  return {
    user_id: users.id,
    email: memberEmail,
    name: sql<string>`case when ${hides} then ${localPart} else ${users.name} end`,
    avatar_url: sql<string>`case when ${hides} then '' else ${users.avatarUrl} end`,
    role: memberships.role,
    verified: isVerified,
    pending: pendingInvitations ? sql<boolean>`not ${isConfirmed}` : sql<boolean>`false`,
  };
}

/** An organization's members by role, then by name. */
export function selectMembers(db: Db | Tx, config: Switches, orgId: string, where?: SQL) {
  const fields = memberFields(config);
  return db
    .select(fields)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(and(eq(memberships.orgId, orgId), where))
    .orderBy(rankIn(ROLES, memberships.role), sql`lower(${fields.name})`, users.id);
}

/** One member of an organization. */
export async function findMember(db: Db | Tx, config: Switches, orgId: string, userId: string) {
  const [member] = await selectMembers(db, config, orgId, eq(memberships.userId, userId));
  return member;
}
