#!/bin/sh
# Pins every image of docker-compose.yml, .gitlab-ci.yml and the Dockerfiles by digest: `name:tag` becomes `name:tag@sha256:…`. Run it before
# a release, and again to move pinned images to what their tags name now. Needs Docker with buildx, and the registries.
# With --check it only lists the images that are not pinned, and fails when there is one.
set -eu
cd "$(dirname "$0")/.."
files='docker-compose.yml .gitlab-ci.yml Dockerfile deploy/pgbouncer/Dockerfile'

# Images as they are written, without those that are built here, and those whose version is a variable.
images=$(sed -nE 's/^ *(image:|FROM) +([^ ]+).*/\2/p' $files | grep -v '^svc-findings:\|[$]' | sort -u)

if [ "${1-}" = --check ]; then
  loose=$(printf '%s\n' "$images" | grep -v '@sha256:' || true)
  [ -z "$loose" ] && exit 0
  printf 'not pinned by digest:\n%s\n' "$loose" >&2
  exit 1
fi

for image in $images; do
  name=${image%%@*}
  digest=$(docker buildx imagetools inspect "$name" --format '{{.Manifest.Digest}}')
  if ! printf '%s' "$digest" | grep -Eq '^sha256:[0-9a-f]{64}$'; then
    echo "$name: no digest ($digest)" >&2
    exit 1
  fi
  for file in $files; do
    # Replaces the whole word only: postgres:18 is not a part of postgres:18-trixie.
    awk -v from="$image" -v to="$name@$digest" '
      /^ *(image:|FROM) / { for (i = 1; i <= NF; i++) if ($i == from) { at = index($0, from); $0 = substr($0, 1, at - 1) to substr($0, at + length(from)); break } }
      { print }' "$file" > "$file.pinned"
    cat "$file.pinned" > "$file"
    rm "$file.pinned"
  done
  echo "$name@$digest"
done
