"""Running a study: each run is reduced to its quantities as soon as it ends.

Nothing of a run is kept but the numbers that the study asks for, so memory does not grow with the
number of runs, and at most two runs per thread wait to be reduced. Cells that are the same scenario
with the same seeds are run once, whichever groups they are in. A finished cell is a line of a
journal with a checksum; after a stop only the cells without a line are run.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import _core, code
from acklab.arrays import ready
from acklab.errors import AcklabError, ControllerError
from acklab.holding import all_held
from acklab.results import Result
from acklab.scenario import Scenario, blame
from acklab.scenario import load as load_scenario
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.study import Cell, Effort

if TYPE_CHECKING:
    import polars as pl

#: Told how many runs are done, and how many there are.
Tell = Callable[[int, int], object]
#: A value of a run: quantity, key on the quantity's own axis, seed, value.
Row = tuple[str, Any, int, float]


@dataclass
class _Task:
    """A scenario that is run, for one cell or for several that are the same."""

    scenario: Mapping[str, Any]
    seeds: int
    quantities: list[Quantity] = field(default_factory=list)
    #: A digest of what the quantities are written in.
    code: str = ""
    #: The cells that it is: group and keys.
    places: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    left: int = 0

    @property
    def identity(self) -> str:
        """The same for the same scenario, seeds and quantities, as they are written now."""
        names = sorted(q.name for q in self.quantities)
        what = json.dumps([self.scenario, self.seeds, names, self.code], default=str)
        return hashlib.sha256(what.encode()).hexdigest()[:24]


def run(
    groups: Mapping[str, Sequence[Cell]],
    quantities: Sequence[Quantity],
    effort: Effort,
    journal: Path,
    jobs: int | None = None,
    tell: Tell | None = None,
) -> dict[str, pl.DataFrame]:
    """A long table for each group: its axes, `quantity`, `seed`, `value`."""
    tasks = _tasks(groups, quantities, effort)
    total = sum(t.seeds for t in tasks)
    kept = Journal(journal)
    todo = [t for t in tasks if not kept.has(t)]
    done = total - sum(t.seeds for t in todo)

    def ended(task: _Task) -> None:
        nonlocal done
        done += 1
        task.left -= 1
        if task.left == 0:
            kept.add(task)
        if tell is not None:
            tell(done, total)

    try:
        _run(todo, jobs or os.cpu_count() or 1, ended)
    finally:
        kept.close()
    return _tables(groups, tasks)


def _tasks(
    groups: Mapping[str, Sequence[Cell]], quantities: Sequence[Quantity], effort: Effort
) -> list[_Task]:
    found: dict[str, _Task] = {}
    code = _written(quantities)
    for group, cells in groups.items():
        own = [q for q in quantities if not q.expression and (not q.groups or group in q.groups)]
        for cell in cells:
            seeds = min(effort.seeds, cell.seeds or effort.seeds)
            same = json.dumps([cell.scenario, seeds], default=str)
            task = found.setdefault(same, _Task(cell.scenario, seeds, code=code))
            task.places.append((group, cell.keys))
            task.quantities += [q for q in own if q not in task.quantities]
            task.left = seeds
    return list(found.values())


def _written(quantities: Sequence[Quantity]) -> str:
    """A digest of the files that quantities are written in and of their neighbours. A study may
    be anywhere, also where no digest of acklab's own code reaches."""
    codes = (getattr(q.of, "__code__", None) for q in quantities if not q.expression)
    files = {Path(code.co_filename) for code in codes if code is not None}
    folders = {path.parent for path in files if path.is_file()}
    digest = hashlib.sha256()
    for path in sorted(p for folder in folders for p in folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _run(tasks: Sequence[_Task], jobs: int, ended: Callable[[_Task], None]) -> None:
    """Does the runs on `jobs` threads and reduces each as it ends, on this one."""
    running: dict[int, tuple[_Task, Scenario, int]] = {}

    def jobs_to_do() -> Iterator[tuple[_core.Scenario, int]]:
        number = 0
        for task in tasks:
            scenario = load_scenario(task.scenario)
            for seed in range(1, task.seeds + 1):
                running[number] = (task, scenario, seed)
                number += 1
                yield scenario._core, seed

    def on_run(i: int, core: _core.Run) -> None:
        task, scenario, seed = running.pop(i)
        with all_held():
            task.rows += reduced(Result(scenario, seed, core), task.quantities, seed)
            ended(task)

    ready()
    try:
        _core.run_stream(jobs_to_do(), jobs, on_run)
    except _core.ControllerRaised as e:
        raise ControllerError(blame(e.__cause__)) from e.__cause__


def reduced(result: Result, quantities: Sequence[Quantity], seed: int) -> list[Row]:
    """A run's numbers; a quantity that has none has no row."""
    rows: list[Row] = []
    for q in quantities:
        try:
            value = q.of(result)
        except Exception as e:
            raise AcklabError(
                f"the quantity {q.name!r} of the run {result.scenario.name!r}, seed {seed}, "
                f"raised {type(e).__name__}: {e}"
            ) from e
        if value is None:
            continue
        if q.axis is not None:
            rows += [(q.name, key, seed, float(v)) for key, v in value.items() if v == v]
        elif value == value:
            rows.append((q.name, None, seed, float(value)))
    return rows


def _tables(
    groups: Mapping[str, Sequence[Cell]], tasks: Sequence[_Task]
) -> dict[str, pl.DataFrame]:
    import polars as pl

    axis_of = {q.name: q.axis for t in tasks for q in t.quantities}
    own_axes = {a for a in axis_of.values() if a is not None}
    columns: dict[str, dict[str, list[Any]]] = {}
    places = {
        (group, json.dumps(keys, sort_keys=True, default=str)): t
        for t in tasks
        for group, keys in t.places
    }
    for group, cells in groups.items():
        axes = list(dict.fromkeys(a for c in cells for a in c.keys))
        names = (*axes, *sorted(own_axes), "quantity", "seed", "value")
        table: dict[str, list[Any]] = {n: [] for n in names}
        for cell in cells:
            task = places[group, json.dumps(cell.keys, sort_keys=True, default=str)]
            # In the order of seeds, not in that in which runs ended.
            for name, key, seed, value in sorted(task.rows, key=lambda r: r[2]):
                for a in axes:
                    table[a].append(cell.keys.get(a))
                for a in own_axes:
                    table[a].append(key if axis_of[name] == a else None)
                table["quantity"].append(name)
                table["seed"].append(seed)
                table["value"].append(value)
        columns[group] = {
            n: v for n, v in table.items() if n not in own_axes or any(x is not None for x in v)
        }
    return {group: pl.DataFrame(of, strict=False) for group, of in columns.items()}


class Journal:
    """The cells that are finished, a line each."""

    def __init__(self, path: Path) -> None:
        # Another build of acklab never takes these numbers for its own. A study that was changed
        # does not either: its cells and quantities are in what a line is called.
        self._path = path.with_name(f"{path.name}-{code.of_everything()}.jsonl")
        for other in path.parent.glob(f"{path.name}-*.jsonl"):
            if other != self._path:
                other.unlink(missing_ok=True)
        self._lines = dict(self._read())
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a", encoding="utf-8")

    def _read(self) -> Iterator[tuple[str, list[Row]]]:
        """The whole lines; one that a kill cut short, or that was damaged, is run again."""
        if not self._path.exists():
            return
        for line in self._path.read_text(encoding="utf-8", errors="replace").splitlines():
            crc, _, text = line.partition(" ")
            if crc == _crc(text):
                about = json.loads(text)
                yield about["cell"], [tuple(r) for r in about["rows"]]

    def has(self, task: _Task) -> bool:
        """Whether the task is finished; then it has its rows."""
        rows = self._lines.get(task.identity)
        if rows is not None:
            task.rows = rows
        return rows is not None

    def add(self, task: _Task) -> None:
        """Keeps a finished task."""
        text = json.dumps({"cell": task.identity, "rows": task.rows})
        self._file.write(f"{_crc(text)} {text}\n")
        self._file.flush()

    def close(self) -> None:
        """No more lines."""
        self._file.close()

    def drop(self) -> None:
        """Removes it, once what it is for is written."""
        self._path.unlink(missing_ok=True)


def _crc(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"
