import type { Db, Tx } from '../../db/client.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { isFreeSlug, isReservedFor } from '../../db/orgs/slugs.ts';
import { shownVersion } from '../../db/orgs/tables.ts';
import { orgFields, toResource } from '../../db/resources.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { ApiError } from '../errors.ts';
import { VERIFY_MS } from './unverified.ts';

/** A new organization as its creator asked for it. */
export interface NewOrg {
  id: string;
  name: string;
  slug: string;
  plan: (typeof orgs.$inferInsert)['plan'];
  ownerId: string;
  createdAt: Date;
}

/** Another organization has got the slug since it was free. */
class SlugTaken extends Error {}

/**
 * Runs a transaction that inserts an organization with the first of some slugs that is free.
 * @throws ApiError `tenant_error/slug_taken` when no slug is free
 */
export async function withFreeSlug<T>(
  db: Db,
  { orgId, candidates }: { orgId: string; candidates: Iterable<string> },
  work: (tx: Tx, slug: string) => Promise<T>,
): Promise<T> {
  for (const slug of candidates) {
    if (!(await isFreeSlug(db, slug, orgId))) continue;
    try {
      return await db.transaction((tx) => work(tx, slug));
    } catch (error) {
      if (!(error instanceof SlugTaken)) throw error;
    }
  }
  throw new ApiError('tenant_error/slug_taken');
}

/**
 * Inserts an organization and its owner's membership; part of a transaction of {@link withFreeSlug}. Its first write creates its tables
 * (`tables.ts`).
 * @throws SlugTaken
 */
export async function insertOrg(
  tx: Tx,
  org: NewOrg,
  { orgMigrations: migrations }: { orgMigrations: readonly Migration[] },
) {
  const { id, name, slug, plan, ownerId, createdAt } = org;
  const [inserted] = await tx
    .insert(orgs)
    .values({
      ...{ id, name, slug, plan, createdAt, createdBy: ownerId, schemaVersion: 0 },
      ...{ isUnused: true, verifyBy: new Date(createdAt.getTime() + VERIFY_MS) },
    })
    .onConflictDoNothing({ target: orgs.slug })
    .returning(orgFields);
  if (!inserted || (await isReservedFor(tx, slug, id))) throw new SlugTaken();
  await tx
    .insert(memberships)
    .values({ orgId: id, userId: ownerId, role: 'owner', confirmedAt: createdAt, createdAt });
  return toResource({ ...inserted, schema_version: shownVersion(inserted.schema_version, migrations) });
}
