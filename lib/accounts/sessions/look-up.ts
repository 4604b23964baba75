import type { Sql } from 'postgres';
import { createBatcher } from '../../../db/batcher.ts';
import type { Database, DatabaseClient } from '../../../db/client.ts';
import { orgSchemaName, perOrg } from '../../../db/schema/org-schema.ts';
import type { Role } from '../../../db/schema/orgs.ts';
import { arrayText } from '../../../db/statements.ts';
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
  const group = ({ withConnection }: DatabaseClient, statement: string, ...params: string[]) =>
    createBatcher<TokenClaims, FoundInOrg | undefined, Sql>({
      acquire: withConnection,
      maxConcurrent: 3,
      maxItems: MAX_GROUP,
      async run(claims, sql) {
        const ids = arrayText(claims.map(({ id }) => id));
        const rows = await sql.unsafe<Row[]>(statement, [ids, ...params]);
        const found = new Map(rows.map((row) => [row.sessionId, toSession(row)]));
        return claims.map(({ id, userId }) => {
          const session = found.get(id);
          return session?.user.id === userId ? session : undefined;
        });
      },
    });

  const anywhere = group(database, lookUpStatement());
  const inOrg = perOrg((org: Org) => group(database.of(org), lookUpStatement(orgSchemaName(org.id)), org.id));
  return { find: anywhere, findInOrg: (org, claims) => inOrg(org)(claims) };
}

/** $1 are the sessions' ids, $2 is the org's. */
function lookUpStatement(schema?: string): string {
  const inOrg = schema && {
    fields: `m.role,
      m.confirmed_at is not null or (m.invited_email is null and e.verified_at is not null) as confirmed,
      m.invited_email is not null and m.confirmed_at is not distinct from m.created_at as "firstVisit", exists (
      select from "${schema}".feature_flags where name = 'require_mfa' and provisioned and enabled) as "requireMfa"`,
    join: 'left join shared.memberships m on m.user_id = u.id and m.org_id = $2::uuid',
  };
  return `
    select s.id as "sessionId", s.expires_at as "expiresAt", s.revoked_at as "revokedAt",
      s.last_active_at as "lastActiveAt", greatest(s.created_at, s.stepped_up_at) as "authenticatedAt",
      u.id, e.email, e.verified_at is not null as "emailVerified", u.name, u.avatar_url as "avatarUrl",
      u.mfa_enabled as "mfaEnabled", u.created_at as "createdAt",
      ${inOrg ? inOrg.fields : `null as role, false as confirmed, false as "firstVisit", false as "requireMfa"`}
    from shared.sessions s
    join shared.users u on u.id = s.user_id
    join shared.user_emails e on e.user_id = u.id and e.is_primary
    ${inOrg ? inOrg.join : ''}
    where s.id = any ($1::uuid[]) and u.disabled_at is null`;
}

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
