import { setTimeout as sleep } from 'node:timers/promises';
import { recountOrg } from '../../db/findings/counts/recount.ts';
import type { Sql } from '../../db/pool/query.ts';

/** Incomplete objects in a database, by kind; there must be none. */
export interface Halves {
  /** Organizations without a schema, an owner or all that others have; schemas without an organization. */
  orgs: string[];
  /** Users without an address or an organization. */
  users: string[];
  /** Organizations at another version. */
  migrations: string[];
  /** Organizations whose counts differ from their rows. */
  counts: string[];
  /** Locks and transactions of processes that have ended. */
  locks: string[];
}

export interface Whole {
  /** The version of all organizations. */
  version: number;
  /** Organizations whose counts are verified. */
  counted: readonly string[];
}

/** Searches all organizations for what a killed process may have left. */
export async function findHalves(sql: Sql, { version, counted }: Whole): Promise<Halves> {
  const names = async (text: string) => {
    const rows = await sql.unsafe<{ name: string }[]>(text);
    return rows.map(({ name }) => name);
  };
  const schemaOf = `'org_' || replace(o.id::text, '-', '')`;
  const orgs = [
    ...(await names(`
      select 'no schema: ' || o.slug as name from shared.orgs o
      where schema_version > 0 and not exists (select from pg_namespace where nspname = ${schemaOf})`)),
    ...(await names(`
      select 'no organization: ' || nspname as name from pg_namespace
      where nspname like 'org\\_%' and not exists (select from shared.orgs o where ${schemaOf} = nspname and schema_version > 0)`)),
    ...(await names(`
      select 'no owner: ' || o.slug as name from shared.orgs o
      where not exists (select from shared.memberships m where m.org_id = o.id and m.role = 'owner')`)),
    ...(await differentSchemas(sql)),
  ];
  const users = await names(`
    select u.id::text as name from shared.users u
    where (select count(*) from shared.user_emails e where e.user_id = u.id and e.is_primary) <> 1
      or not exists (select from shared.memberships m where m.user_id = u.id)`);
  const migrations = await names(`
    select o.slug || ' is at ' || o.schema_version || ' with ' || (
      select count(*) from shared.org_migrations m where m.org_id = o.id) as name
    from shared.orgs o
    where o.schema_version not in (0, ${version})
      or o.schema_version <> (select count(*) from shared.org_migrations m where m.org_id = o.id)`);
  const counts: string[] = [];
  for (const id of counted) {
    const wrong = await recountOrg(sql, id);
    if (wrong.length > 0) counts.push(`${id}: ${JSON.stringify(wrong)}`);
  }
  return { orgs, users, migrations, counts, locks: await leftLocks(sql) };
}

/** Schemas whose tables, columns and indexes differ from the majority. */
async function differentSchemas(sql: Sql): Promise<string[]> {
  const rows = await sql.unsafe<{ schema: string; shape: string }[]>(`
    select n.nspname as schema, md5(string_agg(c.relkind::text || c.relname || ' ' || coalesce(a.attname, ''), ','
      order by c.relkind, c.relname, a.attname)) as shape
    from pg_namespace n left join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'i')
    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname like 'org\\_%' group by 1`);
  const sizes = new Map<string, number>();
  for (const { shape } of rows) sizes.set(shape, (sizes.get(shape) ?? 0) + 1);
  const [usual] = [...sizes].sort(([, a], [, b]) => b - a)[0] ?? [];
  return rows.filter(({ shape }) => shape !== usual).map(({ schema }) => `other tables than most: ${schema}`);
}

const SETTLED_MS = 5_000;

/** PostgreSQL soon closes the connections of killed processes; work of living ones takes milliseconds. */
async function leftLocks(sql: Sql): Promise<string[]> {
  let left: string[] = [];
  for (const deadline = Date.now() + SETTLED_MS; Date.now() < deadline; await sleep(100)) {
    const rows = await sql.unsafe<{ name: string }[]>(`
      select a.application_name || ' ' || a.state || ' since ' || a.xact_start || ': ' || left(a.query, 80) as name
      from pg_stat_activity a
      where a.backend_type = 'client backend' and a.pid <> pg_backend_pid() and (
        a.xact_start < now() - interval '1 second'
        or exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.objsubid = 1))`);
    left = rows.map(({ name }) => name);
    if (left.length === 0) return [];
  }
  return left;
}
