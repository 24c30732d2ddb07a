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

from acklab import _core
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


@dataclass(eq=False)
class _Task:
    """A scenario that is run, for one cell or for several that are the same."""

    scenario: Mapping[str, Any]
    seeds: int
    quantities: list[Quantity] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    left: int = 0

    @property
    def identity(self) -> str:
        """The same for the same scenario, seeds and quantities."""
        names = sorted(q.name for q in self.quantities)
        what = json.dumps([self.scenario, self.seeds, names], default=str)
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
    of_groups = _tasks(groups, quantities, effort)
    tasks = list(dict.fromkeys(t for of in of_groups.values() for _, t in of))
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
    return {group: _table(of) for group, of in of_groups.items()}


def how_many(
    groups: Mapping[str, Sequence[Cell]], quantities: Sequence[Quantity], effort: Effort
) -> int:
    """Runs that an effort takes; cells that are the same are run once."""
    of_groups = _tasks(groups, quantities, effort)
    return sum(t.seeds for t in {id(t): t for of in of_groups.values() for _, t in of}.values())


def _tasks(
    groups: Mapping[str, Sequence[Cell]], quantities: Sequence[Quantity], effort: Effort
) -> dict[str, list[tuple[Cell, _Task]]]:
    """The cells of each group with what is run for them, once for cells that are the same."""
    found: dict[str, _Task] = {}
    tasks: dict[str, list[tuple[Cell, _Task]]] = {}
    for group, cells in groups.items():
        own = [q for q in quantities if not q.expression and (not q.groups or group in q.groups)]
        tasks[group] = []
        for cell in cells:
            seeds = min(effort.seeds, cell.seeds or effort.seeds)
            same = json.dumps([cell.scenario, seeds], default=str)
            task = found.setdefault(same, _Task(cell.scenario, seeds, left=seeds))
            task.quantities += [q for q in own if q not in task.quantities]
            tasks[group].append((cell, task))
    return tasks


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


def _table(cells: Sequence[tuple[Cell, _Task]]) -> pl.DataFrame:
    """A group's long table; a quantity's own axis is a column where some quantity has values."""
    import polars as pl

    own = {q.name: q.axis for _, task in cells for q in task.quantities if q.axis is not None}
    axes = dict.fromkeys(axis for cell, _ in cells for axis in cell.keys)
    more = {own[name] for _, task in cells for name, *_ in task.rows if name in own} - {*axes}
    columns = (*axes, *sorted(more), "quantity", "seed", "value")
    table: dict[str, list[Any]] = {name: [] for name in columns}
    for cell, task in cells:
        # In the order of seeds, not in that in which runs ended.
        for name, key, seed, value in sorted(task.rows, key=lambda row: row[2]):
            at: dict[Any, Any] = {**cell.keys, own.get(name): key}
            at |= {"quantity": name, "seed": seed, "value": value}
            for column, values in table.items():
                values.append(at.get(column))
    return pl.DataFrame(table, strict=False)


class Journal:
    """The cells that are finished, a line each; no other file of its folder is kept."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        for other in path.parent.glob("*.jsonl"):
            if other != path:
                other.unlink(missing_ok=True)
        self._lines: dict[str, list[Row]] = {}
        self._file = path.open("a+", encoding="utf-8", errors="replace")
        self._file.seek(0)
        for line in self._file:
            crc, _, text = line.rstrip("\n").partition(" ")
            # A line that a kill cut short, or that was damaged, is run again.
            if crc == _crc(text):
                about = json.loads(text)
                self._lines[about["cell"]] = [tuple(r) for r in about["rows"]]

    def has(self, task: _Task) -> bool:
        """Whether the task is finished; then it has its rows."""
        task.rows = self._lines.get(task.identity, [])
        return task.identity in self._lines

    def add(self, task: _Task) -> None:
        """Keeps a finished task."""
        text = json.dumps({"cell": task.identity, "rows": task.rows})
        self._file.write(f"{_crc(text)} {text}\n")
        self._file.flush()

    def close(self) -> None:
        """No more lines."""
        self._file.close()


def _crc(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"
