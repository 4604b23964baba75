#!/bin/sh
# Makes the role and the database of the service when the volume is new. The role owns its database and is no superuser.
# PostgreSQL's image runs this as the superuser. SERVICE_PASSWORD is the role's password, SERVICE_NAME the name of both.
set -eu
export SERVICE_PASSWORD SERVICE_NAME="${SERVICE_NAME:-svc}"
psql --username="$POSTGRES_USER" --dbname=postgres --no-psqlrc --quiet --set=ON_ERROR_STOP=1 <<'SQL'
\getenv name SERVICE_NAME
\getenv password SERVICE_PASSWORD
create role :"name" login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database :"name" owner :"name";
SQL
