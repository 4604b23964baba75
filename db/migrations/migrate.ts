import type { Sql, TransactionSql } from '../pool/query.ts';
import { type OrgSchemaName, orgSchemaName, TEMPLATE_SCHEMA } from '../schema/org-schema.ts';
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

/** Waits for another process's migration, but not for ever. */
const LOCK_TIMEOUT = "set local lock_timeout = '60s'; set local statement_timeout = 0";
/**
 * Who reads a table for long, such as a dump, makes a step wait for its lock, and the step everybody who comes after it.
 * So it gives up soon, and is tried again.
 */
const STEP_LOCK_TIMEOUT = "set local lock_timeout = '3s'";

/**
 * Brings `shared` up to date, one transaction a step; any number of processes may do so at once.
 * @returns why searches cannot be indexed, if they cannot
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
 * Brings one org's schema up to date, one transaction a step, `orgs.schema_version` included. Three round trips a step:
 * statements go one behind the other where none needs another's answer.
 * @throws Error when an applied step differs from the one in `migrations`, or a step fails
 */
export async function migrateOrg(sql: Sql, orgId: string, migrations: readonly Migration[]): Promise<void> {
  const schema = orgSchemaName(orgId);
  let behind = true;
  while (behind) {
    behind = await sql.begin(async (tx) => {
      const [, , applied, trigrams] = await Promise.all([
        ...lock(tx, orgLock(orgId)),
        // In a statement of its own, it sees what whoever had the lock has written.
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
 * Makes the index for searches where an org was made or migrated before there was pg_trgm; see `orgsWithoutSearchIndex`.
 * Pushes to the org wait meanwhile, about 15 s for a million findings.
 */
export async function addSearchIndex(
  sql: Sql,
  orgId: string,
  migrations: readonly Migration[],
): Promise<void> {
  await sql.begin(async (tx) => {
    const [, , trigrams] = await Promise.all([...lock(tx, orgLock(orgId)), trigramSchema(tx)]);
    if (!trigrams) return;
    const made = orgSchemaStatements(orgId, migrations, trigrams).filter((text) =>
      text.includes(`"${SEARCH_INDEX}"`),
    );
    await tx.unsafe(STEP_LOCK_TIMEOUT);
    for (const statement of made)
      await tx.unsafe(statement.replace(/^CREATE INDEX /, 'CREATE INDEX IF NOT EXISTS '));
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

/** Both are sent at once. */
const lock = (tx: TransactionSql, key: string) =>
  [tx.unsafe(LOCK_TIMEOUT).simple(), tx.unsafe('select pg_advisory_xact_lock($1)', [key])] as const;

async function appliedToShared(sql: Sql | TransactionSql): Promise<Applied[]> {
  // Asked first, so that a missing table does not abort the transaction around it; and asked of the catalog's
  // tables, because to_regclass() may answer from a cache that is older than the lock we hold.
  const [found] = await sql.unsafe<{ there: boolean }[]>(
    `select exists (
       select from pg_catalog.pg_tables where schemaname = 'shared' and tablename = 'migrations') as there`,
  );
  return found?.there ? await sql.unsafe<Applied[]>('select name, hash from shared.migrations') : [];
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
