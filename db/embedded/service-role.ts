import { createHash } from 'node:crypto';
import type { Server } from './server.ts';
import { openSession } from './session.ts';

/** The role the service connects as. It owns the service's schemas and is not a superuser. */
const SERVICE_ROLE = 'svc_app';

/**
 * Creates the role if it is missing and makes it the owner of the service's schemas. Several processes may do so concurrently.
 * If one dies, the next start continues.
 * @param password the superuser's. The role's is derived from it by a hash, so that it does not reveal it
 * @returns the URL to connect as the role
 */
export async function prepareServiceRole({ run, port }: Server, password: string): Promise<string> {
  const rolePassword = createHash('sha256').update(`service role ${password}`).digest('base64url');
  const url = `postgres://${SERVICE_ROLE}:${rolePassword}@127.0.0.1:${port}/postgres`;
  // Tried first, because nothing should be written while the disk is full.
  const session = await openSession(url).catch((error) => {
    // The role does not exist or has another password.
    if (error.code !== '28P01') throw error;
  });
  if (session) await session.end();
  else await run(setUpRole(rolePassword));
  await run(TAKE_SCHEMAS);
  return url;
}

const setUpRole = (password: string) => `
  do $$ begin
    perform pg_advisory_xact_lock(7566947, 2);
    if not exists (select from pg_roles where rolname = '${SERVICE_ROLE}') then
      create role ${SERVICE_ROLE};
    end if;
    alter role ${SERVICE_ROLE}
      login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}';
    grant create, temporary on database postgres to ${SERVICE_ROLE};
  end $$`;

/** The service's schemas and tables that belong to another role: older versions used the superuser. */
const TAKE_SCHEMAS = `
  do $$ declare s name; t name; begin
    for s in
      select distinct n.nspname
      from pg_namespace n left join pg_class c on c.relnamespace = n.oid and c.relkind = 'r'
      where (n.nspname = 'shared' or n.nspname ~ '^org_[0-9a-f]{32}$')
        and (n.nspowner <> '${SERVICE_ROLE}'::regrole or c.relowner <> '${SERVICE_ROLE}'::regrole)
    loop
      execute format('alter schema %I owner to ${SERVICE_ROLE}', s);
      for t in select relname from pg_class where relnamespace = s::text::regnamespace and relkind = 'r' loop
        execute format('alter table %I.%I owner to ${SERVICE_ROLE}', s, t);
      end loop;
      -- Releases the locks, whose number is limited.
      commit;
    end loop;
  end $$`;
