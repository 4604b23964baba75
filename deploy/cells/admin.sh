#!/bin/sh
# Runs an administration command in a cell: ./admin.sh <cell> <other cell> <command>, such as ./admin.sh one two orgs moves
set -eu
cd "$(dirname "$0")"
. ./settings.sh
cell=$1
export SVC_MOVE_TARGET_URL="$(url_of "$2")"
shift 2
admin_of "$cell" "$@"
