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
cargo build -q --locked --release --target "$host"

[ $# -gt 0 ] || set -- $(ls corpus)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for target in "$@"; do
  found="$scratch/$target"
  mkdir -p "$found" "artifacts/$target"
  # This target reads what people write: the gallery.
  [ "$target" != scenario ] || cp ../scenarios/*.toml "$found"
  log="$scratch/$target.log"
  "target/$host/release/$target" -max_total_time="$seconds" -timeout=25 -print_final_stats=1 \
    -artifact_prefix="artifacts/$target/" "$found" "corpus/$target" >"$log" 2>&1 || {
    tail -40 "$log" >&2
    echo "error: the fuzz target $target failed; its input is in fuzz/artifacts/$target" >&2
    exit 1
  }
  # Without coverage libFuzzer goes on with noise and calls that success.
  grep -q ' cov: [1-9]' "$log" || {
    echo "error: the fuzz target $target was not instrumented" >&2
    exit 1
  }
  echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs," \
    "coverage $(grep -o ' cov: [0-9]*' "$log" | tail -1 | tr -dc 0-9)"
done
