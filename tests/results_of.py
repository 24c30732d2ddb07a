"""Results of one core for a folder of cases; `same_results.py` starts it once for each core.

`draw` writes random scenarios that this core reads, `digest` runs every case and writes checksums
of all that comes out, `rows` prints one table of one case. It uses no more of the package than
every version has, so that it works for an old one.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import pickle
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import acklab
from acklab import _core

#: Of what a run cost, not of what it found.
COST = "cost"
#: Runs of one set of workers.
LOT = 40
#: Names of cases are `FILE:VARIANT:SEED`.
RECORDED = "recorded"


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("draw", "digest", "rows"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--case")
    parser.add_argument("--table")
    args = parser.parse_args()
    if args.what == "draw":
        draw(args.folder, args.count, args.seed)
    elif args.what == "digest":
        json.dump(digest(args.folder, args.jobs), sys.stdout)
    else:
        table = tables(run(args.folder, args.case)).get(args.table, {})
        pickle.dump({name: plain(column) for name, column in table.items()}, sys.stdout.buffer)


def draw(folder: Path, count: int, seed: int) -> None:
    """Writes random scenarios of what this core's schema has."""
    from random_scenarios import Scenarios

    scenarios = Scenarios(json.loads(_core.schema()), folder, seed)
    for scenario in scenarios.take(count):
        path = folder / f"{scenario['name']}.json"
        path.write_text(json.dumps(scenario, indent=1))


def digest(folder: Path, jobs: int) -> dict:
    """Checksums of every column of every case, and what it took."""
    cases = json.loads((folder / "cases.json").read_text())
    began = time.monotonic()
    done = []
    # A worker keeps the memory of its largest run: after some runs others take over.
    for at in range(0, len(cases), LOT):
        with ProcessPoolExecutor(jobs) as pool:
            done += pool.map(_one, [(folder, case) for case in cases[at : at + LOT]])
    return {
        "package": str(Path(acklab.__file__).parent),
        "cases": {case: sums for case, (sums, _, _) in zip(cases, done, strict=True)},
        "seconds": time.monotonic() - began,
        "cpu_seconds": sum(cpu for _, cpu, _ in done),
        "slowest": max(zip((cpu for _, cpu, _ in done), cases, strict=True), default=(0, "none")),
        "peak_kib": max((peak for _, _, peak in done), default=0),
    }


def _one(given: tuple[Path, str]) -> tuple[dict, float, int]:
    began = time.process_time()
    try:
        columns = tables(run(*given))
        sums = {t: {c: checksum(v) for c, v in of.items()} for t, of in columns.items()}
    except Exception as e:
        sums = {"error": {"text": f"{type(e).__name__}: {e}"}}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return sums, time.process_time() - began, peak


def run(folder: Path, case: str) -> acklab.Result:
    """Runs a case."""
    file, variant, seed = case.split(":")
    with contextlib.chdir(folder):
        scenario = recorded(file) if variant == RECORDED else acklab.load(file)
        return scenario.run(int(seed))


def recorded(file: str) -> acklab.Scenario:
    """The first seconds of a scenario with all recorded that there is to record."""
    keys = json.loads(_core.schema())["$defs"]["RecordSpec"]["properties"]
    more = {f"record.{key}": True for key in keys if key != "every"}
    # A scenario may say how often itself, by another name, and may expect more time.
    for further in ({"record.every": "50 ms", "duration": "3 s"}, {"duration": "3 s"}, {}):
        with contextlib.suppress(acklab.ScenarioError):
            return acklab.load(file, overrides=more | further)
    return acklab.load(file, overrides=more)


def tables(result: acklab.Result) -> dict[str, dict[str, object]]:
    """Everything that a run gives, by table and column."""
    core = result._core
    found: dict[str, dict[str, object]] = {}
    for name in sorted(n for n in dir(core) if not n.startswith(("_", "write_"))):
        value = getattr(core, name)()
        found[name] = value if isinstance(value, dict) else {name: value}
    found["captures"] = captures(result)
    return found


def captures(result: acklab.Result) -> dict[str, bytes]:
    """The files of packets that a run can write."""
    with tempfile.TemporaryDirectory() as folder:
        streams = result._core.recorded()
        if "packets" in streams:
            result._core.write_pcapng(Path(folder) / "packets", True)
        for channel in result.scenario.channels if "frames" in streams else ():
            result._core.write_monitor(Path(folder) / f"{channel}.monitor", channel)
        return {p.name: p.read_bytes() for p in sorted(Path(folder).iterdir())}


def checksum(column: object) -> str:
    """SHA-256 of a column, its type included."""
    return hashlib.sha256(pickle.dumps(plain(column), protocol=5)).hexdigest()


def plain(column: object) -> object:
    """A column as what pickles to the same bytes whenever it is the same."""
    if hasattr(column, "tobytes"):
        return (column.dtype.str, column.shape, column.tobytes())
    if isinstance(column, (list, tuple)):
        return [plain(c) for c in column]
    # Two equal texts may be one object or two, which pickle would tell apart.
    return column if isinstance(column, (bytes, int, float)) else repr(column)


if __name__ == "__main__":
    main()
