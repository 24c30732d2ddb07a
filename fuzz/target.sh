#!/bin/sh
# Runs one fuzz target that is compiled; `run.sh` starts it with $seconds, $host and $scratch.
set -eu
target=$1
found="$scratch/$target"
mkdir -p "$found" "artifacts/$target"
# This target reads what people write: the gallery.
[ "$target" != scenario ] || cp ../scenarios/*.toml "$found"
log="$scratch/$target.log"
"target/$host/release/$target" -max_total_time="$seconds" -timeout=25 -print_final_stats=1 \
  -artifact_prefix="artifacts/$target/" "$found" "corpus/$target" >"$log" 2>&1 || {
  tail -40 "$log" >&2
  echo "error: the fuzz target $target failed; its input is in fuzz/artifacts/$target" >&2
  # No further target starts.
  exit 255
}
# Without coverage libFuzzer goes on with noise and calls that success.
grep -q ' cov: [1-9]' "$log" || {
  echo "error: the fuzz target $target was not instrumented" >&2
  exit 255
}
echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs," \
  "coverage $(grep -o ' cov: [0-9]*' "$log" | tail -1 | tr -dc 0-9)"
