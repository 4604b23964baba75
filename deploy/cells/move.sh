#!/bin/sh
# Moves an organization from one cell to another: ./move.sh <slug> <from> <to>
set -eu
cd "$(dirname "$0")"
exec ./admin.sh "$2" "$3" orgs move "$1" --to "$3" --on-served "$PWD/map.sh --only-map"
