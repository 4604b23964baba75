import { and, asc, eq, isNull, not, or } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { rankIn } from '../../db/schema/columns.ts';
import { memberships, orgs, ROLES, type Role } from '../../db/schema/orgs.ts';
import { isConfirmed, memberEmail } from '../members/fields.ts';
import { findOrg } from './orgs.ts';

/** A member who has no access in strict mode until an address is verified. */
export interface UnverifiedMember {
  org_id: string;
  org: string;
  user_id: string;
  name: string;
  role: Role;
  /** The address to verify. */
  email: string;
  /** `no password`: the account was created for an invitation that was not accepted yet. */
  reason: 'no password' | 'not verified';
}

/**
 * The members who have no access in strict mode, because the primary address or the invited address is not verified.
 * @param orgName slug or id of one organization. Unset: all
 * @throws AdminError when the organization does not exist
 */
export async function listUnverifiedMembers({ db }: Database, orgName?: string): Promise<UnverifiedMember[]> {
  const org = orgName === undefined ? undefined : await findOrg(db, orgName);
  const rows = await db
    .select({
      org_id: orgs.id,
      org: orgs.slug,
      user_id: users.id,
      name: users.name,
      role: memberships.role,
      invited: memberEmail,
      primary: userEmails.email,
      primaryVerifiedAt: userEmails.verifiedAt,
      passwordHash: users.passwordHash,
    })
    .from(memberships)
    .innerJoin(orgs, eq(orgs.id, memberships.orgId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(and(org && eq(orgs.id, org.id), or(isNull(userEmails.verifiedAt), not(isConfirmed))))
    .orderBy(asc(orgs.slug), rankIn(ROLES, memberships.role), asc(userEmails.email));
  return rows.map(({ invited, primary, primaryVerifiedAt, passwordHash, ...row }) => ({
    ...row,
    email: primaryVerifiedAt === null ? primary : invited,
    reason: passwordHash === null ? 'no password' : 'not verified',
  }));
}
