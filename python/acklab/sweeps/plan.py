"""A sweep: a scenario, a grid and seeds, and the number of each run."""

from __future__ import annotations

import re
import reprlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from acklab import _core
from acklab.errors import AcklabError, ScenarioError, UsageError
from acklab.scenario import SEEDS, checked_seed
from acklab.source import DEEPEST, Source
from acklab.sweeps import values
from acklab.sweeps.grid import Grid, build, check_values
from acklab.wording import many

#: More runs than this need to be asked for.
LIMIT = 1_000_000
#: Up to this many cells are all checked before the first run; of more, each value once.
CHECKED_CELLS = 500
#: So many different warnings are shown.
MOST_WARNINGS = 5


@dataclass(frozen=True)
class Plan:
    """A sweep before it runs. Run `i` is cell `i // seeds` with seed number `i % seeds`."""

    source: Source
    overrides: tuple[tuple[str, str], ...]
    grid: Grid
    seeds: Sequence[int]
    #: What may not be meant, with the cells that were checked and have it.
    warnings: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False)

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
        """The scenario of a cell; a mistake in it is reported with the cell."""
        return self._load(self.grid.overrides(cell))

    def _load(self, changes: list[tuple[str, str]]) -> _core.Scenario:
        try:
            loaded = self.source.load([*self.overrides, *changes])
            _check_recorded(loaded)
        except ScenarioError as e:
            if not changes:
                raise
            text = _blaming_the_grid(
                str(e), {k for k, _ in changes}, {k for k, _ in self.overrides}
            )
            at = ", ".join(f"{k} = {v}" for k, v in changes)
            raise ScenarioError(f"{text}\n  in the cell {at}") from None
        return loaded

    def check(self) -> dict[str, list[str]]:
        """Loads cells so that mistakes are reported before the first run.

        Returns their warnings, each with the cells that have it.
        """
        if self.grid.cells <= CHECKED_CELLS:
            cells = [self.grid.overrides(cell) for cell in range(self.grid.cells)]
        else:
            first = [0] * len(self.grid.axes)
            cells = [
                self.grid.at([*first[:i], step, *first[i + 1 :]])
                for i, axis in enumerate(self.grid.axes)
                for step in range(min(axis.count, CHECKED_CELLS))
            ]
        found: dict[str, list[str]] = {}
        for changes in cells:
            for warning in self._load(changes).warnings:
                found.setdefault(warning, []).append(", ".join(f"{k} = {v}" for k, v in changes))
        return found

    def told(self) -> list[str]:
        """The warnings as a reader sees them, with the cells that they are about."""
        every = min(self.grid.cells, CHECKED_CELLS)
        # Those that differ in numbers only are one.
        alike: dict[str, tuple[str, list[str]]] = {}
        for warning, cells in self.warnings.items():
            kind = re.sub(r"\d+(\.\d+)?", "0", warning)
            alike.setdefault(kind, (warning, []))[1].extend(cells)
        lines = []
        for warning, cells in [*alike.values()][:MOST_WARNINGS]:
            where = ""
            if len(cells) < every:
                count = f"{len(cells)} cells, the first" if len(cells) > 1 else "the cell"
                where = f"\n  in {count}: {cells[0]}"
            lines.append(f"{warning}{where}")
        if (more := len(alike) - MOST_WARNINGS) > 0:
            lines.append(f"warning: there are {more} more kinds of warnings")
        return lines

    def command(self, scenario: str) -> str:
        """The command line that makes this sweep of the file `scenario`."""
        words = ["acklab", "sweep", scenario]
        words += [w for k, v in self.overrides for w in ("--set", f"{k}={v}")]
        for axis in self.grid.axes:
            option = "--grid" if len(axis.keys) == 1 else "--zip"
            words += [w for k in axis.keys for w in (option, _argument(k.key, k.name, k.values))]
        return shlex.join([*words, "--seeds", _seeds_argument(self.seeds)])


#: A line of a message that names a value given from outside.
_OUTSIDE = re.compile(r"^  (in|because of) --set: (.+?)(?= = |$)", re.MULTILINE)


def _blaming_the_grid(text: str, grid: set[str], overrides: set[str]) -> str:
    """The text of a mistake, with keys that the grid gave laid at its door."""

    def whose(found: re.Match[str]) -> str:
        # A key makes the tables around it, and a table the keys in it.
        near = [k for k in grid | overrides if _within(k, found[2]) or _within(found[2], k)]
        of_grid = near and all(k in grid for k in near)
        return f"  {found[1]} the grid: {found[2]}" if of_grid else found[0]

    return _OUTSIDE.sub(whose, text)


def _within(inner: str, outer: str) -> bool:
    return inner == outer or inner.startswith(outer + ".")


#: Streams of single events; a data set over many runs has no place for them.
_SINGLE = ("events", "acks", "packets", "ppdus", "frames")


def _check_recorded(scenario: _core.Scenario) -> None:
    """Refuses what would be recorded at a cost and then thrown away."""
    lost = [s for s in scenario.recorded if s in _SINGLE]
    if lost:
        off = " ".join(f"--set record.{s}=false" for s in lost)
        raise ScenarioError(
            f"a sweep does not keep {' and '.join(lost)}: only flows, links and their series\n"
            f"  help: leave them out with {off}, and run the cell that you want to look into alone "
            "with `acklab run --set ... --record all`"
        )


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
        _built(source, section, merged, [*section.zipped, *zipped], bool(grid or any(zipped))),
        section.read_seeds(source) if seeds is None else read_seeds(seeds),
    )
    _check_size(made, limit)
    check_values(made.grid)
    return replace(made, warnings=made.check())


def _built(
    source: Source,
    section: _Section,
    grid: Mapping[str, Any],
    zipped: Sequence[Mapping[str, Any]],
    from_outside: bool,
) -> Grid:
    """The grid; a mistake in one that the file alone gives is reported with its place."""
    try:
        return build(grid, zipped)
    except AcklabError as e:
        if from_outside or not (section.grid or section.zipped):
            raise
        first, _, rest = str(e).partition("\n")
        place = source.place_in_sweep("grid" if section.grid else "zip")
        raise AcklabError(f"{first}\n  in {place}\n{rest}") from None


def read_seeds(given: Any) -> Sequence[int]:
    """`None` is one seed, a number K is 1..K, a list or a range is itself."""
    if given is None:
        return range(1, 2)
    if isinstance(given, str):
        try:
            read = values.read("the seeds", given)
        except AcklabError as e:
            first = str(e).partition("\n")[0]
            raise UsageError(f"{first}\n  help: write {_SEEDS}") from None
        if read.count == 1 and isinstance(read.parts[0], values.Literals):
            number = values.typed(read.at(0))
            if not isinstance(number, int) or isinstance(number, bool):
                raise _unreadable(given)
            return read_seeds(number)
        if read.count > LIMIT:
            raise UsageError(f"{read.count:,} seeds are too many to list\n  help: write a number")
        return _unique([checked_seed(values.typed(v)) for v in read])
    if isinstance(given, int) and not isinstance(given, bool):
        if given < 1:
            raise UsageError(f"there must be at least 1 seed, not {given}\n  help: write {_SEEDS}")
        if given >= SEEDS // 2:
            raise UsageError(
                f"{given} seeds are too many\n  help: a number is how many seeds there are; seeds "
                f"themselves are written 5..14 or 1,5,9 and are {SEEDS - 1} at most"
            )
        return range(1, given + 1)
    if isinstance(given, Sequence | range) and given:
        return _unique([checked_seed(s) for s in given])
    raise _unreadable(given)


def _unreadable(given: object) -> AcklabError:
    shown = reprlib.repr(given)
    return UsageError(f"cannot read the seeds {shown}\n  help: write {_SEEDS}")


_SEEDS = "how many, such as 10, or which: 1,5,9 or 5..14"


def _unique(seeds: list[int]) -> Sequence[int]:
    if len(set(seeds)) < len(seeds):
        twice = next(s for s in seeds if seeds.count(s) > 1)
        raise UsageError(f"the seed {twice} is there twice\n  help: give each seed once")
    return seeds


def _check_size(made: Plan, limit: int) -> None:
    if made.runs <= limit:
        return
    raise AcklabError(
        f"the sweep has {many(made.grid.cells, 'cell')} and {many(len(made.seeds), 'seed')}: "
        f"{many(made.runs, 'run')}; the limit is {limit:,}\n"
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


def _check_quoted(source: Source, key: str, values: object) -> None:
    """Refuses a key without quotes, which TOML takes for tables within each other."""
    words, inner = [key], values
    # A mapping from Python may contain itself.
    while isinstance(inner, Mapping) and len(inner) == 1 and len(words) <= DEEPEST:
        [(word, inner)] = inner.items()
        words.append(word)
    if len(words) > 1 and isinstance(inner, list):
        raise AcklabError(
            f"the grid's key {'.'.join(words)} is not in quotes\n"
            f"  in {source.place_in_sweep(key)}\n"
            f'  help: dots make tables in TOML; write "{".".join(words)}" = [...]'
        )


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
                f"unknown key sweep.{next(iter(table))}\n"
                f"  in {source.place_in_sweep(next(iter(table)))}\n"
                "  help: [sweep] has scenario, seeds, grid and zip"
            )
        groups = [zipped] if isinstance(zipped, Mapping) else zipped
        tables = [grid, *groups] if isinstance(groups, list) else [None]
        if not all(isinstance(t, Mapping) for t in tables):
            raise AcklabError(
                f"sweep.grid and sweep.zip must be tables\n  in {source.place_in_sweep('grid')}\n"
                '  help: write [sweep.grid] and under it "flow.0.cc" = ["cubic", "bbr3"]'
            )
        for key, given in [*grid.items(), *(pair for g in groups for pair in g.items())]:
            _check_quoted(source, key, given)
        return cls(grid, groups, seeds)

    def read_seeds(self, source: Source) -> Sequence[int]:
        """The seeds that the file names; a mistake is reported with its place."""
        try:
            return read_seeds(self.seeds)
        except AcklabError as e:
            first, _, rest = str(e).partition("\n")
            place = source.place_in_sweep("seeds")
            raise AcklabError(f"{first}\n  in {place}\n{rest}") from None
