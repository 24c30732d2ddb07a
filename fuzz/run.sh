#!/bin/sh
# Runs each fuzz target for some seconds from its corpus: fuzz/run.sh [SECONDS [TARGET...]].
# Stable Rust instruments for coverage, too; only the address sanitizer needs nightly, and the core has no
# unsafe code. What makes a target fail is left in artifacts/TARGET.
set -eu
cd "$(dirname "$0")"

seconds=${1:-5}
[ $# -gt 0 ] && shift
command -v c++ >/dev/null || {
  echo "error: libFuzzer is C++, and there is no compiler for it (c++)" >&2
  echo "  help: install one, such as g++" >&2
  exit 1
}

host=$(rustc -vV | sed -n 's/^host: //p')
# What cargo-fuzz asks of the compiler. With --target none of it reaches build scripts.
RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=4 -Cdebug-assertions=on
  -Cllvm-args=-sanitizer-coverage-level=4
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
  -Cllvm-args=-sanitizer-coverage-pc-table
  -Cllvm-args=-sanitizer-coverage-trace-compares"
export RUSTFLAGS
# There is a program for each target: optimising across crates would be done anew for each.
export CARGO_PROFILE_RELEASE_LTO=off
cargo build -q --locked --release --target "$host"

[ $# -gt 0 ] || set -- $(ls corpus)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A target has one thread: as many run at once as there are cores.
export seconds host scratch
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} ./target.sh {}
