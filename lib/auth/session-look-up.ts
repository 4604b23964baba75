import type { Sql } from 'postgres';
import type { Database, DatabaseClient } from '../../db/client.ts';
import { createGroup } from '../../db/group.ts';
import { orgSchemaName, perOrg } from '../../db/org.ts';
import type { Role } from '../../db/shared.ts';
import { arrayText } from '../../db/statements.ts';
import type { SessionUser } from '../http/call.ts';
import type { Org } from '../orgs.ts';
import type { TokenClaims } from './signed-token.ts';

/** A session as it is kept, live or not, and whose it is. */
export interface FoundSession {
  id: string;
  user: SessionUser;
  expiresAt: Date;
  revokedAt: Date | null;
  lastActiveAt: Date;
}

/** The same, with what it may do in an organization. */
export interface FoundInOrg extends FoundSession {
  /** Null for who is not a member. */
  role: Role | null;
  /** The organization lets in members with MFA only. */
  requireMfa: boolean;
}

/** Looks up the sessions of cookies. */
export interface SessionLookUp {
  find(claims: TokenClaims): Promise<FoundSession | undefined>;
  /** Session, membership and the org's `require_mfa` in one. */
  findInOrg(org: Org, claims: TokenClaims): Promise<FoundInOrg | undefined>;
}

interface Row extends Omit<SessionUser, 'createdAt'> {
  sessionId: string;
  createdAt: string;
  expiresAt: string;
  revokedAt: string | null;
  lastActiveAt: string;
  role: Role | null;
  requireMfa: boolean;
}

const MAX_GROUP = 1_000;

/**
 * Look-ups that arrive while one is under way share the next, which starts after all of them have arrived: a session
 * that was revoked is refused by the next request.
 */
export function createSessionLookUp(database: Database): SessionLookUp {
  const group = ({ withConnection }: DatabaseClient, statement: string, ...params: string[]) =>
    createGroup<TokenClaims, FoundInOrg | undefined, Sql>({
      takeOff: withConnection,
      maxAway: 3,
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
    fields: `m.role, exists (
      select from "${schema}".feature_flags where name = 'require_mfa' and provisioned and enabled) as "requireMfa"`,
    join: 'left join shared.memberships m on m.user_id = u.id and m.org_id = $2::uuid',
  };
  return `
    select s.id as "sessionId", s.expires_at as "expiresAt", s.revoked_at as "revokedAt",
      s.last_active_at as "lastActiveAt", u.id, e.email, u.name, u.avatar_url as "avatarUrl",
      u.mfa_enabled as "mfaEnabled", u.created_at as "createdAt",
      ${inOrg ? inOrg.fields : `null as role, false as "requireMfa"`}
    from shared.sessions s
    join shared.users u on u.id = s.user_id
    join shared.user_emails e on e.user_id = u.id and e.is_primary
    ${inOrg ? inOrg.join : ''}
    where s.id = any ($1::uuid[])`;
}

function toSession(row: Row): FoundInOrg {
  const { sessionId, expiresAt, revokedAt, lastActiveAt, role, requireMfa, createdAt, ...user } = row;
  return {
    id: sessionId,
    user: { ...user, createdAt: new Date(createdAt) },
    expiresAt: new Date(expiresAt),
    revokedAt: revokedAt === null ? null : new Date(revokedAt),
    lastActiveAt: new Date(lastActiveAt),
    role,
    requireMfa,
  };
}
