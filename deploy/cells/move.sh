#!/bin/sh
# Moves an organization from one cell to another: ./move.sh <slug> <from> <to>
set -eu
cd "$(dirname "$0")"
. ./settings.sh
export SVC_MOVE_TARGET_URL="$(url_of "$3")"
admin_of "$2" orgs move "$1" --to "$3" --on-served "$PWD/map.sh --only-map"
