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
import { mailOwners, type WriteMail } from './notices.ts';

/** The actor that deletes or restores an organization: a user, who must be an owner, or an operator. */
export interface Actor {
  user?: { id: string; name: string };
  now: Date;
  writeMail: WriteMail;
}

/**
 * `changed`: not an owner any more, or the slug was changed since it was confirmed. `state`: deleted already, or not deleted.
 * `transfers`: a project moves to it or from it.
 */
export type Refused = 'changed' | 'state' | 'transfers';

/** Marks an organization as deleted and tells its owners. @returns when it is purged, or why it stays */
export const deleteOrganization = (
  db: Db,
  org: Org,
  confirmed: string,
  actor: Actor,
): Promise<Date | Refused> =>
  asOwner(db, org, actor, async (tx, current, tables) => {
    if (current.slug !== confirmed) return 'changed';
    if (await hasTransfers(tx, org.id)) return 'transfers';
    const purgeAt = await markOrgDeleted(tx, { id: org.id, tables }, actor.now);
    if (!purgeAt) return 'state';
    const about = { org: current, by: actor.user?.name, at: actor.now, purgeAt };
    await mailOwners(tx, actor.writeMail, org.id, (name) => orgDeleted({ name, ...about }));
    return purgeAt;
  });

/** Restores a deleted organization and tells its owners. @returns why it is not restored, if so */
export const restoreOrganization = (db: Db, org: Org, actor: Actor): Promise<Refused | undefined> =>
  asOwner(db, org, actor, async (tx, current, tables) => {
    if (!(await unmarkOrgDeleted(tx, { id: org.id, tables }))) return 'state';
    const about = { org: current, by: actor.user?.name, at: actor.now };
    await mailOwners(tx, actor.writeMail, org.id, (name) => orgRestored({ name, ...about }));
    return undefined;
  });

/** Runs a transaction that has locked the organization, with its name and slug, if the actor is an owner or an operator. */
async function asOwner<T>(
  db: Db,
  org: Org,
  { user }: Actor,
  work: (tx: Tx, current: { name: string; slug: string }, tables: OrgTables) => Promise<T>,
): Promise<T | 'changed'> {
  return await retried(() =>
    db.transaction(async (tx) => {
      const tables = await lockOrgTables(tx, org);
      const isOwner = user && and(eq(memberships.userId, user.id), eq(memberships.role, 'owner'));
      const [current] = await tx
        .select({ name: orgs.name, slug: orgs.slug })
        .from(orgs)
        .leftJoin(memberships, and(eq(memberships.orgId, orgs.id), isOwner))
        .where(and(eq(orgs.id, org.id), isOwner))
        .limit(1);
      return current ? await work(tx, current, tables) : 'changed';
    }),
  );
}
