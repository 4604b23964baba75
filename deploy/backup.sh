#!/bin/sh
# Dumps the database of DATABASE_URL into BACKUP_DIR, checks that the dump can be read, and removes dumps older than
# BACKUP_DAYS. With BACKUP_METRICS, a directory of node_exporter's textfile collector, Prometheus knows when it last succeeded.
# docs/backup.md describes it.
set -eu
umask 077
dir="${BACKUP_DIR:-/var/backups/svc-findings}"
file="$dir/findings-$(date -u +%Y%m%dT%H%M%SZ).dump"
# Other users can read the arguments of a process, and not its environment.
PGPASSWORD=$(node -p 'decodeURIComponent(new URL(process.env.DATABASE_URL).password)')
export PGPASSWORD
url=$(node -p 'const url = new URL(process.env.DATABASE_URL); url.password = ""; url.href')

mkdir -p "$dir"
trap 'rm -f "$file.part"' EXIT
pg_dump --dbname="$url" --format=custom --file="$file.part"
pg_restore --list "$file.part" > /dev/null
mv "$file.part" "$file"
find "$dir" -name 'findings-*.dump' -mtime +"${BACKUP_DAYS:-14}" -exec rm {} +

if [ -n "${BACKUP_METRICS:-}" ]; then
  metrics="$BACKUP_METRICS/svc-findings-backup.prom"
  printf '# TYPE svc_backup_last_success_timestamp_seconds gauge\nsvc_backup_last_success_timestamp_seconds %s\n' \
    "$(date +%s)" > "$metrics.part"
  chmod 644 "$metrics.part"
  mv "$metrics.part" "$metrics"
fi
