import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { sessions, users } from '../../db/schema/accounts.ts';
import { ssoConnections as c, memberships } from '../../db/schema/orgs.ts';
import { DEPLOYMENT_ID } from './connections.ts';

/**
 * Whether a membership lacks the sign-in that its organization requires (`require_sso`). Owners who are marked `break_glass` are exempt,
 * and all owners as long as no marked one can sign in, so that no setting and no removal locks an organization out.
 * @param connectionId the column with the connection that signed in
 */
export const lacksSso = (connectionId: SQLWrapper): SQL<boolean> => sql`(
  exists (select from ${c} where ${c.orgId} = ${memberships.orgId} and ${c.enabled} and ${c.requireSso})
  and not exists (select from ${c} where ${c.id} = ${connectionId} and ${c.orgId} = ${memberships.orgId} and ${c.enabled})
  and not (${memberships.role} = 'owner' and (${memberships.breakGlass} or not exists (
    select from shared.memberships marked join shared.users holder on holder.id = marked.user_id
    where marked.org_id = ${memberships.orgId} and marked.role = 'owner' and marked.break_glass
      and holder.disabled_at is null and holder.password_hash is not null and not marked.is_held and marked.suspended_at is null))))`;

/** Whether the provider used several factors for a session, as far as this organization, or the operator, trusts it. */
export const hasTrustedMfa = (orgId: SQLWrapper): SQL<boolean> => sql`(${sessions.ssoMfa} and (
  ${sessions.ssoConnectionId} = ${sql.raw(`'${DEPLOYMENT_ID}'`)}::uuid
  or exists (select from ${c} where ${c.id} = ${sessions.ssoConnectionId} and ${c.orgId} = ${orgId}::uuid and ${c.enabled}
    and ${c.trustMfa})))`;

/** The standing of a session in an organization that no access check has looked at. */
export async function readSessionStanding(
  db: Db,
  ids: { sessionId: string; userId: string; orgId: string },
): Promise<{ lacksSso: boolean; trustedMfa: boolean }> {
  const [row] = await db
    .select({
      lacksSso: lacksSso(sessions.ssoConnectionId),
      trustedMfa: hasTrustedMfa(sql`${ids.orgId}`),
    })
    .from(memberships)
    .innerJoin(users, sql`${users.id} = ${memberships.userId}`)
    .innerJoin(sessions, sql`${sessions.userId} = ${users.id}`)
    .where(
      sql`${memberships.orgId} = ${ids.orgId} and ${memberships.userId} = ${ids.userId} and ${memberships.suspendedAt} is null
        and ${sessions.id} = ${ids.sessionId} and ${sessions.revokedAt} is null`,
    );
  return row ?? { lacksSso: true, trustedMfa: false };
}
