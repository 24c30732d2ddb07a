#!/bin/sh
# Is everything here that `make web` needs? Fetches the standard library for WebAssembly if it is not.
set -eu
cd "$(dirname "$0")/.."

node -e 'const [a, b] = process.versions.node.split(".").map(Number);
         process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null &&
  command -v npm >/dev/null || {
  echo "error: the page of the bench needs Node 20.19 or newer, with npm" >&2
  exit 1
}
. web/toolchain.sh
