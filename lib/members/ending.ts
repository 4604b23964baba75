import { and, eq } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { run } from '../../db/statements.ts';
import { type EndedToken, endTokensOf } from '../tokens/creators.ts';
import { deletePrivateViews } from '../views/views.ts';

/**
 * Ends a membership with what belongs to it: private views, and the API tokens of the member as the organization has chosen. Part of a
 * transaction that has locked the organization.
 * @param revokesTokens whatever the organization has chosen
 * @returns the tokens that were revoked
 */
export async function endMembership(
  tx: Tx,
  org: { id: string; tables: OrgTables },
  userId: string,
  revokesTokens = false,
): Promise<EndedToken[]> {
  await tx.delete(memberships).where(and(eq(memberships.orgId, org.id), eq(memberships.userId, userId)));
  await deletePrivateViews(tx, org.tables, userId);
  await run(tx, reloadRulesOf(org.tables, userId));
  return endTokensOf(tx, org, userId, revokesTokens);
}
