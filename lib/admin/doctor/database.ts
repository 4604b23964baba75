import type { Database } from '../../../db/client.ts';
import { unguardedTables } from '../../../db/migrations/empty-tables.ts';
import { findNewerSchema } from '../../../db/migrations/migrate.ts';
import { readServiceRights, type ServiceRights } from '../../../db/migrations/service-rights.ts';
import { readServerFacts, type ServerFacts } from '../../../db/server-facts.ts';
import type { Config } from '../../config/config.ts';
import { isLoopback } from '../../config/insecure.ts';
import { VERSION } from '../../config/version.ts';
import { pendingShared, type Tracks } from '../migrations.ts';
import { listOrgs } from '../orgs.ts';
import { type Check, checksOf } from './checks.ts';

export const DATABASE_DOCS = 'docs/deployment.md#database-role';

const database = checksOf('database', DATABASE_DOCS);
const schema = checksOf('schemas', 'docs/deployment.md#upgrades');
const backup = checksOf('backup', 'docs/backup.md');

const OLDEST = 15;
const CLOCK_S = 5;

/** The database server, the role of the service, and how data is kept safe. */
export async function checkDatabase({ sql }: Database, config: Config): Promise<Check[]> {
  const asked = Date.now();
  const facts = await readServerFacts(sql);
  return [
    ...checkServer(facts, config, asked),
    ...(facts.migrated && !facts.superuser ? [checkRights(await readServiceRights(sql), config)] : []),
    ...checkBackup(facts, config),
  ];
}

const MIGRATION_ROLE_DOCS = 'docs/deployment.md#role-for-migrations';

/** Whether the service can only read and write the tables of `shared`. */
function checkRights({ owns, missing, excess }: ServiceRights, { strict, databaseUrl }: Config): Check {
  if (owns) {
    const message = 'the role owns the schema shared: it could drop and change tables, as in a migration';
    return strict && databaseUrl !== undefined
      ? database.warning(message, MIGRATION_ROLE_DOCS)
      : database.skipped(message);
  }
  if (missing.length > 0)
    return database.failed(
      `the role lacks rights on tables of shared: ${missing.join(', ')}`,
      MIGRATION_ROLE_DOCS,
    );
  if (excess.length > 0)
    return database.warning(
      `the role has rights on tables of shared that it does not need: ${excess.join(', ')}`,
      MIGRATION_ROLE_DOCS,
    );
  return database.ok('the role reads and writes the tables of shared, and cannot change them');
}

function checkServer(facts: ServerFacts, { databaseUrl, dbPoolMax }: Config, asked: number): Check[] {
  const { version, superuser, may_create, role_connections, unsafe, trigrams, now } = facts;
  const host = databaseUrl === undefined ? 'localhost' : new URL(databaseUrl).hostname;
  const ahead = Math.round((new Date(now).getTime() - (asked + Date.now()) / 2) / 1_000);
  // One checks the database.
  const perServer = dbPoolMax + 1;
  return [
    version < OLDEST
      ? database.failed(`PostgreSQL ${version} is too old: the service needs ${OLDEST} or newer`)
      : database.ok(`PostgreSQL ${version}${databaseUrl === undefined ? ', embedded' : ` at ${host}`}`),
    superuser
      ? database.warning('the role of DATABASE_URL is a superuser: the service needs no such rights')
      : database.ok('the role has no superuser rights'),
    may_create
      ? database.ok('the role may create the schemas of organizations')
      : database.failed('the role may not create schemas: registration fails (grant create on database)'),
    role_connections >= perServer
      ? database.ok(
          `the role may have ${role_connections} connections, enough for ${Math.floor(role_connections / perServer)} servers with up to ${perServer}`,
        )
      : database.failed(
          `the role may have ${role_connections} connections, a server uses up to ${perServer}: lower SVC_DB_POOL_MAX, or raise max_connections or the limit of the role or database`,
          'docs/scaling.md#several-machines',
        ),
    unsafe === ''
      ? database.ok('acknowledged changes survive a crash')
      : database.failed(`acknowledged changes are lost in a crash: ${unsafe} off`, 'docs/reliability.md'),
    facts.ssl || isLoopback(host) || host === ''
      ? database.ok(facts.ssl ? 'the connection uses TLS' : 'the connection does not leave this machine')
      : database.warning(`the connection to ${host} is not encrypted: add ?sslmode=require to DATABASE_URL`),
    trigrams
      ? database.ok('searches are indexed (pg_trgm)')
      : database.warning(
          'the extension pg_trgm is missing: searches read all findings',
          'docs/deployment.md#search-index',
        ),
    Math.abs(ahead) <= CLOCK_S
      ? database.ok('the clocks of this machine and of the database agree')
      : database.warning(
          `the clock of the database is ${timeText(Math.abs(ahead))} ${ahead < 0 ? 'behind' : 'ahead of'} this machine: due dates and codes depend on both`,
        ),
  ];
}

/** A time in the largest unit that says it without a fraction, or nearly. */
export function timeText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

function checkBackup(
  { archiving, archive_failing, standbys }: ServerFacts,
  { databaseUrl }: Config,
): Check[] {
  if (archive_failing)
    return [backup.failed('archiving WAL fails: see pg_stat_archiver and the log of PostgreSQL')];
  if (archiving) return [backup.ok('WAL is archived; check that a restore works')];
  if (standbys > 0)
    return [backup.warning(`${standbys} standbys, but no archive: a deletion reaches them too`)];
  const where = databaseUrl === undefined ? 'the embedded database' : 'the database';
  return [backup.warning(`${where} does not archive WAL: dumps, if any, are not visible from here`)];
}

/** Whether migrations and indexes are complete. */
export async function checkSchemas(database: Database, tracks: Tracks): Promise<Check[]> {
  const { sql } = database;
  if (!(await readServerFacts(sql)).migrated)
    return [schema.failed('the database is empty: start a server, or run "migrate"')];
  const newer = await findNewerSchema(sql, tracks);
  if (newer) {
    const applied = [...newer.shared, ...(newer.orgs ? ['those of organizations'] : [])].join(', ');
    return [
      schema.failed(
        `version ${VERSION} does not know migrations that a newer version has applied: ${applied}`,
        'docs/how-to/upgrade.md#go-back',
      ),
    ];
  }
  const pending = await pendingShared(database, tracks.shared);
  if (pending > 0) return [schema.failed(`shared: ${pending} migrations are not applied (run "migrate")`)];
  const behind = await listOrgs(database, tracks.org, { behind: true });
  return [
    schema.ok('shared is current'),
    behind.length === 0
      ? schema.ok('the schemas of all organizations are current')
      : schema.warning(`${behind.length} organizations are not migrated yet (run "migrate")`),
  ];
}

/** Whether what organizations without tables share can have no row. */
export async function checkEmptyTables({ sql }: Database): Promise<Check[]> {
  const unguarded = await unguardedTables(sql);
  if (unguarded.length === 0)
    return [schema.ok('the tables that organizations without tables share can have no row')];
  return [
    schema.failed(
      `tables that organizations share may have rows, which all without tables see: ${unguarded.join(', ')}`,
      'docs/architecture.md#organizations-without-tables',
    ),
  ];
}
