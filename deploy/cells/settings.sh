# What the scripts of this example share.
ROOT=$(cd ../.. && pwd)
RUN=${CELLS_DIR:-/tmp/svc-findings-cells}
PATH=$PATH:/usr/sbin:$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | tail -1)
PASSWORD_FILE=$(pwd)/password.txt
PASSWORD=$(cat password.txt)
# initdb refuses to run as root.
PG_USER=$(if [ "$(id -u)" = 0 ]; then echo postgres; else id -un; fi)

as_postgres() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups env "PATH=$PATH" "$@"; else "$@"; fi
}

port_of() { if [ "$1" = one ]; then echo 5501; else echo 5502; fi; }
url_of() { echo "postgres://postgres:$PASSWORD@127.0.0.1:$(port_of "$1")/${2:-findings}"; }
sql() { cell=$1; shift; psql "$(url_of "$cell" postgres)" -v ON_ERROR_STOP=1 "$@"; }

# The environment of the servers and commands of a cell. All cells have the same secrets.
settings_of() {
  export DATABASE_URL="$(url_of "$1")" SVC_CELL="$1"
  directory_of "$1"
  export SVC_BASE_DOMAIN=cells.localhost SVC_PUBLIC_URL=http://cells.localhost:8000 SVC_TRUST_PROXY=on SVC_HOST=127.0.0.1
  export SVC_PORT=$(if [ "$1" = one ]; then echo 8081; else echo 8082; fi)
  export JWT_SECRET='an example on loopback only, of 32 bytes or more' SVC_ENCRYPTION_KEY='another example on loopback, of 32 bytes'
}
# Sets SVC_CELLS_URL to the directory as a role: "one", "two" or "map".
directory_of() { . "$RUN/directory-$1.env"; export SVC_CELLS_URL; }
admin() { (cd "$RUN"; node --enable-source-maps "$ROOT/dist/admin.js" "$@"); }
admin_of() { (settings_of "$1"; shift; admin "$@"); }
