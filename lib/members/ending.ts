import { and, eq } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { isLimited, memberships } from '../../db/schema/orgs.ts';
import { run } from '../../db/statements.ts';
import { removeRoles } from '../projects/members.ts';
import { type EndedToken, endTokensOf } from '../tokens/creators.ts';
import { deletePrivateViews } from '../views/views.ts';
import { NO_OFFER } from './fields.ts';

/**
 * Ends a membership with what belongs to it: its projects, private views, and the API tokens of the member as the organization has
 * chosen. Part of a transaction that has locked the organization.
 * @param options.revokesTokens whatever the organization has chosen
 * @returns the tokens that were revoked
 */
export async function endMembership(
  tx: Tx,
  org: { id: string; tables: OrgTables },
  userId: string,
  { now, revokesTokens = false }: { now: Date; revokesTokens?: boolean | undefined },
): Promise<EndedToken[]> {
  const [former] = await tx
    .delete(memberships)
    .where(and(eq(memberships.orgId, org.id), eq(memberships.userId, userId)))
    .returning({ isLimited });
  await removeRoles(tx, org.tables, userId, former?.isLimited ? now : undefined);
  await endOffersOf(tx, org.id, userId);
  await deletePrivateViews(tx, org.tables, userId);
  await run(tx, reloadRulesOf(org.tables, userId));
  return endTokensOf(tx, org, userId, { always: revokesTokens });
}

/** Ends the offers of an owner who loses the role. Part of the transaction that takes it. */
export const endOffersOf = (tx: Tx, orgId: string, userId: string): Promise<unknown> =>
  tx
    .update(memberships)
    .set(NO_OFFER)
    .where(and(eq(memberships.orgId, orgId), eq(memberships.ownerOfferBy, userId)));
