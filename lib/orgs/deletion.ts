import { and, eq } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { retried } from '../../db/errors.ts';
import { markOrgDeleted, unmarkOrgDeleted } from '../../db/orgs/deletion.ts';
import { hasTransfers } from '../../db/projects/transfer/transfers.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { orgDeleted, orgRestored } from '../mail/templates/organizations.ts';
import { lockOrgTables } from '../quotas.ts';
import type { Org } from './directory.ts';
import { type Actor, isOwner, mailOwners, readOrgName, withAddress } from './notices.ts';
import { issueUndoLink } from './undo-links.ts';

/** Not an owner any more, or the slug was changed since it was confirmed. */
type Changed = { kind: 'changed' };

export type DeletionOutcome =
  | { kind: 'deleted'; purgeAt: Date }
  | { kind: 'deleted_before' }
  /** A project moves to it or from it. */
  | { kind: 'in_transfer' }
  | Changed;

export type RestoreOutcome = { kind: 'restored' } | { kind: 'not_deleted' } | Changed;

/** Marks an organization as deleted and tells its owners. A user must be an owner. */
export const deleteOrganization = (
  db: Db,
  org: Org,
  confirmed: string,
  actor: Actor,
): Promise<DeletionOutcome> =>
  asOwner(db, org, actor, async (tx, current, tables) => {
    if (current.slug !== confirmed) return { kind: 'changed' };
    if (await hasTransfers(tx, org.id)) return { kind: 'in_transfer' };
    const purgeAt = await markOrgDeleted(tx, { id: org.id, tables }, actor.now);
    if (!purgeAt) return { kind: 'deleted_before' };
    const by = actor.user && (await withAddress(tx, org.id, actor.user));
    const about = { org: current, by, at: actor.now, purgeAt };
    await mailOwners(tx, actor, org.id, async ({ id: userId, name }) => {
      const undo = await issueUndoLink(tx, actor, { orgId: org.id, userId, isDismissed: false });
      return orgDeleted({ name, ...about, undo });
    });
    return { kind: 'deleted', purgeAt };
  });

/** Restores a deleted organization and tells its owners. A user must be an owner. */
export const restoreOrganization = (db: Db, org: Org, actor: Actor): Promise<RestoreOutcome> =>
  asOwner(db, org, actor, async (tx, _, tables) => ({
    kind: (await restoreLocked(tx, { id: org.id, tables }, actor)) ? 'restored' : 'not_deleted',
  }));

/** The same in a transaction that has locked the organization and checked the actor. @returns false if it is not deleted */
export async function restoreLocked(
  tx: Tx,
  org: { id: string; tables: OrgTables },
  { user, now, writeMail }: Actor,
): Promise<boolean> {
  const current = await readOrgName(tx, org.id);
  if (!current || !(await unmarkOrgDeleted(tx, org))) return false;
  const by = user && (await withAddress(tx, org.id, user));
  const about = { org: current, by, at: now };
  await mailOwners(tx, { now, writeMail }, org.id, ({ name }) => orgRestored({ name, ...about }));
  return true;
}

/** Runs a transaction that has locked the organization, with its name and slug, if the actor is an owner or an operator. */
async function asOwner<T>(
  db: Db,
  org: Org,
  { user }: Actor,
  work: (tx: Tx, current: { name: string; slug: string }, tables: OrgTables) => Promise<T>,
): Promise<T | Changed> {
  return await retried(() =>
    db.transaction(async (tx) => {
      const tables = await lockOrgTables(tx, org);
      const isTheirs = user && and(eq(memberships.userId, user.id), isOwner);
      const [current] = await tx
        .select({ name: orgs.name, slug: orgs.slug })
        .from(orgs)
        .leftJoin(memberships, and(eq(memberships.orgId, orgs.id), isTheirs))
        .where(and(eq(orgs.id, org.id), isTheirs))
        .limit(1);
      return current ? await work(tx, current, tables) : { kind: 'changed' };
    }),
  );
}
