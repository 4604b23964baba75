#!/bin/sh
# Writes what both cells have into the directory, and the map of HAProxy from it. Run it every minute. With --only-map, leaves out the
# first part: the directory has the names of an organization that "orgs move" has moved.
set -eu
cd "$(dirname "$0")"
. ./settings.sh
if [ "${1:-}" != --only-map ]; then
  for cell in one two; do admin_of $cell cells sync; done
fi
(settings_of one; directory_of map; admin cells map "$RUN/cells.map" --default one)
# HAProxy reads the map again, without an interruption. Its new worker takes over after a moment.
kill -USR2 "$(cat "$RUN/haproxy.pid")"
sleep 1
