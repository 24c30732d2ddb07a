#!/bin/sh
# Are two builds of one commit identical? Builds the page of HEAD in a clone elsewhere, with nothing
# of what was built here, and compares it and the compiled simulator with those that `make web` left.
# `web/twice.sh page` takes the compiled simulator from here and builds the page alone: seconds instead of
# minutes.
set -eu
cd "$(dirname "$0")/.."

page=python/acklab/data/bench/index.html
wasm=web/made/acklab.wasm
for file in "$page" "$wasm"; do
  [ -e "$file" ] || { echo "error: $file is missing: run make web" >&2; exit 1; }
done
changed=$(git status --porcelain -- Cargo.toml Cargo.lock crates web docs/studies python/acklab/data/scenarios)
[ -z "$changed" ] || {
  echo "error: what was built here may not be HEAD, since these files differ from it" >&2
  echo "$changed" >&2
  exit 1
}

away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
# A folder of another depth and name: no path of a machine may be in what is built.
there="$away/some/other/place"
git clone -q . "$there"
# The compiler is not what is compared: one that was unpacked here serves both.
if [ -d target/debian-rust ]; then
  mkdir -p "$there/target"
  ln -s "$PWD/target/debian-rust" "$there/target/debian-rust"
fi
if [ "${1-}" = page ]; then
  mkdir -p "$there/web/made"
  cp "$wasm" "$there/$wasm"
else
  "$there/web/compile.sh"
fi
npm ci --prefix "$there/web" --no-audit --no-fund --silent
npm run --prefix "$there/web" --silent build -- --logLevel warn

for file in "$wasm" "$page"; do
  [ "${1-}" = page ] && [ "$file" = "$wasm" ] && continue
  cmp "$file" "$there/$file" || { echo "error: two builds of $file differ" >&2; exit 1; }
  echo "identical: $(sha256sum "$file")"
done
