import { sql } from 'drizzle-orm';
import { createBatcher } from '../../../db/batcher.ts';
import type { Database, DatabaseClient } from '../../../db/client.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { sessions, userEmails, users } from '../../../db/schema/accounts.ts';
import { perOrg } from '../../../db/schema/org-schema.ts';
import { memberships, type Role } from '../../../db/schema/orgs.ts';
import { arrayText, orgStatement, type Placeholders, statement } from '../../../db/statements.ts';
import { isConfirmed } from '../../members/fields.ts';
import type { Org } from '../../orgs/directory.ts';
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
  expiresAt: Date;
  revokedAt: Date | null;
  lastActiveAt: Date;
}

/** A session with the user's membership in an organization. */
export interface FoundInOrg extends FoundSession {
  /** Null when the user is not a member. */
  role: Role | null;
  /** False for an invited member whose account has not verified the invited address. */
  confirmed: boolean;
  /** True for an invited member with a verified address who has not used the organization yet. */
  firstVisit: boolean;
  /** The organization requires MFA. */
  requireMfa: boolean;
}

/** Finds sessions by the claims of their cookies. */
export interface SessionLookUp {
  find(claims: TokenClaims): Promise<FoundSession | undefined>;
  /** Reads session, membership and the organization's `require_mfa` in one statement. */
  findInOrg(org: Org, claims: TokenClaims): Promise<FoundInOrg | undefined>;
}

interface Row extends Omit<SessionUser, 'createdAt'> {
  sessionId: string;
  createdAt: string;
  authenticatedAt: string;
  expiresAt: string;
  revokedAt: string | null;
  lastActiveAt: string;
  role: Role | null;
  confirmed: boolean;
  firstVisit: boolean;
  requireMfa: boolean;
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

const sessionFields = sql`${sessions.id} as "sessionId", ${sessions.expiresAt} as "expiresAt",
  ${sessions.revokedAt} as "revokedAt", ${sessions.lastActiveAt} as "lastActiveAt",
  greatest(${sessions.createdAt}, ${sessions.steppedUpAt}) as "authenticatedAt", ${users.id} as id,
  ${userEmails.email} as email, ${userEmails.verifiedAt} is not null as "emailVerified", ${users.name} as name,
  ${users.avatarUrl} as "avatarUrl", ${users.mfaEnabled} as "mfaEnabled", ${users.createdAt} as "createdAt"`;

const sessionTables = sql`${sessions}
join ${users} on ${users.id} = ${sessions.userId}
join ${userEmails} on ${userEmails.userId} = ${users.id} and ${userEmails.isPrimary}`;

const areFound = ($: Placeholders<Ids>) =>
  sql`${sessions.id} = any (${$.ids}::uuid[]) and ${users.disabledAt} is null`;

const findSessions = statement<Ids, Row>(
  ($) => sql`
select ${sessionFields}, null as role, false as confirmed, false as "firstVisit", false as "requireMfa"
from ${sessionTables} where ${areFound($)}`,
);

const findInOrg = orgStatement<Ids & { org: string }, Row>(
  ({ orgFlags }, $) => sql`
select ${sessionFields}, ${memberships.role} as role, ${isConfirmed} as confirmed,
  ${memberships.invitedEmail} is not null and ${memberships.confirmedAt} is not distinct from ${memberships.createdAt}
    as "firstVisit",
  exists (select from ${orgFlags} where ${orgFlags.name} = 'require_mfa' and ${orgFlags.provisioned}
    and ${orgFlags.enabled}) as "requireMfa"
from ${sessionTables}
left join ${memberships} on ${memberships.userId} = ${users.id} and ${memberships.orgId} = ${$.org}::uuid
where ${areFound($)}`,
);

function toSession(row: Row): FoundInOrg {
  const {
    sessionId,
    expiresAt,
    revokedAt,
    lastActiveAt,
    role,
    confirmed,
    firstVisit,
    requireMfa,
    createdAt,
    authenticatedAt,
    ...user
  } = row;
  return {
    id: sessionId,
    user: { ...user, createdAt: new Date(createdAt) },
    authenticatedAt: new Date(authenticatedAt),
    expiresAt: new Date(expiresAt),
    revokedAt: revokedAt === null ? null : new Date(revokedAt),
    lastActiveAt: new Date(lastActiveAt),
    role,
    confirmed,
    firstVisit,
    requireMfa,
  };
}
