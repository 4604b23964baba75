#!/bin/sh
# Starts two cells with a PostgreSQL each, the directory and HAProxy on loopback, until Ctrl-C.
set -eu
cd "$(dirname "$0")"
. ./settings.sh
mkdir -p "$RUN" && chmod 755 "$RUN"
trap 'trap - EXIT; ./stop.sh' EXIT INT TERM

for cell in one two; do
  data=$RUN/postgres-$cell
  if [ ! -d "$data" ]; then
    install -d -o "$PG_USER" "$data"
    as_postgres initdb -D "$data" -U postgres --auth=scram-sha-256 --pwfile="$PASSWORD_FILE" > "$RUN/initdb.log"
    cat postgresql.conf >> "$data/postgresql.conf"
  fi
  as_postgres pg_ctl -D "$data" -w -l "$data/log" -o "-p $(port_of $cell) -c unix_socket_directories=" start > /dev/null
done
for database in one:findings two:findings; do
  sql "${database%:*}" -qtAc "select 'create database ${database#*:}' where not exists
    (select from pg_database where datname = '${database#*:}')" | sql "${database%:*}" -q
done

# The owner of the directory is no superuser. Roles of the directory can connect to no other database.
if [ -z "$(sql one -qtAc "select 1 from pg_database where datname = 'cells'")" ]; then
  sql one -q << EOF
create role directory login createrole password '$PASSWORD';
create database cells owner directory;
revoke all on database findings, cells from public;
EOF
fi
for role in one two map; do
  file=$RUN/directory-$role.env
  [ -f "$file" ] && continue
  (
    umask 077
    export SVC_CELLS_URL="postgres://directory:$PASSWORD@127.0.0.1:$(port_of one)/cells"
    if [ $role = map ]; then set -- --map; else set -- $role; fi
    admin cells grant "$@" --new-password > "$file.new" 2>> "$RUN/directory.log"
    mv "$file.new" "$file"
  )
done

touch "$RUN/cells.map"
for cell in one two; do
  (settings_of $cell; cd "$RUN"; exec node --enable-source-maps --v8-pool-size=1 "$ROOT/dist/server.js" > "$RUN/server-$cell.log" 2>&1) &
  echo $! > "$RUN/server-$cell.pid"
done
cp haproxy.cfg "$RUN/haproxy.cfg"
(cd "$RUN"; exec haproxy -W -f haproxy.cfg > haproxy.log 2>&1) &
echo $! > "$RUN/haproxy.pid"
until curl -sf -o /dev/null http://127.0.0.1:8000/readyz; do sleep 0.5; done
echo "Open http://cells.localhost:8000. Ctrl-C stops everything; its data is in $RUN."
wait
