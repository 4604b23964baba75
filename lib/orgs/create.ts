import { eq, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { orgSchemaStatements } from '../../db/migrations/migrate.ts';
import { trigramSchema } from '../../db/migrations/search-index.ts';
import { isReservedFor } from '../../db/orgs/slugs.ts';
import { orgFields, toResource } from '../../db/resources.ts';
import { memberships, orgMigrations, orgs } from '../../db/schema/orgs.ts';
import { run } from '../../db/statements.ts';
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
 * Inserts an organization, its owner's membership and its schema; part of the caller's transaction.
 * @returns the organization; undefined when the slug is taken, also in another cell, or reserved for another one
 */
export async function insertOrg(
  tx: Tx,
  org: NewOrg,
  { orgMigrations: migrations, slugClaims }: Pick<Services, 'orgMigrations' | 'slugClaims'>,
) {
  const { id, name, slug, plan, ownerId, createdAt } = org;
  const [[inserted], trigrams] = await Promise.all([
    tx
      .insert(orgs)
      .values({ id, name, slug, plan, schemaVersion: migrations.length, createdBy: ownerId, createdAt })
      .onConflictDoNothing({ target: orgs.slug })
      .returning(orgFields),
    trigramSchema(tx),
  ]);
  if (!inserted) return undefined;
  if ((await isReservedFor(tx, slug, id)) || !(await slugClaims.claim(slug, id))) {
    await tx.delete(orgs).where(eq(orgs.id, id));
    return undefined;
  }
  const statements = orgSchemaStatements(id, migrations, trigrams);
  // Sent one behind the other without waiting: one round trip for all.
  await Promise.all([
    tx
      .insert(memberships)
      .values({ orgId: id, userId: ownerId, role: 'owner', confirmedAt: createdAt, createdAt }),
    ...statements.map((statement) => run(tx, sql.raw(statement))),
    tx
      .insert(orgMigrations)
      .values(
        migrations.map((step) => ({ orgId: id, name: step.name, hash: step.hash, appliedAt: createdAt })),
      ),
  ]);
  return toResource(inserted);
}
