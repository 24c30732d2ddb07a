"""Do two versions of acklab give the same results, to the byte?

    python tests/same_results.py main HEAD

Each of OLD and NEW is a commit, which is compiled here, or a checkout whose core is compiled
already, such as `.`, or a compiled core by itself (`_core.abi3.so`). Both run every scenario of
the gallery, the first seconds of each with all recorded, and random scenarios that OLD reads. All
tables, columns and captures must be equal. Exit code 1 says that something differs; what differs
is printed with the first row in which it does.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pickle
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from results_of import COST, RECORDED

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
KEPT = ROOT / "target" / "same-results"

#: A build that takes a minute: what is optimised across crates makes runs faster, not different.
QUICK = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_DEBUG": "0",
    "CARGO_INCREMENTAL": "1",
    "PYO3_PYTHON": sys.executable,
}


def main() -> int:
    """See the module."""
    args = arguments()
    began = time.monotonic()
    old, new = (package(which, args.target) for which in (args.old, args.new))
    with tempfile.TemporaryDirectory(prefix="same-results-") as made:
        folder = Path(made)
        cases = prepare(old, folder, args)
        print(f"{len(cases)} runs each: {args.old} and {args.new}", flush=True)
        sums = [worker(p, "digest", folder, "--jobs", str(args.jobs)) for p in (old, new)]
        results = [json.loads(s) for s in sums]
        different = tell(results, old, new, folder, args)
    for which, result in zip((args.old, args.new), results, strict=True):
        print(
            f"{which}: {result['seconds']:.0f} s, {result['cpu_seconds']:.0f} s of CPU, "
            f"peak {result['peak_kib'] / 1024:.0f} MiB; "
            f"most for {result['slowest'][1]}, {result['slowest'][0]:.1f} s"
        )
    if args.validate:
        different += validated(old, new)
    print(f"{time.monotonic() - began:.0f} s in all")
    return 1 if different else 0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument(
        "--random", type=int, default=200, metavar="N", help="random scenarios (200)"
    )
    parser.add_argument("--seed", type=int, default=1, help="which random scenarios (1)")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="scenarios with this in their names"
    )
    parser.add_argument(
        "--allow-added",
        action="store_true",
        help="tables and columns that only NEW has are no difference",
    )
    parser.add_argument(
        "--validate", action="store_true", help="compare `acklab validate` too: takes minutes"
    )
    parser.add_argument("--show", type=int, default=10, metavar="N", help="cases to look into (10)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument(
        "--target", type=Path, default=KEPT / "build", help="cargo's target folder for commits"
    )
    return parser.parse_args()


def package(which: str, target: Path) -> Path:
    """The folder that holds the package `acklab`, core included."""
    path = Path(which)
    if path.is_dir():
        found = path.resolve() / "python"
        if not list((found / "acklab").glob("_core*.so")):
            sys.exit(f"error: {which} has no compiled core\n  help: run `make setup` there")
        return found
    if path.is_file():
        return around(path.resolve())
    named = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--verify", "--quiet", f"{which}^{{commit}}"],
        capture_output=True,
        text=True,
    )
    if named.returncode:
        sys.exit(f"error: {which} is no commit, no checkout and no compiled core")
    return compiled(named.stdout.strip(), target)


def around(core: Path) -> Path:
    """A core by itself, in this checkout's Python."""
    folder = KEPT / "cores" / str(abs(hash((str(core), core.stat().st_mtime_ns))))
    packed(ROOT / "python", core, folder)
    return folder


def compiled(commit: str, target: Path) -> Path:
    """The package at a commit; compiled once, in one tree, so that cargo finds most of it again."""
    kept = KEPT / commit
    if kept.exists():
        return kept
    tree = KEPT / "tree"
    if not tree.exists():
        subprocess.run(["git", "clone", "-qns", ROOT, tree], check=True)
    subprocess.run(["git", "-C", tree, "checkout", "-qf", "--detach", commit], check=True)
    print(f"compiling {commit[:12]}", flush=True)
    words = ["cargo", "build", "-q", "--release", "--locked", "-p", "acklab-py"]
    env = {**os.environ, **QUICK}
    subprocess.run([*words, "--target-dir", target.resolve()], cwd=tree, env=env, check=True)
    packed(tree / "python", target / "release" / "lib_core.so", kept)
    return kept


def packed(python: Path, core: Path, folder: Path) -> None:
    """Python's half with a core in it; there when it is complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent))
    shutil.copytree(
        python / "acklab",
        scratch / "acklab",
        ignore=shutil.ignore_patterns("*.so", "__pycache__"),
    )
    shutil.copy(core, scratch / "acklab" / "_core.abi3.so")
    shutil.rmtree(folder, ignore_errors=True)
    scratch.rename(folder)


def prepare(old: Path, folder: Path, args: argparse.Namespace) -> list[str]:
    """Writes all scenarios to the folder, and which runs there are."""
    if args.random:
        worker(old, "draw", folder, "--count", str(args.random), "--seed", str(args.seed))
    drawn = sorted(folder.glob("random-*.json"), key=lambda p: int(p.stem.rpartition("-")[2]))
    cases = []
    for path in sorted((ROOT / "scenarios").glob("*.toml")):
        shutil.copy(path, folder)
        cases += [f"{path.name}:plain:1", f"{path.name}:{RECORDED}:2"]
    shutil.copytree(ROOT / "scenarios" / "traces", folder / "traces", dirs_exist_ok=True)
    cases += [f"{path.name}:plain:{seed}" for path in drawn for seed in (1, 2)]
    cases = [case for case in cases if args.only in case]
    (folder / "cases.json").write_text(json.dumps(cases))
    return cases


def worker(package: Path, *words: object) -> bytes:
    """Runs `results_of.py` with that package."""
    env = {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{HERE}", "RUST_BACKTRACE": "0"}
    done = subprocess.run(
        [sys.executable, HERE / "results_of.py", *map(str, words)], env=env, capture_output=True
    )
    if done.returncode:
        sys.exit(done.stderr.decode(errors="replace"))
    return done.stdout


def tell(results: list, old: Path, new: Path, folder: Path, args: argparse.Namespace) -> int:
    """Prints what differs; how many runs do."""
    for path, result in zip((old, new), results, strict=True):
        if Path(result["package"]).parent != path:
            sys.exit(f"error: {result['package']} was run, not the core in {path}")
    before, after = (r["cases"] for r in results)
    cost = [case for case in before if before[case].get(COST) != after[case].get(COST)]
    failed = [case for case in before if "error" in before[case]]
    found = {case: differences(before[case], after[case], args.allow_added) for case in before}
    found = {case: columns for case, columns in found.items() if columns}
    for shown, (case, columns) in enumerate(found.items()):
        print(f"{case} differs in {', '.join(f'{t}.{c}' for t, c in columns[:8])}", end="")
        print(f" and {len(columns) - 8} more" if len(columns) > 8 else "")
        if shown < args.show:
            print(f"    {first_row(case, columns, (old, new), folder)}", flush=True)
            _keep(folder, case)
    print(f"{len(before) - len(found)} of {len(before)} runs are the same to the byte")
    if failed:
        print(f"{len(failed)} end with an error, such as {failed[0]}: {before[failed[0]]['error']}")
    if cost:
        print(f"{len(cost)} cost another number of events or bytes, such as {cost[0]}")
    return len(found)


def differences(before: dict, after: dict, allow_added: bool) -> list[tuple[str, str]]:
    """Tables and columns that are not equal, or not in both."""
    columns = [
        (t, c) for t in {**before, **after} for c in {**before.get(t, {}), **after.get(t, {})}
    ]
    return [
        (t, c)
        for t, c in columns
        if t != COST
        and before.get(t, {}).get(c) != after.get(t, {}).get(c)
        and not (allow_added and c not in before.get(t, {}))
    ]


def first_row(case: str, columns: list, packages: tuple[Path, Path], folder: Path) -> str:
    """Where the first column that differs does."""
    table, column = columns[0]
    if any(t == "error" for t, _ in columns):
        return "one of them ends with an error, or refuses it: run it by itself"
    read = (worker(p, "rows", folder, "--case", case, "--table", table) for p in packages)
    old, new = (pickle.loads(r) for r in read)
    if column not in old or column not in new:
        return f"{table}.{column} is in {'OLD' if column in old else 'NEW'} only"
    a, b = values(old[column]), values(new[column])
    row = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    shown = [repr(v[row]) if row < len(v) else "nothing" for v in (a, b)]
    return f"{table}.{column}, row {row} of {len(a)} and {len(b)}: {shown[0]} was, {shown[1]} is"


def values(column: object) -> list:
    """A column as one list."""
    if isinstance(column, tuple):
        import numpy as np

        dtype, shape, data = column
        return [v.item() for v in np.frombuffer(data, dtype).reshape(shape).ravel().view(dtype)]
    if isinstance(column, bytes):
        return list(struct.unpack(f"{len(column)}B", column))
    return [v for part in column for v in (values(part) if isinstance(part, tuple) else [part])]


def _keep(folder: Path, case: str) -> None:
    """Leaves a scenario that differs, to be run by itself."""
    kept = KEPT / "different"
    kept.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        shutil.copy(folder / case.split(":")[0], kept)


def validated(*packages: Path) -> int:
    """Compares the tables of `acklab validate`; how many differ."""
    tables = []
    for package in packages:
        with tempfile.TemporaryDirectory() as out:
            env = {**os.environ, "PYTHONPATH": str(package)}
            words = [sys.executable, "-m", "acklab", "validate", "--out", out]
            # It ends with 1 where a cell is off, which does not matter here.
            subprocess.run(words, env=env, cwd=ROOT, stdout=subprocess.DEVNULL)
            tables.append({p.name: p.read_bytes() for p in Path(out).rglob("*.csv")})
    names = sorted(n for n in {*tables[0], *tables[1]} if tables[0].get(n) != tables[1].get(n))
    print(f"acklab validate: {', '.join(names)} differ" if names else "acklab validate: the same")
    return len(names)


if __name__ == "__main__":
    sys.exit(main())
