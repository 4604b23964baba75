import { sql } from 'drizzle-orm';
import type { Sql } from '../pool/query.ts';
import { type OrgSchemaName, orgSchemaName, TEMPLATE_SCHEMA } from '../schema/org-schema.ts';
import { orgMigrations, orgs } from '../schema/orgs.ts';
import { migrations as sharedMigrations } from '../schema/platform.ts';
import { type DrizzleClient, run, type SqlClient } from '../statements.ts';
import { isLarge, STEP_LOCK_TIMEOUT, withoutIndexes } from './large.ts';
import { addTrigrams, trigramSchema, withTrigrams } from './search-index.ts';
import { grantToService } from './service-rights.ts';

/** One generated step of a track. */
export interface Migration {
  name: string;
  /** SHA-256 of the file, hex, to detect changes of applied steps. */
  hash: string;
  /** Sent one per command. */
  statements: readonly string[];
  /** On the last step of the org track: statements that create a new schema at this version, without the earlier steps. */
  fromScratch?: readonly string[];
}

export const MIGRATION_TRACKS = ['shared', 'org'] as const;

type Applied = { name: string; hash: string };

/** Advisory lock keys. An organization's key is the random half of its id. */
const SHARED_LOCK = '8382736451029384756';
const orgLock = (orgId: string) =>
  BigInt.asIntN(64, BigInt(`0x${orgId.replaceAll('-', '').slice(16)}`)).toString();

/**
 * Migrates `shared`, one transaction per step. Any number of processes may do so concurrently.
 * @param serviceRole gets its rights on the tables; undefined if the client has the role of the service
 * @returns why searches cannot be indexed; undefined if they can
 * @throws Error when an applied step differs from the one in `migrations`
 */
export async function migrateShared(
  client: Sql,
  migrations: readonly Migration[],
  serviceRole?: string,
): Promise<string | undefined> {
  const grant = async (tx: SqlClient) => serviceRole && (await grantToService(tx, 'shared', serviceRole));
  while (pending(await appliedToShared(client), migrations).length > 0) {
    await client.begin(async (tx) => {
      await Promise.all(lock(tx, SHARED_LOCK));
      const [next] = pending(await appliedToShared(tx), migrations);
      if (!next) return;
      await Promise.all([
        // Citus keeps `shared` on the coordinator. PostgreSQL ignores the setting.
        run(tx, sql`set local citus.enable_schema_based_sharding = off`),
        ...next.statements.map((statement) => run(tx, sql.raw(statement))),
        run(
          tx,
          sql`insert into ${sharedMigrations} (name, hash, applied_at) values (${next.name}, ${next.hash}, now())`,
        ),
      ]);
      await grant(tx);
    });
  }
  if (serviceRole)
    await client.begin(async (tx) => {
      await Promise.all(lock(tx, SHARED_LOCK));
      await grant(tx);
    });
  return addTrigrams(client, (tx) => Promise.all(lock(tx, SHARED_LOCK)));
}

const recordStep = (orgId: string, { name, hash }: Migration, version: number, lacksIndexes: boolean) => sql`
with recorded as (
  insert into ${orgMigrations} (org_id, name, hash, applied_at) values (${orgId}, ${name}, ${hash}, now())
)
update ${orgs} set schema_version = ${version}, lacks_indexes = ${orgs.lacksIndexes} or ${lacksIndexes}
where ${orgs.id} = ${orgId}`;

/**
 * Migrates one organization's schema, one transaction per step, which also sets `orgs.schema_version`. A step takes three
 * round trips, because statements that do not depend on each other are pipelined. A large organization then lacks indexes
 * (`createIndexes`).
 * @throws Error when an applied step differs from the one in `migrations`, or a step fails
 */
export async function migrateOrg(
  client: Sql,
  orgId: string,
  migrations: readonly Migration[],
): Promise<void> {
  const schema = orgSchemaName(orgId);
  let behind = true;
  while (behind) {
    behind = await client.begin(async (tx) => {
      const locked = Promise.all([...lock(tx, orgLock(orgId)), run(tx, STEP_LOCK_TIMEOUT)]);
      const [applied, trigrams, large] = await Promise.all([
        // A separate statement, so that it sees the writes of the previous lock holder.
        run<Applied>(tx, sql`select name, hash from ${orgMigrations} where org_id = ${orgId}`),
        trigramSchema(tx),
        isLarge(tx, schema),
        locked,
      ]);
      const [next, ...rest] = pending(applied, migrations);
      // An organization without tables gets them with its first write (`create-tables.ts`).
      if (!next || applied.length === 0) return false;
      const statements = large ? withoutIndexes(next.statements) : next.statements;
      const lacksIndexes = statements.length < next.statements.length;
      await Promise.all([
        ...inSchema(withTrigrams(statements, trigrams), schema).map((text) => run(tx, sql.raw(text))),
        run(tx, recordStep(orgId, next, applied.length + 1, lacksIndexes)),
      ]);
      return rest.length > 0;
    });
  }
}

/**
 * The statements that create the schema of an organization.
 * @param trigrams the schema of pg_trgm; undefined if it is not installed
 */
export const orgSchemaStatements = (
  orgId: string,
  migrations: readonly Migration[],
  trigrams?: string,
): string[] => schemaStatements(orgSchemaName(orgId), migrations, trigrams);

/** The same for any schema. */
export function schemaStatements(
  schema: OrgSchemaName,
  migrations: readonly Migration[],
  trigrams?: string,
): string[] {
  const start = migrations.findLastIndex(({ fromScratch }) => fromScratch);
  const statements = [
    ...(migrations[start]?.fromScratch ?? []),
    ...migrations.slice(start + 1).flatMap((migration) => migration.statements),
  ];
  return inSchema(withTrigrams(statements, trigrams), schema);
}

/** The statements of steps that follow those that an organization has had. */
export const orgStepStatements = (orgId: string, steps: readonly Migration[], trigrams?: string): string[] =>
  inSchema(
    withTrigrams(
      steps.flatMap(({ statements }) => statements),
      trigrams,
    ),
    orgSchemaName(orgId),
  );

function inSchema(statements: readonly string[], schema: OrgSchemaName): string[] {
  return statements.map((statement) => statement.replaceAll(`"${TEMPLATE_SCHEMA}"`, `"${schema}"`));
}

/** Keeps migrations of an organization away until the transaction ends. @param timeout of this lock and of later ones */
export const lockOrgMigrations = (tx: SqlClient | DrizzleClient, orgId: string, timeout: string) =>
  lock(tx, orgLock(orgId), timeout);

/** The same for migrations of `shared`. */
export const lockSharedMigrations = (tx: SqlClient) => lock(tx, SHARED_LOCK);

/** Pipelines the timeout and the lock: the wait for another process's migration is bounded. */
const lock = (tx: SqlClient | DrizzleClient, key: string, timeout = '60s') => [
  run(tx, sql.raw(`set local lock_timeout = '${timeout}'`)),
  run(tx, sql`set local statement_timeout = 0`),
  run(tx, sql`select pg_advisory_xact_lock(${key})`),
];

async function appliedToShared(client: SqlClient): Promise<Applied[]> {
  // A select from a missing table would abort the transaction. Reads pg_tables, because to_regclass() may use a cache that
  // is older than the lock.
  const [found] = await run<{ there: boolean }>(
    client,
    sql`select exists (
       select from pg_catalog.pg_tables where schemaname = 'shared' and tablename = 'migrations') as there`,
  );
  return found?.there ? await run<Applied>(client, sql`select name, hash from ${sharedMigrations}`) : [];
}

/** Migrations of a newer version: steps of `shared` that this version does not know, and whether organizations have some. */
export interface NewerSchema {
  shared: string[];
  orgs: boolean;
}

/** @returns undefined when no newer version has migrated the database */
export async function findNewerSchema(
  client: SqlClient,
  known: { shared: readonly Migration[]; org: readonly Migration[] },
): Promise<NewerSchema | undefined> {
  const names = new Set(known.shared.map(({ name }) => name));
  const shared = (await appliedToShared(client)).map(({ name }) => name).filter((name) => !names.has(name));
  const [row] = await run<{ newer: boolean }>(
    client,
    sql`select exists (select from ${orgs} where ${orgs.schemaVersion} > ${known.org.length}) as newer`,
  );
  const newer = row?.newer === true;
  return shared.length > 0 || newer ? { shared: shared.sort(), orgs: newer } : undefined;
}

/** The steps that are not applied yet. Ignores applied steps of newer versions. */
function pending(applied: readonly Applied[], migrations: readonly Migration[]): Migration[] {
  const hashes = new Map(applied.map(({ name, hash }) => [name, hash]));
  return migrations.filter(({ name, hash }) => {
    const known = hashes.get(name);
    if (known !== undefined && known !== hash)
      throw new Error(`migration ${name} was changed after it was applied`);
    return known === undefined;
  });
}
