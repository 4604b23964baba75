import { sql } from 'drizzle-orm';
import type { Sql } from '../pool/query.ts';
import { type OrgSchemaName, orgSchemaName, TEMPLATE_SCHEMA } from '../schema/org-schema.ts';
import { orgMigrations, orgs } from '../schema/orgs.ts';
import { migrations as sharedMigrations } from '../schema/platform.ts';
import { run, type SqlClient } from '../statements.ts';
import { addTrigrams, SEARCH_INDEX, trigramSchema, withTrigrams } from './search-index.ts';

/** One generated step of a track. */
export interface Migration {
  name: string;
  /** SHA-256 of the file, hex: a step that changed after it was applied is noticed. */
  hash: string;
  /** Run one by one, each alone in its command. */
  statements: readonly string[];
  /** On the last step of the org track: what makes a new schema as this step leaves one, without those before it. */
  fromScratch?: readonly string[];
}

export const MIGRATION_TRACKS = ['shared', 'org'] as const;

type Applied = { name: string; hash: string };

/** Lock keys: `shared` has a fixed one, an org takes the random half of its id. */
const SHARED_LOCK = '8382736451029384756';
const orgLock = (orgId: string) =>
  BigInt.asIntN(64, BigInt(`0x${orgId.replaceAll('-', '').slice(16)}`)).toString();

/**
 * Who reads a table for long, such as a dump, makes a step wait for its lock, and the step everybody who comes after it.
 * So it gives up soon, and is tried again.
 */
const STEP_LOCK_TIMEOUT = sql`set local lock_timeout = '3s'`;

/**
 * Brings `shared` up to date, one transaction a step; any number of processes may do so at once.
 * @returns why searches cannot be indexed, if they cannot
 * @throws Error when an applied step differs from the one in `migrations`
 */
export async function migrateShared(
  client: Sql,
  migrations: readonly Migration[],
): Promise<string | undefined> {
  while (pending(await appliedToShared(client), migrations).length > 0) {
    await client.begin(async (tx) => {
      await Promise.all(lock(tx, SHARED_LOCK));
      const [next] = pending(await appliedToShared(tx), migrations);
      if (!next) return;
      await Promise.all([
        ...next.statements.map((statement) => run(tx, sql.raw(statement))),
        run(
          tx,
          sql`insert into ${sharedMigrations} (name, hash, applied_at) values (${next.name}, ${next.hash}, now())`,
        ),
      ]);
    });
  }
  return addTrigrams(client, (tx) => Promise.all(lock(tx, SHARED_LOCK)));
}

const recordStep = (orgId: string, { name, hash }: Migration, version: number) => sql`
with recorded as (
  insert into ${orgMigrations} (org_id, name, hash, applied_at) values (${orgId}, ${name}, ${hash}, now())
)
update ${orgs} set schema_version = ${version} where ${orgs.id} = ${orgId}`;

/**
 * Brings one org's schema up to date, one transaction a step, `orgs.schema_version` included. Three round trips a step:
 * statements go one behind the other where none needs another's answer.
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
      const locked = Promise.all(lock(tx, orgLock(orgId)));
      const [applied, trigrams] = await Promise.all([
        // In a statement of its own, it sees what whoever had the lock has written.
        run<Applied>(tx, sql`select name, hash from ${orgMigrations} where org_id = ${orgId}`),
        trigramSchema(tx),
        locked,
      ]);
      const [next, ...rest] = pending(applied, migrations);
      if (!next) return false;
      await Promise.all([
        run(tx, STEP_LOCK_TIMEOUT),
        ...inSchema(withTrigrams(next.statements, trigrams), schema).map((text) => run(tx, sql.raw(text))),
        run(tx, recordStep(orgId, next, applied.length + 1)),
      ]);
      return rest.length > 0;
    });
  }
}

/**
 * Makes the index for searches where an org was made or migrated before there was pg_trgm; see `orgsWithoutSearchIndex`.
 * Pushes to the org wait meanwhile, about 15 s for a million findings.
 */
export async function addSearchIndex(
  client: Sql,
  orgId: string,
  migrations: readonly Migration[],
): Promise<void> {
  await client.begin(async (tx) => {
    const locked = Promise.all(lock(tx, orgLock(orgId)));
    const [trigrams] = await Promise.all([trigramSchema(tx), locked]);
    if (!trigrams) return;
    const made = orgSchemaStatements(orgId, migrations, trigrams).filter((text) =>
      text.includes(`"${SEARCH_INDEX}"`),
    );
    await run(tx, STEP_LOCK_TIMEOUT);
    for (const statement of made)
      await run(tx, sql.raw(statement.replace(/^CREATE INDEX /, 'CREATE INDEX IF NOT EXISTS ')));
  });
}

/**
 * What makes a new org's schema with everything in it; run in the transaction that inserts the org.
 * @param trigrams the schema of pg_trgm, if there is one
 */
export function orgSchemaStatements(
  orgId: string,
  migrations: readonly Migration[],
  trigrams?: string,
): string[] {
  const made = migrations.findLastIndex(({ fromScratch }) => fromScratch);
  const statements = [
    ...(migrations[made]?.fromScratch ?? []),
    ...migrations.slice(made + 1).flatMap((migration) => migration.statements),
  ];
  return inSchema(withTrigrams(statements, trigrams), orgSchemaName(orgId));
}

function inSchema(statements: readonly string[], schema: OrgSchemaName): string[] {
  return statements.map((statement) => statement.replaceAll(`"${TEMPLATE_SCHEMA}"`, `"${schema}"`));
}

/** Waits for another process's migration, but not for ever. All are sent at once. */
const lock = (tx: SqlClient, key: string) => [
  run(tx, sql`set local lock_timeout = '60s'`),
  run(tx, sql`set local statement_timeout = 0`),
  run(tx, sql`select pg_advisory_xact_lock(${key})`),
];

async function appliedToShared(client: SqlClient): Promise<Applied[]> {
  // Asked first, so that a missing table does not abort the transaction around it; and asked of the catalog's
  // tables, because to_regclass() may answer from a cache that is older than the lock we hold.
  const [found] = await run<{ there: boolean }>(
    client,
    sql`select exists (
       select from pg_catalog.pg_tables where schemaname = 'shared' and tablename = 'migrations') as there`,
  );
  return found?.there ? await run<Applied>(client, sql`select name, hash from ${sharedMigrations}`) : [];
}

/** The steps still to do. Applied steps this build does not know are of a newer build, and left alone. */
function pending(applied: readonly Applied[], migrations: readonly Migration[]): Migration[] {
  const hashes = new Map(applied.map(({ name, hash }) => [name, hash]));
  return migrations.filter(({ name, hash }) => {
    const known = hashes.get(name);
    if (known !== undefined && known !== hash)
      throw new Error(`migration ${name} was changed after it was applied`);
    return known === undefined;
  });
}
