import { and, count, eq, gt, isNotNull, isNull, not, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { type Projects, within } from '../../db/projects/reach.ts';
import { toResource } from '../../db/resources.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { rankIn } from '../../db/schema/columns.ts';
import { expiryOf, type OrgTables } from '../../db/schema/org.ts';
import { isLimited, memberships, type ProjectAccess, ROLES } from '../../db/schema/orgs.ts';
import { personalTokens } from '../../db/schema/personal-tokens.ts';
import { scimUsers } from '../../db/schema/scim.ts';
import { arrayText } from '../../db/statements.ts';
import type { Config } from '../config/config.ts';
import type { Org } from '../orgs/directory.ts';

type Settings = Pick<Config, 'pendingInvitations'>;

/*
 * Members as their organization sees them: an invited member has the invited address, whatever other addresses the account
 * has. These expressions read memberships joined with the account's primary address.
 */

/** Whether the account has verified the address of a membership. */
export const isConfirmed = sql<boolean>`(${memberships.confirmedAt} is not null
  or (${memberships.invitedEmail} is null and ${userEmails.verifiedAt} is not null))`;

/** Whether provisioning has not suspended a membership (`lib/scim/`). */
export const isActive = isNull(memberships.suspendedAt);

export { isLimited };

/**
 * Whether a membership gives access: it is not suspended, and with `pendingInvitations` it is confirmed, otherwise nobody registered the
 * invited address without the mailed link.
 */
export const hasAccess = (settings: Settings): SQL<boolean> =>
  sql<boolean>`(${isActive} and ${isCurrent(settings)})`;

const isCurrent = ({ pendingInvitations }: Settings): SQL<boolean> =>
  pendingInvitations ? isConfirmed : sql<boolean>`not ${memberships.isHeld}`;

/** The address of a member that the organization sees. */
export const memberEmail = sql<string>`coalesce(${memberships.invitedEmail}, ${userEmails.email})`;

/** Whether the account has verified that address. */
const isVerified = sql<boolean>`case when ${memberships.invitedEmail} is null then ${userEmails.verifiedAt} is not null
  else ${memberships.confirmedAt} is not null end`;

/** Whether the member has neither used the organization nor verified the address since the invitation. */
const isUnseen = sql`(${memberships.confirmedAt} is null or ${memberships.confirmedAt} <= ${memberships.createdAt})`;

/** When the offer to become an owner ends (`ownership.ts`); null if the member has none. For queries with joins. */
export const offerUntil = (now: Date): SQL<Date | null> =>
  sql`case when ${memberships.role} = 'admin' and ${memberships.ownerOfferUntil} > ${now.toISOString()}::timestamptz
    and exists (select from shared.memberships author where author.org_id = ${memberships.orgId}
      and author.user_id = ${memberships.ownerOfferBy} and author.role = 'owner')
    then ${memberships.ownerOfferUntil} end`.mapWith(memberships.ownerOfferUntil);

/** The columns of a membership without an offer. */
export const NO_OFFER = { ownerOfferUntil: null, ownerOfferBy: null } as const;

/** The local part of the invited address, which is the name of placeholder accounts. */
const localPart = sql`left(regexp_replace(${memberships.invitedEmail}, '@[^@]*$', ''), 200)`;

/** Whether the member was not invited, or has used the organization since. */
export const hasCome = sql<boolean>`(${memberships.invitedEmail} is null or not ${isUnseen})`;

/** The name that the identity provider sends; null without one. */
const provisionedName = sql`left(coalesce(${scimUsers.displayName},
  nullif(concat_ws(' ', ${scimUsers.givenName}, ${scimUsers.familyName}), '')), 200)`;

/**
 * The name and picture that the organization sees: those of an invited account are hidden until it accepts (`isUnseen`). For queries with
 * a join of `scimUsers`.
 */
function shownAs({ pendingInvitations }: Settings) {
  // The default mode shows the name of an account that was invited by its primary address.
  const isHideable = pendingInvitations
    ? sql`${memberships.invitedEmail} is not null`
    : sql`${memberships.invitedEmail} <> ${userEmails.email}`;
  const isHidden = sql`((${isHideable} or ${memberships.isHeld}) and ${isUnseen})`;
  return {
    name: sql<string>`case when not ${hasCome} and ${provisionedName} is not null then ${provisionedName}
      when ${isHidden} then ${localPart} else ${users.name} end`,
    avatarUrl: sql<string>`case when ${isHidden} then '' else ${users.avatarUrl} end`,
  };
}

/** The name that the organization sees. For queries with a join of `scimUsers`. */
export const memberName = (settings: Settings): SQL<string> => shownAs(settings).name;

/** Joins a member with the attributes that the identity provider sent. */
export const provisioned = and(
  eq(scimUsers.orgId, memberships.orgId),
  eq(scimUsers.userId, memberships.userId),
);

/** The fields of a member in API responses. */
function memberFields(settings: Settings, now: Date) {
  const { name, avatarUrl } = shownAs(settings);
  return {
    user_id: users.id,
    email: memberEmail,
    name,
    avatar_url: avatarUrl,
    role: memberships.role,
    project_access: sql<ProjectAccess>`case when ${isLimited} then 'assigned' else 'all' end`,
    verified: isVerified,
    pending: sql<boolean>`not ${isCurrent(settings)}`,
    suspended: sql<true | null>`nullif(not ${isActive}, false)`,
    role_mapped: sql<
      true | null
    >`nullif(${memberships.mappedBy} is not null or ${memberships.roleProvisioned}, false)`,
    break_glass: sql<true | null>`nullif(${memberships.breakGlass} and ${memberships.role} = 'owner', false)`,
    owner_offer_until: offerUntil(now),
  };
}

/** The members of an organization, ordered by role, then by name. */
export async function listMembers(
  db: Db | Tx,
  { config, now }: { config: Settings; now: Date },
  orgId: string,
  where?: SQL,
) {
  const fields = memberFields(config, now);
  const rows = await db
    .select(fields)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .leftJoin(scimUsers, provisioned)
    .where(and(eq(memberships.orgId, orgId), where))
    .orderBy(rankIn(ROLES, memberships.role), sql`lower(${fields.name})`, users.id);
  return rows.map(toResource);
}

/**
 * The second factor, the last activity in the organization and the tokens of members, which only admins see. An invited account
 * that has not used the organization is left out.
 */
export async function listMemberSecurity(
  db: Db,
  { id: orgId, tables }: Pick<Org, 'id' | 'tables'>,
  now: Date,
) {
  const { apiTokens: t } = tables;
  const [members, created] = await Promise.all([
    db
      .select({
        userId: memberships.userId,
        mfa_enabled: users.mfaEnabled,
        last_active_at: memberships.lastActiveAt,
        personal_tokens: sql<number>`(select count(*)::int from ${personalTokens} p where p.user_id = ${memberships.userId}
          and (p.org_id is null or p.org_id = ${orgId}::uuid) and p.expires_at > ${now.toISOString()}::timestamptz)`,
      })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(and(eq(memberships.orgId, orgId), or(hasCome, isNotNull(memberships.lastActiveAt)))),
    db
      .select({ userId: t.createdBy, count: count() })
      .from(t)
      .where(and(not(t.revoked), gt(expiryOf(t), sql.param(now, t.expiresAt))))
      .groupBy(t.createdBy),
  ]);
  const tokensOf = new Map(created.map(({ userId, count }) => [userId, count]));
  return new Map(
    members.map(({ userId, ...member }) => [
      userId,
      toResource({ ...member, api_tokens: tokensOf.get(userId) ?? 0 }),
    ]),
  );
}

/** The members who reach one of some projects. */
export async function reachOneOf(
  db: Db | Tx,
  { projectMembers: m }: OrgTables,
  projects: Projects,
): Promise<SQL> {
  const assigned = await db.selectDistinct({ id: m.userId }).from(m).where(within(m.projectId, projects));
  const ids = arrayText(assigned.map(({ id }) => id));
  return sql`(not ${isLimited} or ${memberships.userId} = any (${ids}::uuid[]))`;
}

export async function findMember(
  db: Db | Tx,
  context: { config: Settings; now: Date },
  orgId: string,
  userId: string,
) {
  const [member] = await listMembers(db, context, orgId, eq(memberships.userId, userId));
  return member;
}
