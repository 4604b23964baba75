-- Gives the schema `shared` to a role of its own, which migrates it; the role of the service keeps the rights that it needs
-- (docs/deployment.md#role-for-migrations). Both roles exist. Run it in the database of the service, as a superuser or as the
-- administrator of a managed PostgreSQL, before or after the first start. Servers may run, and it can be repeated:
--   psql "$ADMIN_URL" --set=ON_ERROR_STOP=1 --set=service=findings --set=owner=findings_owner --file=migration-role.sql
begin;
set local lock_timeout = '5s';
select set_config('svc.service', :'service', true), set_config('svc.owner', :'owner', true);
do $$
declare
  service constant name := current_setting('svc.service');
  owner constant name := current_setting('svc.owner');
  s name;
  t name;
begin
  if pg_has_role(service, owner, 'member') then
    raise 'the role % may become %, and % may not be a superuser', service, owner, service;
  end if;
  if not (select rolsuper from pg_roles where rolname = current_user) then
    -- Only a member of both roles may change an owner.
    execute format('grant %I, %I to current_user', service, owner);
  end if;
  execute format('alter database %I owner to %I', current_database(), owner);
  -- The service creates the schemas of organizations.
  execute format('grant connect, create, temporary on database %I to %I', current_database(), service);
  for s in select nspname from pg_namespace where nspname = 'shared' or starts_with(nspname::text, 'empty_org_') loop
    execute format('alter schema %I owner to %I', s, owner);
    for t in select relname from pg_class where relnamespace = s::text::regnamespace and relkind = 'r' loop
      execute format('alter table %I.%I owner to %I', s, t, owner);
    end loop;
    -- The next `migrate` takes away what the service does not need.
    execute format('grant usage on schema %I to %I', s, service);
    execute format('grant select, insert, update, delete on all tables in schema %I to %I', s, service);
  end loop;
end $$;
commit;
