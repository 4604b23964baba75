import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../client.ts';
import { orgs, reservedSlugs } from '../schema/orgs.ts';
import { run } from '../statements.ts';

/*
 * A slug is part of the address that agents send findings and tokens to. It is therefore never given to another organization,
 * neither after a change nor after the purge of its organization. An exception is an organization that never had an API token or
 * another member than its creator: nobody sends anything to it, and its slugs are free after its purge.
 */

/** Records that an organization gets an API token or a member. Part of the transaction that adds it. */
export async function markUsed(tx: Tx, orgId: string): Promise<void> {
  await tx
    .update(orgs)
    .set({ isUnused: false })
    .where(and(eq(orgs.id, orgId), eq(orgs.isUnused, true)));
}

/** Whether an organization has the slug, or had it before a change. */
export const hasOrgSlug = (slug: string): SQL =>
  or(
    eq(orgs.slug, slug),
    sql`${orgs.id} = (select ${reservedSlugs.orgId} from ${reservedSlugs} where ${reservedSlugs.slug} = ${slug})`,
  ) as SQL;

/** Whether no other organization has the slug, or had it. Another one may get it before the caller's transaction. */
export async function isFreeSlug(db: Db, slug: string, orgId: string): Promise<boolean> {
  const taken = await run(
    db,
    sql`select 1 from ${orgs} where slug = ${slug} and id <> ${orgId}::uuid
      union all select 1 from ${reservedSlugs} where slug = ${slug} and org_id is distinct from ${orgId}::uuid`,
  );
  return taken.length === 0;
}

/**
 * Whether a slug is reserved for another organization or for none. Call it after the slug was written: a change of a slug that
 * was committed meanwhile is visible then.
 */
export async function isReservedFor(tx: Db | Tx, slug: string, orgId: string): Promise<boolean> {
  const [found] = await tx
    .select({ orgId: reservedSlugs.orgId })
    .from(reservedSlugs)
    .where(eq(reservedSlugs.slug, slug));
  return found !== undefined && found.orgId !== orgId;
}

/**
 * Gives an organization another slug and reserves the former one. Part of the caller's transaction, which has locked the
 * organization. The unique index of slugs refuses one that another organization has.
 * @returns false if the slug is reserved; the caller rolls back
 */
export async function changeSlug(
  tx: Tx,
  org: { id: string; slug: string },
  slug: string,
  now: Date,
): Promise<boolean> {
  await tx.update(orgs).set({ slug }).where(eq(orgs.id, org.id));
  if (await isReservedFor(tx, slug, org.id)) return false;
  await tx.delete(reservedSlugs).where(eq(reservedSlugs.slug, slug));
  await tx
    .insert(reservedSlugs)
    .values({ slug: org.slug, orgId: org.id, reservedAt: now })
    .onConflictDoNothing();
  return true;
}
