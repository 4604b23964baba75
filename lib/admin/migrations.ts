import { asc, eq } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { sqlState } from '../../db/errors.ts';
import { prepareEmptyTables } from '../../db/migrations/empty-tables.ts';
import { type Migration, migrateOrg, migrateShared } from '../../db/migrations/migrate.ts';
import { findServiceRole } from '../../db/migrations/service-rights.ts';
import { areBehind } from '../../db/orgs/tables.ts';
import { orgMigrations, orgs } from '../../db/schema/orgs.ts';
import { migrations } from '../../db/schema/platform.ts';
import { forEachOrg } from '../orgs/for-each-org.ts';
import { addIndexes, isAway, MIGRATIONS_AT_ONCE } from '../orgs/migrations.ts';
import { reasonOf } from './error.ts';
import { findOrg } from './orgs.ts';

/** The migrations of this version of the service. */
export interface Tracks {
  shared: readonly Migration[];
  org: readonly Migration[];
}

/** The result of migrating one schema. */
export interface SchemaResult {
  status: 'current' | 'migrated' | 'failed';
  /** Names of the steps that this run applied. */
  applied: string[];
  failed_step: string | null;
  error: string | null;
}

export interface OrgResult extends SchemaResult {
  org_id: string;
  org: string;
}

export interface MigrationResult {
  shared: SchemaResult;
  /** The organizations that were behind, or the selected one. Empty when `shared` failed. */
  orgs: OrgResult[];
  /** Number of failed schemas. */
  failed: number;
  /** Indexes that this run created, and why others cannot be created. Unset: all exist. */
  indexes?: { created: number; failed: { org_id: string; error: string }[] };
  /** Why searches cannot be indexed. Unset: the database has pg_trgm. */
  search?: { unavailable: string };
}

export interface MigrateOptions {
  tracks: Tracks;
  /** The database as the owner of `shared`. Unset: the role of the service is the owner. */
  owner?: Database;
  /** Slug or id of one organization. Unset: all that are behind. */
  org?: string | undefined;
  /** Called for each schema. */
  onResult?: (schema: string, result: SchemaResult) => void;
}

export { MIGRATIONS_AT_ONCE };

/**
 * Migrates `shared`, then one organization or all that are behind. Continues after an organization fails; another run retries
 * it. Servers may run, and migrate, at the same time.
 * @throws AdminError when the organization does not exist; the driver's error when the database is unavailable
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<MigrationResult> {
  const { tracks, owner = database, onResult = () => {} } = options;
  let unavailable: string | undefined;
  const shared = await migrateSchema(
    tracks.shared,
    () => appliedToShared(owner),
    async () => {
      const serviceRole = await findServiceRole(owner.sql, database.sql);
      unavailable = await migrateShared(owner.sql, tracks.shared, serviceRole);
      await prepareEmptyTables(owner.sql, tracks.org, serviceRole);
    },
  );
  onResult('shared', shared);
  if (shared.status === 'failed') return { shared, orgs: [], failed: 1 };

  const results: OrgResult[] = [];
  await forEachOrg(await orgsToMigrate(database, options), MIGRATIONS_AT_ONCE, async ({ id, slug }) => {
    const result = await migrateSchema(
      tracks.org,
      () => appliedToOrg(database, id),
      () => migrateOrg(database.sql, id, tracks.org),
    );
    onResult(slug, result);
    results.push({ org_id: id, org: slug, ...result });
  });
  results.sort((a, b) => (a.org < b.org ? -1 : 1));
  const failed: { org_id: string; error: string }[] = [];
  const created = await addIndexes(database, tracks.org, {
    onFailure: (org_id, error) => failed.push({ org_id, error: reasonOf(error) }),
  });
  return {
    ...{ shared, orgs: results },
    failed: results.filter(({ status }) => status === 'failed').length,
    ...((created > 0 || failed.length > 0) && { indexes: { created, failed } }),
    ...(unavailable !== undefined && { search: { unavailable } }),
  };
}

async function orgsToMigrate({ db }: Database, { org, tracks }: MigrateOptions) {
  if (org !== undefined) return [await findOrg(db, org)];
  return db
    .select({ id: orgs.id, slug: orgs.slug })
    .from(orgs)
    .where(areBehind(tracks.org.length))
    .orderBy(asc(orgs.slug));
}

interface Applied {
  name: string;
  hash: string;
}

/** Runs one schema's migration. Determines the result from the steps that are applied before and after. */
async function migrateSchema(
  steps: readonly Migration[],
  readApplied: () => Promise<Applied[]>,
  run: () => Promise<void>,
): Promise<SchemaResult> {
  const before = namesOf(await readApplied());
  let failure: unknown;
  try {
    await run();
  } catch (error) {
    if (isAway(error)) throw error;
    failure = error;
  }
  const after = await readApplied();
  const now = namesOf(after);
  const applied = steps.filter(({ name }) => now.has(name) && !before.has(name)).map(({ name }) => name);
  if (failure === undefined) {
    return {
      status: applied.length > 0 ? 'migrated' : 'current',
      applied,
      failed_step: null,
      error: null,
    };
  }
  return {
    status: 'failed',
    applied,
    failed_step: failingStep(steps, after) ?? null,
    error: reasonOf(failure),
  };
}

const namesOf = (applied: readonly Applied[]) => new Set(applied.map(({ name }) => name));

/** The step that failed: one that was changed after it was applied, which is checked first, or the first missing one. */
function failingStep(steps: readonly Migration[], applied: readonly Applied[]): string | undefined {
  const hashes = new Map(applied.map(({ name, hash }) => [name, hash]));
  const changed = steps.find(({ name, hash }) => hashes.has(name) && hashes.get(name) !== hash);
  return (changed ?? steps.find(({ name }) => !hashes.has(name)))?.name;
}

/** SQLSTATE of undefined table and schema: no step has been applied yet. */
const NOT_THERE = new Set(['42P01', '3F000']);

async function appliedToShared({ db }: Database): Promise<Applied[]> {
  try {
    const { name, hash } = migrations;
    return await db.select({ name, hash }).from(migrations);
  } catch (error) {
    if (NOT_THERE.has(sqlState(error) ?? '')) return [];
    throw error;
  }
}

/** The number of steps that are not applied to `shared`. */
export async function pendingShared(database: Database, steps: readonly Migration[]): Promise<number> {
  const applied = namesOf(await appliedToShared(database));
  return steps.filter(({ name }) => !applied.has(name)).length;
}

async function appliedToOrg({ db }: Database, orgId: string): Promise<Applied[]> {
  const { name, hash } = orgMigrations;
  return db.select({ name, hash }).from(orgMigrations).where(eq(orgMigrations.orgId, orgId));
}
