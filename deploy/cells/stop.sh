#!/bin/sh
# Stops what start.sh has started.
cd "$(dirname "$0")"
. ./settings.sh
for name in haproxy server-one server-two; do
  [ -f "$RUN/$name.pid" ] && kill "$(cat "$RUN/$name.pid")" 2> /dev/null
  rm -f "$RUN/$name.pid"
done
for cell in one two; do
  as_postgres pg_ctl -D "$RUN/postgres-$cell" -m fast -w stop > /dev/null 2>&1
done
exit 0
