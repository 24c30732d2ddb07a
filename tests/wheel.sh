#!/bin/sh
# Builds the wheel, installs it into an environment of its own, and uses it in an empty folder, far from the
# clone: whatever the tool needs must be in the wheel. WHEEL=FILE takes one that is built already.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
maturin=${MATURIN:-maturin}
python=${PYTHON:-python3}
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT

if [ -n "${WHEEL-}" ]; then
  mkdir "$away/wheel"
  cp "$WHEEL" "$away/wheel"
else
  (cd "$root" && "$maturin" build --release --locked --out "$away/wheel")
fi
size=$(du -m "$away"/wheel/*.whl | cut -f1)
[ "$size" -lt 15 ] || { echo "the wheel has $size MB, of at most 15" >&2; exit 1; }
"$python" -m venv "$away/venv"
bin=$away/venv/bin
[ -d "$bin" ] || bin=$away/venv/Scripts
"$bin/python" -m pip install -q "$away"/wheel/*.whl

mkdir "$away/empty"
cd "$away/empty"
# The clone must not help.
unset PYTHONPATH
PATH="$bin:$PATH"
acklab list scenario
acklab run single-flow --strict --report
acklab run cellular --strict
acklab new first.toml
acklab run first.toml --record series
acklab plot out/first series
acklab report out/first
acklab sweep first.toml --grid flow.0.cc=cubic,bbr3 --seeds 2 --out swept
acklab model single-flow
acklab validate ns3-thesis --seeds 1 --out checked
acklab reproduce thinning --quick
acklab schema >schema.json
if [ -e "$root/python/acklab/data/bench/index.html" ]; then
  python -c 'from acklab import bench; bench.page()'
fi
for file in out/single-flow/report.html out/first/report.html out/thinning/report.html \
  out/single-flow-model/model.svg checked/validation.csv schema.json; do
  [ -s "$file" ] || { echo "$file is missing" >&2; exit 1; }
done
echo "the wheel is whole: $size MB"
