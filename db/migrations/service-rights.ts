import { sql } from 'drizzle-orm';
import type { Sql } from '../pool/query.ts';
import { run, type SqlClient } from '../statements.ts';

/*
 * `shared` can belong to a role that migrates it, and the service connect as another one, which gets only the rights that it needs.
 * They are granted with each migration, so that a new table is never without them.
 */

/** For connections of the owner: names without a schema must not lead to objects that the service has created. */
export const OWNER_SEARCH_PATH = 'pg_catalog';

const READ_AND_WRITE = 'select, insert, update, delete';

/** Tables of `shared` that only migrations and commands of operators change, and what the service may do with them. */
const LIMITED: Readonly<Record<string, string>> = {
  migrations: 'select',
  settings: 'select',
  feature_flags: 'select',
  operator_events: 'select, update (logged_at)',
  org_migrations: 'select, insert',
};

const rightsOn = (schema: string, table: string) => (schema === 'shared' && LIMITED[table]) || READ_AND_WRITE;

/**
 * The role of the service, quoted; undefined if it is also the one that migrates.
 * @throws Error if the clients do not lead to the same database
 */
export async function findServiceRole(owner: Sql, service: Sql): Promise<string | undefined> {
  if (owner === service) return undefined;
  const [migrating, serving] = await Promise.all([whereIs(owner), whereIs(service)]);
  if (migrating.database !== serving.database)
    throw new Error('DATABASE_MIGRATION_URL and DATABASE_URL lead to different databases');
  return migrating.role === serving.role ? undefined : serving.role;
}

async function whereIs(client: Sql): Promise<{ role: string; database: string }> {
  const [row] = await run<{ role: string; database: string }>(
    client,
    sql`select pg_catalog.quote_ident(current_user) as role, datname || ' ' || oid as database
      from pg_catalog.pg_database where datname = current_database()`,
  );
  return row as { role: string; database: string };
}

/**
 * Gives the role of the service its rights on the tables of a schema that belong to the current role, and takes all others away. Call
 * it in a transaction.
 * @param role quoted
 */
export async function grantToService(tx: SqlClient, schema: string, role: string): Promise<void> {
  const tables = await run<{ name: string; quoted: string }>(
    tx,
    sql`select tablename as name, pg_catalog.format('%I.%I', schemaname, tablename) as quoted
      from pg_catalog.pg_tables where schemaname = ${schema} and tableowner = current_user`,
  );
  if (tables.length === 0) return;
  const statements = tables.flatMap(({ name, quoted }) => [
    `revoke all on ${quoted} from ${role}`,
    `grant ${rightsOn(schema, name)} on ${quoted} to ${role}`,
  ]);
  await Promise.all(
    [`grant usage on schema "${schema}" to ${role}`, ...statements].map((text) => run(tx, sql.raw(text))),
  );
}

/** The rights of a role on the tables of `shared`. */
export interface ServiceRights {
  /** It can become their owner, and so may do everything. */
  owns: boolean;
  /** Rights that it needs and lacks, such as `insert on users`. */
  missing: string[];
  /** Rights that it has and does not need. */
  excess: string[];
}

export async function readServiceRights(client: SqlClient): Promise<ServiceRights> {
  const tables = await run<{ name: string; owned: boolean; rights: string[] }>(
    client,
    sql`select c.relname as name, pg_has_role(c.relowner, 'member') as owned,
        array_to_json(array(select p from unnest(string_to_array('select insert update delete truncate references trigger', ' ')) p
          where has_table_privilege(c.oid, p))) as rights
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'shared' and c.relkind = 'r' order by c.relname`,
  );
  const compared = tables.map(({ name, rights }) => {
    const needed = rightsOn('shared', name).split(', ');
    const on = (list: string[]) => list.map((right) => `${right} on ${name}`);
    return {
      missing: on(needed.filter((right) => !right.includes('(') && !rights.includes(right))),
      excess: on(rights.filter((right) => !needed.includes(right))),
    };
  });
  return {
    owns: tables.some(({ owned }) => owned),
    missing: compared.flatMap(({ missing }) => missing),
    excess: compared.flatMap(({ excess }) => excess),
  };
}
