import { and, eq, inArray, not, type SQL, sql } from 'drizzle-orm';
import type { Database, Db, Tx } from '../../db/client.ts';
import { isMissingTable } from '../../db/errors.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { memberships, orgs, type Role } from '../../db/schema/orgs.ts';
import { arrayText } from '../../db/statements.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { hasAccess, isLimited } from '../members/fields.ts';
import type { KnownOrgs } from '../orgs/directory.ts';

/*
 * API tokens and the members who created them. Tokens keep the scopes that they were created with. On the endpoints of members the role
 * of the creator is read with each request, so no change of a role has to be written to the tokens. The endpoints of agents read nothing
 * more: their scope `ingest` is one that every member can have.
 */

/** The rights of the creator of a token. */
export interface CreatorRights {
  role: Role;
  /** The creator reaches only the projects of `project_members`. */
  isLimited: boolean;
}

/**
 * The rights that bound a token on the endpoints of members: the creator's present ones, or those of an owner where the organization
 * keeps tokens as they are.
 * @throws ApiError `token_error/scope_mismatch` when the creator has no role
 */
export async function rightsOfCreator(
  db: Db,
  config: Pick<Config, 'pendingInvitations'>,
  orgId: string,
  userId: string,
): Promise<CreatorRights> {
  const [found] = await db
    .select({
      rule: orgs.tokensOnRoleLoss,
      role: memberships.role,
      isLimited: sql<boolean>`${isLimited} is true`,
      mayAct: sql<boolean>`${users.disabledAt} is null and ${hasAccess(config)}`,
    })
    .from(orgs)
    .leftJoin(memberships, and(eq(memberships.orgId, orgs.id), eq(memberships.userId, userId)))
    .leftJoin(users, eq(users.id, memberships.userId))
    .leftJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(eq(orgs.id, orgId));
  if (found?.rule === 'keep') return { role: 'owner', isLimited: false };
  if (found?.role && found.mayAct) return { role: found.role, isLimited: found.isLimited };
  throw new ApiError('token_error/scope_mismatch', {
    message: 'The creator of the token is no longer a member of the organization.',
  });
}

/** A token that was revoked with the rights of its creator. */
export interface EndedToken {
  id: string;
  name: string;
  createdBy: string;
}

/**
 * Revokes the tokens of members who get a lower role, reach less or leave, if the organization wants it so. Part of the transaction that
 * makes the change, which has locked the organization.
 * @param options.always whatever the organization wants
 * @param options.where only these
 */
export async function endTokensOf(
  tx: Tx,
  { id, tables }: { id: string; tables: OrgTables },
  userIds: string | readonly string[],
  { always = false, where }: { always?: boolean; where?: SQL } = {},
): Promise<EndedToken[]> {
  const creators = [userIds].flat();
  if (creators.length === 0) return [];
  return always || (await revokesTokensOfFormerMembers(tx, id)) ? revokeOf(tx, tables, creators, where) : [];
}

/** Whether an organization revokes tokens whose creator loses rights. */
export async function revokesTokensOfFormerMembers(db: Db | Tx, orgId: string): Promise<boolean> {
  const [org] = await db.select({ rule: orgs.tokensOnRoleLoss }).from(orgs).where(eq(orgs.id, orgId));
  return org?.rule === 'revoke';
}

const revokeOf = (
  db: Db | Tx,
  { apiTokens: t }: OrgTables,
  creators: readonly string[],
  where?: SQL,
): Promise<EndedToken[]> =>
  db
    .update(t)
    .set({ revoked: true })
    .where(and(sql`${t.createdBy} = any (${arrayText(creators)}::uuid[])`, not(t.revoked), where))
    .returning({ id: t.id, name: t.name, createdBy: t.createdBy });

/**
 * Revokes the API tokens that a user has created in the organizations that the user belongs to.
 * @returns how many, and the slugs of the organizations where it failed
 */
export async function revokeTokensOf(
  { database, knownOrgs, log }: { database: Database; knownOrgs: KnownOrgs; log: Logger },
  userId: string,
): Promise<{ revoked: number; failed: string[] }> {
  const { db } = database;
  const own = db.select({ id: memberships.orgId }).from(memberships).where(eq(memberships.userId, userId));
  const found = await db
    .select({ id: orgs.id, slug: orgs.slug })
    .from(orgs)
    .where(and(inArray(orgs.id, own), sql`${orgs.schemaVersion} > 0`));
  let revoked = 0;
  const failed: string[] = [];
  for (const { id, slug } of found) {
    try {
      revoked += (await revokeOf(db, knownOrgs.tablesOf({ id }), [userId])).length;
    } catch (error) {
      // Purged meanwhile.
      if (isMissingTable(error)) continue;
      log.error('the tokens of a user were not revoked', { user: userId, org: slug, error });
      failed.push(slug);
    }
  }
  return { revoked, failed };
}
