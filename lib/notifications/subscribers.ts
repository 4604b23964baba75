import { and, eq, isNotNull, isNull, not, type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { notificationSettings as s, sessions, userEmails, users } from '../../db/schema/accounts.ts';
import { identities } from '../../db/schema/identities.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { isLimited, memberships, type Role, ssoConnections } from '../../db/schema/orgs.ts';
import { hasCome, isActive, isConfirmed } from '../members/fields.ts';
import { isOrgFlagActive } from '../orgs/flags.ts';
import { hasTrustedMfa, lacksSso } from '../sso/required.ts';
import { rankOf } from '../tokens/scopes.ts';
import type { Settings } from './settings.ts';

/** A person who has chosen mails, with the primary address. */
export interface Recipient extends Settings {
  id: string;
  name: string;
  email: string;
}

/** A member of an organization who has chosen mails. */
export interface Subscriber extends Recipient {
  role: Role;
  /** Reaches only the assigned projects. */
  isLimited: boolean;
}

/** The columns of a {@link Recipient}. */
export const recipientFields = {
  ...{ id: users.id, name: users.name, email: userEmails.email },
  ...{ kinds: s.kinds, timeZone: s.timeZone, hour: s.hour },
};

/** Whether mails go to an account: it is not disabled and has verified its primary address. */
export const isReachable = and(
  isNull(users.disabledAt),
  eq(userEmails.isPrimary, true),
  isNotNull(userEmails.verifiedAt),
);

/** Whether settings have a kind that is on. */
export const isWanting: SQL = sql`jsonb_path_exists(${s.kinds}, '$.* ? (@ != "off")')`;

/**
 * Whether a membership is a reason for mails: it is not suspended, and the member has accepted the invitation. A stranger can invite any
 * address.
 */
export const hasJoined = and(isActive, hasCome);

/** The connections of a membership's organization by which the account has signed in. */
const connectionsOfMember = sql`any (array(
  select k.id from ${ssoConnections} k join ${identities} i on i.org_id = k.org_id and i.issuer = k.issuer
  where i.user_id = ${memberships.userId} and k.org_id = ${memberships.orgId}))`;

/** Whether an account has a second factor that an organization accepts, or has signed in with one. */
const hasMfa = (orgId: string) =>
  sql<boolean>`(${users.mfaEnabled} or exists (select 1 from ${sessions} where ${sessions.userId} = ${users.id}
    and (${sessions.passkeyId} is not null or ${hasTrustedMfa(sql`${orgId}`)})))`;

/**
 * The members of an organization, or one of them, who have access to it and have chosen mails. Members whom the organization refuses until
 * they use its provider or a second factor are left out.
 */
export async function readSubscribers(
  db: Db | Tx,
  { id: orgId, tables }: { id: string; tables: OrgTables },
  userId?: string,
): Promise<Subscriber[]> {
  const found = await db
    .select({ ...recipientFields, role: memberships.role, isLimited, hasMfa: hasMfa(orgId) })
    .from(memberships)
    .innerJoin(s, eq(s.userId, memberships.userId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, eq(userEmails.userId, users.id))
    .where(
      and(
        eq(memberships.orgId, orgId),
        userId === undefined ? undefined : eq(memberships.userId, userId),
        ...[hasJoined, isConfirmed, not(memberships.isHeld), isReachable, isWanting],
        not(lacksSso(connectionsOfMember)),
      ),
    );
  const isRefusing =
    found.some((member) => !member.hasMfa) && (await isOrgFlagActive(db, tables, 'require_mfa'));
  return found.flatMap(({ hasMfa, ...member }) => (isRefusing && !hasMfa ? [] : [member]));
}

/** Reads where mails to an account go. @returns undefined if it gets none */
export async function readRecipient(db: Db, userId: string): Promise<Recipient | undefined> {
  const [recipient] = await db
    .select(recipientFields)
    .from(s)
    .innerJoin(users, eq(users.id, s.userId))
    .innerJoin(userEmails, eq(userEmails.userId, s.userId))
    .where(and(eq(s.userId, userId), isReachable));
  return recipient;
}

/**
 * Whether a member sees what belongs to a project, or without one what only admins of the organization see.
 * @param assigned the projects within reach of limited members
 */
export const sees = (
  { id, isLimited, role }: Subscriber,
  projectId: string | undefined,
  assigned: ReadonlyMap<string, readonly string[]>,
): boolean => {
  if (projectId === undefined) return !isLimited && rankOf(role) >= rankOf('admin');
  return !isLimited || (assigned.get(id)?.includes(projectId) ?? false);
};
