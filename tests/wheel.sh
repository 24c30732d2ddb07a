#!/bin/sh
# Builds the wheel, installs it into an environment of its own, and uses it in an empty folder, far from the
# clone: whatever the tool needs must be in the wheel. WHEEL=FILE takes one that is built already, KEEP=FOLDER
# leaves it there.
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
  (cd "$root" && "$maturin" build --release --locked --strip --out "$away/wheel")
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
# The commands and programs of the page for newcomers, in order.
python "$root/tests/walking.py" "$root/docs/getting-started.md"
acklab list scenario >list.txt
acklab run cellular --strict --report
acklab validate ns3-thesis --seeds 1 --out checked
acklab schema >schema.json
if [ -e "$root/python/acklab/data/bench/index.html" ]; then
  "$python" "$root/tests/wheel_bench.py" "$bin/acklab"
fi
for file in out/cellular/report.html out/first/report.html out/aggregation/report.html \
  ratios.pdf out/single-flow-model/model.svg checked/validation.csv schema.json; do
  [ -s "$file" ] || { echo "$file is missing" >&2; exit 1; }
done
if [ -n "${KEEP-}" ]; then
  mkdir -p "$KEEP"
  cp "$away"/wheel/*.whl "$KEEP"
fi
echo "the wheel is whole: $size MB${KEEP:+, in $KEEP}"
