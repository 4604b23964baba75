import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { createBatcher } from '../../../db/batcher.ts';
import type { Database, DatabaseClient } from '../../../db/client.ts';
import { networksIn, networksOf } from '../../../db/orgs/networks.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { sessions, userEmails, users } from '../../../db/schema/accounts.ts';
import type { OrgTables } from '../../../db/schema/org.ts';
import { perOrg } from '../../../db/schema/org-schema.ts';
import { memberships, orgDeletions, orgs, type Role } from '../../../db/schema/orgs.ts';
import { arrayText, orgStatement, statement } from '../../../db/statements.ts';
import { isActive, isConfirmed, isLimited } from '../../members/fields.ts';
import type { Org } from '../../orgs/directory.ts';
import { hasTrustedMfa, lacksSso } from '../../sso/required.ts';
import type { TokenClaims } from './signed-token.ts';

/** The signed-in user. */
export interface SessionUser {
  id: string;
  email: string;
  name: string;
  avatarUrl: string;
  mfaEnabled: boolean;
  /** The primary address is verified. */
  emailVerified: boolean;
  createdAt: Date;
}

/** A stored session, live or not, with its user. */
export interface FoundSession {
  id: string;
  user: SessionUser;
  /** Time of the sign-in or of the latest step-up. */
  authenticatedAt: Date;
  /** Signed in by a passkey that the account still has. That counts as MFA. */
  byPasskey: boolean;
  /** The provider used several factors, and the organization or the operator trusts it. */
  trustedMfa: boolean;
  /** The connection that signed in. */
  ssoConnectionId: string | null;
  expiresAt: Date;
  revokedAt: Date | null;
  lastActiveAt: Date;
  /** The longest time without a request since the sign-in or the latest step-up, before the present one. */
  idleSeconds: number;
}

/** A user's membership in an organization, as far as access depends on it. */
export interface FoundMembership {
  /** Null when the user is not a member, or suspended. */
  role: Role | null;
  /** The member reaches only the projects of `project_members`. */
  isLimited: boolean;
  /** False for an invited member whose account has not verified the invited address. */
  confirmed: boolean;
  /** True if somebody registered the invited address without the mailed link, and has not verified it. */
  held: boolean;
  /** True for an invited member with a verified address who has not used the organization yet. */
  firstVisit: boolean;
  /** When the member last used the organization, exact to an hour. */
  visitedAt: Date | null;
  /** The organization requires single sign-on, and the credential did not begin there. */
  ssoMissing: boolean;
  /** The organization requires MFA. */
  requireMfa: boolean;
  /** The organization is deleted, and can be restored. */
  orgDeleted: boolean;
  /** The networks from which the organization may be used, as CIDR blocks. None: all. */
  networks: readonly string[];
  /** After this time without a request, the organization requires a step-up. Null: never. */
  sessionIdleMinutes: number | null;
  /** This long after a sign-in or step-up, the organization requires another. Null: not before the session ends. */
  sessionMaxHours: number | null;
}

/** A session with the user's membership in an organization. */
export interface FoundInOrg extends FoundSession {
  membership: FoundMembership;
}

/** Finds sessions by the claims of their cookies. */
export interface SessionLookUp {
  find(claims: TokenClaims): Promise<FoundSession | undefined>;
  /** Reads session, membership and the organization's `require_mfa` in one statement. */
  findInOrg(org: Org, claims: TokenClaims): Promise<FoundInOrg | undefined>;
}

/** The columns of `userFields` and `membershipFields`. */
export interface UserRow
  extends Omit<SessionUser, 'createdAt'>,
    Omit<FoundMembership, 'visitedAt' | 'networks'> {
  createdAt: string;
  visitedAt: string | null;
  networks: string | null;
}

interface Row extends UserRow {
  sessionId: string;
  authenticatedAt: string;
  byPasskey: boolean;
  trustedMfa: boolean;
  ssoConnectionId: string | null;
  expiresAt: string;
  revokedAt: string | null;
  lastActiveAt: string;
  idleSeconds: number;
}

const MAX_GROUP = 1_000;

/**
 * Lookups that arrive while a statement runs share the next one. It starts after all of them have arrived, so a revoked
 * session is refused at the next request.
 */
export function createSessionLookUp(database: Database): SessionLookUp {
  const group = ({ withConnection }: DatabaseClient, find: (client: Sql, ids: string) => Promise<Row[]>) =>
    createBatcher<TokenClaims, FoundInOrg | undefined, Sql>({
      acquire: withConnection,
      maxConcurrent: 3,
      maxItems: MAX_GROUP,
      async run(claims, client) {
        const rows = await find(client, arrayText(claims.map(({ id }) => id)));
        const found = new Map(rows.map((row) => [row.sessionId, toSession(row)]));
        return claims.map(({ id, userId }) => {
          const session = found.get(id);
          return session?.user.id === userId ? session : undefined;
        });
      },
    });

  const anywhere = group(database, (client, ids) => findSessions.run(client, { ids }));
  const inOrg = perOrg((org: Org) =>
    group(database.of(org), (client, ids) => findInOrg(org.tables).run(client, { ids, org: org.id })),
  );
  return { find: anywhere, findInOrg: (org, claims) => inOrg(org)(claims) };
}

/** `ids`: of the sessions. */
type Ids = { ids: string };

/** A user, by `users` and the primary address in `user_emails`. */
export const userFields = sql`${users.id} as id, ${userEmails.email} as email,
  ${userEmails.verifiedAt} is not null as "emailVerified", ${users.name} as name, ${users.avatarUrl} as "avatarUrl",
  ${users.mfaEnabled} as "mfaEnabled", ${users.createdAt} as "createdAt"`;

/**
 * The membership in an organization, by `memberships` joined with `membershipJoin`.
 * @param connectionId the column with the connection that the credential began with
 */
export const membershipFields = (
  { orgFlags, ...tables }: OrgTables,
  connectionId: SQLWrapper,
): SQL => sql`case when ${isActive} then ${memberships.role} end as role,
  ${isLimited} is true as "isLimited", ${lacksSso(connectionId)} as "ssoMissing",
  ${isConfirmed} as confirmed, coalesce(${memberships.isHeld}, false) as held,
  ${memberships.invitedEmail} is not null and ${memberships.confirmedAt} is not distinct from ${memberships.createdAt}
    as "firstVisit", ${memberships.lastActiveAt} as "visitedAt",
  exists (select 1 from ${orgFlags} where ${orgFlags.name} = 'require_mfa' and ${orgFlags.provisioned}
    and ${orgFlags.enabled}) as "requireMfa", ${networksOf(tables)} as networks,
  ${orgs.sessionIdleMinutes} as "sessionIdleMinutes", ${orgs.sessionMaxHours} as "sessionMaxHours",
  exists (select from ${orgDeletions} where ${orgDeletions.orgId} = ${memberships.orgId}) as "orgDeleted"`;

/** For calls that no membership matters to. */
export const noMembershipFields = sql`null as role, false as "isLimited", false as confirmed, false as held, false as "firstVisit",
  false as "ssoMissing",
  null as "visitedAt", false as "requireMfa", null as networks, null as "sessionIdleMinutes", null as "sessionMaxHours",
  false as "orgDeleted"`;

export const membershipJoin = (orgId: SQLWrapper): SQL =>
  sql`left join ${memberships} on ${memberships.userId} = ${users.id} and ${memberships.orgId} = ${orgId}::uuid
left join ${orgs} on ${orgs.id} = ${memberships.orgId}`;

const sessionFields = sql`${sessions.id} as "sessionId", ${sessions.expiresAt} as "expiresAt",
  ${sessions.revokedAt} as "revokedAt", ${sessions.lastActiveAt} as "lastActiveAt",
  greatest(coalesce(${sessions.authenticatedAt}, ${sessions.createdAt}), ${sessions.steppedUpAt}) as "authenticatedAt",
  ${sessions.idleSeconds} as "idleSeconds", ${sessions.passkeyId} is not null as "byPasskey",
  ${sessions.ssoConnectionId} as "ssoConnectionId", ${userFields}`;

/** Joins users that are not disabled, with their primary address. */
export const userJoin = (userId: SQLWrapper): SQL =>
  sql`join ${users} on ${users.id} = ${userId} and ${users.disabledAt} is null
join ${userEmails} on ${userEmails.userId} = ${users.id} and ${userEmails.isPrimary}`;

const findSessions = statement<Ids, Row>(
  ($) => sql`
select ${sessionFields}, false as "trustedMfa", ${noMembershipFields} from ${sessions} ${userJoin(sessions.userId)}
where ${sessions.id} = any (${$.ids}::uuid[])`,
);

const findInOrg = orgStatement<Ids & { org: string }, Row>(
  (tables, $) => sql`
select ${sessionFields}, ${hasTrustedMfa($.org)} as "trustedMfa",
  ${membershipFields(tables, sessions.ssoConnectionId)} from ${sessions} ${userJoin(sessions.userId)}
${membershipJoin($.org)}
where ${sessions.id} = any (${$.ids}::uuid[])`,
);

function toSession({
  sessionId,
  authenticatedAt,
  byPasskey,
  trustedMfa,
  ssoConnectionId,
  expiresAt,
  revokedAt,
  lastActiveAt,
  idleSeconds,
  ...row
}: Row): FoundInOrg {
  return {
    id: sessionId,
    ...toUserAndMembership(row),
    authenticatedAt: new Date(authenticatedAt),
    byPasskey,
    trustedMfa,
    ssoConnectionId,
    expiresAt: new Date(expiresAt),
    revokedAt: revokedAt === null ? null : new Date(revokedAt),
    lastActiveAt: new Date(lastActiveAt),
    idleSeconds,
  };
}

export function toUserAndMembership(row: UserRow): { user: SessionUser; membership: FoundMembership } {
  const {
    role,
    isLimited,
    confirmed,
    held,
    firstVisit,
    visitedAt,
    requireMfa,
    orgDeleted,
    ssoMissing,
    ...rest
  } = row;
  const { createdAt, networks, sessionIdleMinutes, sessionMaxHours, ...user } = rest;
  return {
    user: { ...user, createdAt: new Date(createdAt) },
    membership: {
      ...{ role, isLimited, confirmed, held, firstVisit, requireMfa, orgDeleted, ssoMissing },
      ...{ networks: networksIn(networks), sessionIdleMinutes, sessionMaxHours },
      visitedAt: visitedAt === null ? null : new Date(visitedAt),
    },
  };
}
