"""What a sweep is: a scenario, a grid and seeds, and the number of each run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from acklab import _core
from acklab.errors import AcklabError, ScenarioError
from acklab.scenario import SEEDS, checked_seed
from acklab.source import Source
from acklab.sweeps import values
from acklab.sweeps.grid import Grid, build, check_values

#: More runs than this need to be asked for.
LIMIT = 1_000_000
#: Up to this many cells are all checked before the first run; of more, each value once.
CHECKED_CELLS = 500


@dataclass(frozen=True)
class Plan:
    """A sweep before it runs. Run `i` is cell `i // seeds` with seed number `i % seeds`."""

    source: Source
    overrides: tuple[tuple[str, str], ...]
    grid: Grid
    seeds: Sequence[int]

    @cached_property
    def runs(self) -> int:
        """How many runs there are."""
        return self.grid.cells * len(self.seeds)

    def cell(self, run: int) -> int:
        """The cell of a run."""
        return run // len(self.seeds)

    def seed(self, run: int) -> int:
        """The seed of a run."""
        return self.seeds[run % len(self.seeds)]

    def load(self, cell: int) -> _core.Scenario:
        """The scenario of a cell; a mistake in it is told with the cell."""
        return self._load(self.grid.overrides(cell))

    def _load(self, changes: list[tuple[str, str]]) -> _core.Scenario:
        try:
            return self.source.load([*self.overrides, *changes])
        except ScenarioError as e:
            if not changes:
                raise
            at = ", ".join(f"{k} = {v}" for k, v in changes)
            raise ScenarioError(f"{e}\n  in the cell {at}") from None

    def check(self) -> None:
        """Loads cells so that mistakes are told before the first run."""
        if self.grid.cells <= CHECKED_CELLS:
            for cell in range(self.grid.cells):
                self.load(cell)
            return
        first = [0] * len(self.grid.axes)
        for i, axis in enumerate(self.grid.axes):
            for step in range(min(axis.count, CHECKED_CELLS)):
                self._load(self.grid.at([*first[:i], step, *first[i + 1 :]]))

    def command(self, scenario: str) -> str:
        """The command line that makes this sweep of the file `scenario`."""
        words = ["acklab", "sweep", scenario]
        words += [w for k, v in self.overrides for w in ("--set", f"{k}={v}")]
        for axis in self.grid.axes:
            option = "--grid" if len(axis.keys) == 1 else "--zip"
            words += [w for k in axis.keys for w in (option, _argument(k.key, k.name, k.values))]
        return shlex.join([*words, "--seeds", _seeds_argument(self.seeds)])


def plan(
    source: Source,
    grid: Mapping[str, Any],
    zipped: Sequence[Mapping[str, Any]],
    seeds: Any,
    overrides: Sequence[tuple[str, str]],
    limit: int = LIMIT,
) -> Plan:
    """Reads and checks everything; what `source` says under `[sweep]` holds unless it is given."""
    section = _Section.of(source)
    merged = {**section.grid, **grid}
    made = Plan(
        replace(source, sweep=None),
        tuple(overrides),
        build(merged, [*section.zipped, *zipped]),
        read_seeds(section.seeds if seeds is None else seeds),
    )
    _check_size(made, limit)
    check_values(made.grid)
    made.check()
    return made


def read_seeds(given: Any) -> Sequence[int]:
    """`None` is one seed, a number K is 1..K, a list or a range is itself."""
    if given is None:
        return range(1, 2)
    if isinstance(given, str):
        read = values.read("the seeds", given)
        if read.count == 1 and isinstance(read.parts[0], values.Literals):
            number = values.typed(read.at(0))
            return read_seeds(number if isinstance(number, int) else [number])
        if read.count > LIMIT:
            raise AcklabError(f"{read.count:,} seeds are too many to list\n  help: write a number")
        return _unique([checked_seed(values.typed(v)) for v in read])
    if isinstance(given, int) and not isinstance(given, bool):
        if not 1 <= given < SEEDS // 2:
            raise AcklabError(f"there must be at least 1 seed, not {given}")
        return range(1, given + 1)
    if isinstance(given, Sequence | range) and given:
        return _unique([checked_seed(s) for s in given])
    raise AcklabError(f"cannot read the seeds {given!r}\n  help: write 10, 1,5,9 or 5..14")


def _unique(seeds: list[int]) -> Sequence[int]:
    if len(set(seeds)) < len(seeds):
        raise AcklabError("a seed is there twice")
    return seeds


def _check_size(made: Plan, limit: int) -> None:
    if made.runs <= limit:
        return
    raise AcklabError(
        f"the sweep has {made.grid.cells:,} cells, with {len(made.seeds):,} seeds "
        f"{made.runs:,} runs; the limit is {limit:,}\n"
        f"  help: make the grid coarser, or allow it with --limit {made.runs}"
    )


def _argument(key: str, name: str, of: values.Values) -> str:
    text = of.text if of.text is not None else ",".join(map(_quoted, of))
    return f"{key}={text}" if key == name else f"{name}:{key}={text}"


def _quoted(text: str) -> str:
    """A value that came alone, so that it stays one in a list."""
    bare = not any(c in text for c in ",'\"[]{}") and ".." not in text
    return text if bare or text[:1] in "[{\"'" else f'"{text}"'


def _seeds_argument(seeds: Sequence[int]) -> str:
    if isinstance(seeds, range):
        return str(len(seeds))
    return ",".join(map(str, seeds)) if len(seeds) > 1 else f"{seeds[0]}..{seeds[0]}"


@dataclass(frozen=True)
class _Section:
    """`[sweep]` of a scenario file."""

    grid: Mapping[str, Any]
    zipped: Sequence[Mapping[str, Any]]
    seeds: Any

    @classmethod
    def of(cls, source: Source) -> _Section:
        table = dict(source.sweep or {})
        grid, zipped = table.pop("grid", {}), table.pop("zip", [])
        seeds = table.pop("seeds", None)
        table.pop("scenario", None)
        if table:
            raise AcklabError(
                f"unknown key sweep.{next(iter(table))} in {source.origin}\n"
                "  help: [sweep] has scenario, seeds, grid and zip"
            )
        groups = [zipped] if isinstance(zipped, Mapping) else zipped
        tables = [grid, *groups] if isinstance(groups, list) else [None]
        if not all(isinstance(t, Mapping) for t in tables):
            raise AcklabError(
                f"sweep.grid and sweep.zip must be tables in {source.origin}\n"
                '  help: write [sweep.grid] and under it "flow.0.cc" = ["cubic", "bbr3"]'
            )
        return cls(grid, groups, seeds)
