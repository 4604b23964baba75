import { createHash } from 'node:crypto';
import postgres from 'postgres';

/** The role the service connects as. It owns the service's schemas and is not a superuser. */
const SERVICE_ROLE = 'svc_app';

/** Runs a statement as the superuser and resolves with its rows. */
type Run = (statement: string) => Promise<unknown>;

export interface ServiceRoleOptions {
  run: Run;
  port: number;
  /** The superuser's password. The role's password is derived from it by a hash, so that it does not reveal it. */
  password: string;
}

/** Schemas of the service that belong to another role or contain such a table: older versions used the superuser. */
const FOREIGN_SCHEMAS = `
  select distinct n.nspname as name
  from pg_namespace n left join pg_class c on c.relnamespace = n.oid and c.relkind = 'r'
  where (n.nspname = 'shared' or n.nspname ~ '^org_[0-9a-f]{32}$')
    and (n.nspowner <> '${SERVICE_ROLE}'::regrole or c.relowner <> '${SERVICE_ROLE}'::regrole)`;

/**
 * Creates the role if it is missing and makes it the owner of the service's schemas. Several processes may do so concurrently.
 * If one dies, the next start continues.
 * @returns the URL to connect as the role
 */
export async function prepareServiceRole({ run, port, password }: ServiceRoleOptions): Promise<string> {
  const rolePassword = createHash('sha256').update(`service role ${password}`).digest('base64url');
  const url = `postgres://${SERVICE_ROLE}:${rolePassword}@127.0.0.1:${port}/postgres`;
  if (!(await canConnect(url))) await run(setUpRole(rolePassword));
  const foreign = (await run(FOREIGN_SCHEMAS)) as { name: string }[];
  for (const { name } of foreign) await run(changeSchemaOwner(name));
  return url;
}

async function canConnect(url: string): Promise<boolean> {
  const sql = postgres(url, {
    max: 1,
    ssl: false,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
  });
  try {
    await sql.unsafe('select 1');
    return true;
  } catch (error) {
    // The role does not exist or has another password.
    if ((error as { code?: string }).code === '28P01') return false;
    throw error;
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/** `read write`, because transactions are read-only by default while the disk is full. */
const setUpRole = (password: string) => `
  begin read write;
  select pg_advisory_xact_lock(7566947, 2);
  do $$ begin
    if not exists (select from pg_roles where rolname = '${SERVICE_ROLE}') then
      create role ${SERVICE_ROLE};
    end if;
  end $$;
  alter role ${SERVICE_ROLE} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}';
  grant create, temporary on database postgres to ${SERVICE_ROLE};
  commit`;

const changeSchemaOwner = (schema: string) => `
  begin read write;
  do $$ declare t name; begin
    alter schema "${schema}" owner to ${SERVICE_ROLE};
    for t in select relname from pg_class where relnamespace = '"${schema}"'::regnamespace and relkind = 'r' loop
      execute format('alter table %I.%I owner to ${SERVICE_ROLE}', '${schema}', t);
    end loop;
  end $$;
  commit`;
