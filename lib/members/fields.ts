import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { rankIn } from '../../db/schema/columns.ts';
import { memberships, ROLES } from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';

/*
 * Members as their organization sees them: an invited member has the invited address, whatever other addresses the account
 * has. These expressions read memberships joined with the account's primary address.
 */

/** Whether a membership gives access if `pendingInvitations` is on. */
export const isConfirmed = sql<boolean>`(${memberships.confirmedAt} is not null
  or (${memberships.invitedEmail} is null and ${userEmails.verifiedAt} is not null))`;

/** The address of a member that the organization sees. */
export const memberEmail = sql<string>`coalesce(${memberships.invitedEmail}, ${userEmails.email})`;

/** Whether the account has verified that address. */
const isVerified = sql<boolean>`case when ${memberships.invitedEmail} is null then ${userEmails.verifiedAt} is not null
  else ${memberships.confirmedAt} is not null end`;

/** Whether the member has neither used the organization nor verified the address since the invitation. */
const isUnseen = sql`(${memberships.confirmedAt} is null or ${memberships.confirmedAt} <= ${memberships.createdAt})`;

/** The local part of the invited address, which is the name of placeholder accounts. */
const localPart = sql`left(regexp_replace(${memberships.invitedEmail}, '@[^@]*$', ''), 200)`;

type Settings = Pick<Config, 'pendingInvitations'>;

/** The fields of a member in API responses. The name of an invited account is hidden until it accepts (`isUnseen`). */
function memberFields({ pendingInvitations }: Settings) {
  // The default mode shows the name of an account that was invited by its primary address.
  const isHideable = pendingInvitations
    ? sql`${memberships.invitedEmail} is not null`
    : sql`${memberships.invitedEmail} <> ${userEmails.email}`;
  const isHidden = sql`(${isHideable} and ${isUnseen})`;
  return {
    user_id: users.id,
    email: memberEmail,
    name: sql<string>`case when ${isHidden} then ${localPart} else ${users.name} end`,
    avatar_url: sql<string>`case when ${isHidden} then '' else ${users.avatarUrl} end`,
    role: memberships.role,
    verified: isVerified,
    pending: pendingInvitations ? sql<boolean>`not ${isConfirmed}` : sql<boolean>`false`,
  };
}

/** Selects an organization's members, ordered by role, then by name. */
export function selectMembers(db: Db | Tx, config: Settings, orgId: string, where?: SQL) {
  const fields = memberFields(config);
  return db
    .select(fields)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(and(eq(memberships.orgId, orgId), where))
    .orderBy(rankIn(ROLES, memberships.role), sql`lower(${fields.name})`, users.id);
}

export async function findMember(db: Db | Tx, config: Settings, orgId: string, userId: string) {
  const [member] = await selectMembers(db, config, orgId, eq(memberships.userId, userId));
  return member;
}
