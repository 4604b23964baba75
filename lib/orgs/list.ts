import { and, desc, eq, type SQL } from 'drizzle-orm';
import { orgFields, toResource } from '../../db/resources.ts';
import { userEmails } from '../../db/schema/accounts.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import type { UserCall } from '../http/call.ts';
import { isConfirmed } from '../members/fields.ts';

/** The user's organizations with their role, newest first; without those where they are pending or their token is not valid. */
export async function listOrgsOf({ db, personalToken, services, user }: UserCall, where?: SQL) {
  const rows = await db
    .select({ ...orgFields, role: memberships.role })
    .from(memberships)
    .innerJoin(orgs, eq(orgs.id, memberships.orgId))
    .innerJoin(userEmails, and(eq(userEmails.userId, memberships.userId), eq(userEmails.isPrimary, true)))
    .where(
      and(
        eq(memberships.userId, user.id),
        services.config.pendingInvitations ? isConfirmed : undefined,
        personalToken?.orgId ? eq(orgs.id, personalToken.orgId) : undefined,
        where,
      ),
    )
    .orderBy(desc(orgs.createdAt), desc(orgs.id));
  return rows.map(toResource);
}
