#!/bin/sh
# Writes what both cells have into the directory, and the map of HAProxy from it. Run it every minute.
set -eu
cd "$(dirname "$0")"
. ./settings.sh
for cell in one two; do admin_of $cell cells sync; done
admin_of one cells map "$RUN/cells.map" --default one
# HAProxy reads the map again, without an interruption.
kill -USR2 "$(cat "$RUN/haproxy.pid")"
