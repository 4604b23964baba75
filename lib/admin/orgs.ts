import { and, asc, eq, isNotNull, or } from 'drizzle-orm';
import type { Database, Db, Tx } from '../../db/client.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { areBehind } from '../../db/orgs/tables.ts';
import { orgFields } from '../../db/resources.ts';
import { orgMigrations as appliedSteps, orgDeletions, orgs } from '../../db/schema/orgs.ts';
import { readUsage } from '../../db/storage/usage.ts';
import type { StorageQuota } from '../config/config.ts';
import { limitsOf } from '../storage/quotas.ts';
import { AdminError, oneLine } from './error.ts';

/** `none`: its first write creates the schema. `newer`: migrated by a newer version of the service. */
export type SchemaState = 'none' | 'current' | 'behind' | 'newer';

export interface OrgSummary {
  id: string;
  name: string;
  slug: string;
  plan: string;
  custom_domain: string | null;
  schema_version: number;
  created_at: Date;
  /** Set while it is deleted and not purged yet. */
  deleted_at: Date | null;
  purge_at: Date | null;
  schema_state: SchemaState;
}

export interface OrgDetails extends OrgSummary {
  /** Names of the migration steps that are not applied yet. */
  pending: string[];
  /** Null: not measured yet. */
  storage: { bytes: number | null; max_bytes: number; rows: number | null; max_rows: number };
}

const fields = { ...orgFields, deleted_at: orgDeletions.deletedAt, purge_at: orgDeletions.purgeAt };

/** All organizations, those whose schema is behind or those that are deleted, by slug. */
export async function listOrgs(
  { db }: Database,
  migrations: readonly Migration[],
  only: { behind?: boolean; deleted?: boolean } = {},
): Promise<OrgSummary[]> {
  const rows = await db
    .select(fields)
    .from(orgs)
    .leftJoin(orgDeletions, eq(orgDeletions.orgId, orgs.id))
    .where(
      and(
        only.behind ? areBehind(migrations.length) : undefined,
        only.deleted ? isNotNull(orgDeletions.orgId) : undefined,
      ),
    )
    .orderBy(asc(orgs.slug));
  return rows.map((row) => ({ ...row, schema_state: stateOf(row.schema_version, migrations) }));
}

/** One organization with its pending migration steps. */
export async function showOrg(
  { db, sql }: Database,
  name: string,
  migrations: readonly Migration[],
  quota: StorageQuota,
): Promise<OrgDetails> {
  const org = await findOrg(db, name);
  const applied = await db
    .select({ name: appliedSteps.name })
    .from(appliedSteps)
    .where(eq(appliedSteps.orgId, org.id));
  const names = new Set(applied.map((step) => step.name));
  const schema_state = stateOf(org.schema_version, migrations);
  const usage = (await readUsage(sql, [org.id])).find(({ id }) => id === org.id);
  const max = usage ? limitsOf(usage, quota) : quota;
  return {
    ...org,
    schema_state,
    storage: {
      ...{ bytes: usage?.bytes ?? null, max_bytes: max.bytes, rows: usage?.rows ?? null, max_rows: max.rows },
    },
    pending: (schema_state === 'none' ? [] : migrations)
      .filter((step) => !names.has(step.name))
      .map((step) => step.name),
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds an organization by slug or id. The id takes precedence, so that nobody can impersonate an organization with a slug
 * that looks like its id.
 * @throws AdminError when the organization does not exist
 */
export async function findOrg(db: Db | Tx, name: string) {
  const isId = UUID.test(name);
  const rows = await db
    .select(fields)
    .from(orgs)
    .leftJoin(orgDeletions, eq(orgDeletions.orgId, orgs.id))
    .where(isId ? or(eq(orgs.id, name.toLowerCase()), eq(orgs.slug, name)) : eq(orgs.slug, name));
  const org = rows.find(({ id }) => isId && id === name.toLowerCase()) ?? rows[0];
  if (!org) throw new AdminError(`organization "${oneLine(name)}" does not exist`);
  return org;
}

function stateOf(version: number, { length }: readonly Migration[]): SchemaState {
  if (version === 0) return 'none';
  if (version === length) return 'current';
  return version < length ? 'behind' : 'newer';
}
