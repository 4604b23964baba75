import type { Sql, TransactionSql } from 'postgres';
import { type OrgSchemaName, orgSchemaName, TEMPLATE_SCHEMA } from '../schema/org-schema.ts';
import { addTrigrams, SEARCH_INDEX, trigramSchema, withTrigrams } from './search-index.ts';

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

/** Timeout for waiting for another process's migration. */
const LOCK_TIMEOUT = "set local lock_timeout = '60s'; set local statement_timeout = 0";
/**
 * A step that waits for a table lock, for example because of a dump, blocks all later queries on the table. The short timeout
 * ends that; the step is retried.
 */
const STEP_LOCK_TIMEOUT = "set local lock_timeout = '3s'";

/**
 * Migrates `shared`, one transaction per step. Any number of processes may do so concurrently.
 * @returns why searches cannot be indexed; undefined if they can
 * @throws Error when an applied step differs from the one in `migrations`
 */
export async function migrateShared(sql: Sql, migrations: readonly Migration[]): Promise<string | undefined> {
  while (pending(await appliedToShared(sql), migrations).length > 0) {
    await sql.begin(async (tx) => {
      await Promise.all(lock(tx, SHARED_LOCK));
      const [next] = pending(await appliedToShared(tx), migrations);
      if (!next) return;
      await Promise.all([
        ...next.statements.map((statement) => tx.unsafe(statement)),
        tx.unsafe('insert into shared.migrations (name, hash, applied_at) values ($1, $2, now())', [
          next.name,
          next.hash,
        ]),
      ]);
    });
  }
  return addTrigrams(sql, (tx) => Promise.all(lock(tx, SHARED_LOCK)));
}

const RECORD_STEP = `
  with recorded as (
    insert into shared.org_migrations (org_id, name, hash, applied_at) values ($1, $2, $3, now()))
  update shared.orgs set schema_version = $4 where id = $1`;

/**
 * Migrates one organization's schema, one transaction per step, which also sets `orgs.schema_version`. A step takes three
 * round trips, because statements that do not depend on each other are pipelined.
 * @throws Error when an applied step differs from the one in `migrations`, or a step fails
 */
export async function migrateOrg(sql: Sql, orgId: string, migrations: readonly Migration[]): Promise<void> {
  const schema = orgSchemaName(orgId);
  let behind = true;
  while (behind) {
    behind = await sql.begin(async (tx) => {
      const [, , applied, trigrams] = await Promise.all([
        ...lock(tx, orgLock(orgId)),
        // A separate statement, so that it sees the writes of the previous lock holder.
        tx.unsafe<Applied[]>('select name, hash from shared.org_migrations where org_id = $1', [orgId]),
        trigramSchema(tx),
      ]);
      const [next, ...rest] = pending(applied, migrations);
      if (!next) return false;
      await Promise.all([
        tx.unsafe(STEP_LOCK_TIMEOUT),
        ...inSchema(withTrigrams(next.statements, trigrams), schema).map((statement) => tx.unsafe(statement)),
        tx.unsafe(RECORD_STEP, [orgId, next.name, next.hash, applied.length + 1]),
      ]);
      return rest.length > 0;
    });
  }
}

/**
 * Creates the search index of an organization whose schema was created or migrated without pg_trgm
 * (`orgsWithoutSearchIndex`). Pushes to the organization wait meanwhile, about 15 s for a million findings.
 */
export async function addSearchIndex(
  sql: Sql,
  orgId: string,
  migrations: readonly Migration[],
): Promise<void> {
  await sql.begin(async (tx) => {
    const [, , trigrams] = await Promise.all([...lock(tx, orgLock(orgId)), trigramSchema(tx)]);
    if (!trigrams) return;
    const statements = orgSchemaStatements(orgId, migrations, trigrams).filter((text) =>
      text.includes(`"${SEARCH_INDEX}"`),
    );
    await tx.unsafe(STEP_LOCK_TIMEOUT);
    for (const statement of statements)
      await tx.unsafe(statement.replace(/^CREATE INDEX /, 'CREATE INDEX IF NOT EXISTS '));
  });
}

/**
 * The statements that create a new organization's schema. Run them in the transaction that inserts the organization.
 * @param trigrams the schema of pg_trgm; undefined if it is not installed
 */
export function orgSchemaStatements(
  orgId: string,
  migrations: readonly Migration[],
  trigrams?: string,
): string[] {
  const start = migrations.findLastIndex(({ fromScratch }) => fromScratch);
  const statements = [
    ...(migrations[start]?.fromScratch ?? []),
    ...migrations.slice(start + 1).flatMap((migration) => migration.statements),
  ];
  return inSchema(withTrigrams(statements, trigrams), orgSchemaName(orgId));
}

function inSchema(statements: readonly string[], schema: OrgSchemaName): string[] {
  return statements.map((statement) => statement.replaceAll(`"${TEMPLATE_SCHEMA}"`, `"${schema}"`));
}

/** Pipelines the timeout and the lock. */
const lock = (tx: TransactionSql, key: string) =>
  [tx.unsafe(LOCK_TIMEOUT).simple(), tx.unsafe('select pg_advisory_xact_lock($1)', [key])] as const;

async function appliedToShared(sql: Sql | TransactionSql): Promise<Applied[]> {
  // A select from a missing table would abort the transaction. Reads pg_tables, because to_regclass() may use a cache that
  // is older than the lock.
  const [found] = await sql.unsafe<{ there: boolean }[]>(
    `select exists (
       select from pg_catalog.pg_tables where schemaname = 'shared' and tablename = 'migrations') as there`,
  );
  return found?.there ? await sql.unsafe<Applied[]>('select name, hash from shared.migrations') : [];
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
