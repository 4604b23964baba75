import { eq } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { isUniqueViolation, retried } from '../../db/errors.ts';
import { changeSlug } from '../../db/orgs/slugs.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { lockOrg } from '../quotas.ts';
import { type Actor, mailControl } from './notices.ts';

/** The organization that has a slug is another one, or was. */
class SlugTaken extends Error {}

/**
 * Changes the name or the slug of an organization in one transaction, under its lock. Former slugs still lead to it. All owners get a
 * mail about another slug.
 * @param options.read returns the organization as it is under the lock, and throws if the caller may not change it
 * @param options.actor called for another slug
 * @param options.check throws if the change exceeds a quota
 * @returns what `read` returned; undefined if another organization has or had the slug: nothing is changed
 */
export async function renameOrg<Org extends { id: string; slug: string }>(
  db: Db,
  orgId: string,
  { name, slug, now }: { name?: string | undefined; slug?: string | undefined; now: Date },
  options: { read(tx: Tx): Promise<Org>; actor(): Actor; check?(tx: Tx): Promise<void> },
): Promise<Org | undefined> {
  const renaming = retried(() =>
    db.transaction(async (tx) => {
      await lockOrg(tx, orgId);
      const current = await options.read(tx);
      if (name !== undefined) await tx.update(orgs).set({ name }).where(eq(orgs.id, orgId));
      if (slug !== undefined && slug !== current.slug) {
        const actor = options.actor();
        if (!(await changeSlug(tx, current, slug, now))) throw new SlugTaken();
        await options.check?.(tx);
        await mailControl(tx, actor, orgId, 'setting_changed', [
          ['Setting', 'slug'],
          ['Before', current.slug],
          ['Now', slug],
        ]);
      }
      return current;
    }),
  );
  return await renaming.catch((error) => {
    if (error instanceof SlugTaken || isUniqueViolation(error)) return undefined;
    throw error;
  });
}
