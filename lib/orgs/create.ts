import { eq } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { isReservedFor } from '../../db/orgs/slugs.ts';
import { shownVersion } from '../../db/orgs/tables.ts';
import { orgFields, toResource } from '../../db/resources.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import type { Services } from '../services.ts';

/** A new organization as its creator asked for it. */
export interface NewOrg {
  id: string;
  name: string;
  slug: string;
  plan: (typeof orgs.$inferInsert)['plan'];
  ownerId: string;
  createdAt: Date;
}

/**
 * Inserts an organization and its owner's membership; part of the caller's transaction. Its first write creates its tables
 * (`tables.ts`).
 * @returns the organization; undefined when the slug is taken, also in another cell, or reserved for another one
 */
export async function insertOrg(
  tx: Tx,
  org: NewOrg,
  { orgMigrations: migrations, slugClaims }: Pick<Services, 'orgMigrations' | 'slugClaims'>,
) {
  const { id, name, slug, plan, ownerId, createdAt } = org;
  const [inserted] = await tx
    .insert(orgs)
    .values({ id, name, slug, plan, schemaVersion: 0, createdBy: ownerId, createdAt })
    .onConflictDoNothing({ target: orgs.slug })
    .returning(orgFields);
  if (!inserted) return undefined;
  if ((await isReservedFor(tx, slug, id)) || !(await slugClaims.claim(slug, id))) {
    await tx.delete(orgs).where(eq(orgs.id, id));
    return undefined;
  }
  await tx
    .insert(memberships)
    .values({ orgId: id, userId: ownerId, role: 'owner', confirmedAt: createdAt, createdAt });
  return toResource({ ...inserted, schema_version: shownVersion(inserted.schema_version, migrations) });
}
