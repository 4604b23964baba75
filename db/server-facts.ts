import { sql } from 'drizzle-orm';
import { run, type SqlClient } from './statements.ts';

/** Facts about a PostgreSQL server and the role of a connection. */
export interface ServerFacts {
  /** Major version. */
  version: number;
  superuser: boolean;
  /** Whether the role may create schemas in the database. */
  may_create: boolean;
  /** How many connections the role may have. */
  role_connections: number;
  /** Whether this connection uses TLS. */
  ssl: boolean;
  /** Names of settings that are off and cost durability, separated by commas. */
  unsafe: string;
  /** Whether the extension pg_trgm exists. */
  trigrams: boolean;
  now: Date;
  archiving: boolean;
  archive_failing: boolean;
  standbys: number;
  /** Whether the service has created its tables. */
  migrated: boolean;
}

/** The engine that stores the tables of organizations: PostgreSQL itself, or workers of Citus. */
export type Engine = 'postgres' | 'citus';

/** Finds out the engine once per process. */
export type EngineDetection = (client: SqlClient) => Promise<Engine>;

/** @param known skips the detection */
export function createEngineDetection(known?: Engine): EngineDetection {
  let engine = known;
  return async (client) => {
    engine ??= await readEngine(client);
    return engine;
  };
}

async function readEngine(client: SqlClient): Promise<Engine> {
  const [row] = await run<{ citus: boolean }>(
    client,
    sql`select exists (select from pg_catalog.pg_extension where extname = 'citus') as citus`,
  );
  return row?.citus ? 'citus' : 'postgres';
}

/** How many connections the role may have: less what is reserved, and at most the limits of the role and the database. */
export const ROLE_CONNECTIONS = sql`(
  select least(
    current_setting('max_connections')::int - case when r.rolsuper then 0 else
      current_setting('superuser_reserved_connections')::int
        + coalesce(nullif(current_setting('reserved_connections', true), '')::int, 0) end,
    nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1))
  from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database())`;

/** Asks the server of a connection. Needs no rights. */
export async function readServerFacts(client: SqlClient): Promise<ServerFacts> {
  const [row] = await run<ServerFacts>(
    client,
    sql`
select current_setting('server_version_num')::int / 10000 as version,
  (select rolsuper from pg_roles where rolname = current_user) as superuser,
  has_database_privilege(current_database(), 'create') as may_create,
  ${ROLE_CONNECTIONS} as role_connections,
  coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as ssl,
  (select coalesce(string_agg(name, ', '), '') from unnest(array['fsync', 'full_page_writes', 'synchronous_commit']) name
    where current_setting(name) = 'off') as unsafe,
  exists (select from pg_extension where extname = 'pg_trgm') as trigrams,
  clock_timestamp() as now,
  current_setting('archive_mode') <> 'off' as archiving,
  coalesce((select last_failed_time > coalesce(last_archived_time, '-infinity') from pg_stat_archiver), false)
    as archive_failing,
  (select count(*) from pg_stat_replication)::int as standbys,
  to_regclass('shared.migrations') is not null as migrated`,
  );
  return row as ServerFacts;
}
