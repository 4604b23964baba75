import { and, desc, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { shownVersion } from '../../db/orgs/tables.ts';
import { orgFields, toResource } from '../../db/resources.ts';
import { userEmails } from '../../db/schema/accounts.ts';
import { memberships, orgDeletions, orgs } from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';
import { hasAccess, isLimited } from '../members/fields.ts';

/**
 * The user's organizations with their role, newest first; without those where they are pending or their token is not valid.
 * @param options.deleted adds deleted organizations of which the user is an owner, as long as they can be restored
 */
export async function listOrgsOf(
  caller: { db: Db; user: { id: string }; personalToken?: { orgId: string | null } },
  services: { config: Pick<Config, 'pendingInvitations'>; orgMigrations: readonly Migration[] },
  { where, deleted = false }: { where?: SQL; deleted?: boolean } = {},
) {
  const { db, user, personalToken } = caller;
  const isRestorable = and(eq(memberships.role, 'owner'), eq(orgDeletions.purging, false));
  const rows = await db
    .select({
      ...orgFields,
      role: memberships.role,
      project_access: sql<'assigned' | null>`case when ${isLimited} then 'assigned' end`,
      deleted_at: orgDeletions.deletedAt,
      purge_at: orgDeletions.purgeAt,
    })
    .from(memberships)
    .innerJoin(orgs, eq(orgs.id, memberships.orgId))
    .innerJoin(userEmails, and(eq(userEmails.userId, memberships.userId), eq(userEmails.isPrimary, true)))
    .leftJoin(orgDeletions, eq(orgDeletions.orgId, orgs.id))
    .where(
      and(
        eq(memberships.userId, user.id),
        or(isNull(orgDeletions.orgId), deleted ? isRestorable : undefined),
        hasAccess(services.config),
        personalToken?.orgId ? eq(orgs.id, personalToken.orgId) : undefined,
        where,
      ),
    )
    .orderBy(desc(orgs.createdAt), desc(orgs.id));
  return rows.map((row) =>
    toResource({ ...row, schema_version: shownVersion(row.schema_version, services.orgMigrations) }),
  );
}
