"""The source of plots: the tables of a run or of a sweep, in memory or in a folder."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from acklab.errors import AcklabError
from acklab.saving import SCENARIO

if TYPE_CHECKING:
    import polars as pl

    from acklab.opening import SavedRun
    from acklab.sweeps.results import SweepResult

#: How each table comes to be recorded, for who finds it missing.
HOW: Mapping[str, str] = {
    "series": 'add `record = { every = "10 ms" }` to the scenario, or run it with --record series',
    "link_series": 'add `record = { every = "10 ms" }` to the scenario, or --record series',
    "events": "add `record = { events = true }` to the scenario, or run it with --record events",
    "acks": "add `record = { acks = true }` to the scenario, or run it with --record acks",
    "packets": "add `record = { packets = true }` to the scenario, or run it with --record packets",
    "ppdus": "add `record = { ppdus = true }` to the scenario, or run it with --record ppdus",
    **dict.fromkeys(
        ("airtime", "stations", "ampdu_sizes"),
        "every run of a scenario with a radio channel, `[wifi]`, has it once something was sent",
    ),
    "runs": "make a sweep: `acklab sweep FILE --grid KEY=V1,V2 --seeds 10 --out DIR`",
}


#: Tables that only runs with a radio channel have.
OF_RADIO = ("ppdus", "airtime", "stations", "ampdu_sizes")
#: The stream of a table that is not called like it.
_STREAM_OF = {"link_series": "series"}


class Recorded(Protocol):
    """Tables by name, and where they come from."""

    @property
    def name(self) -> str:
        """The scenario's name."""

    @property
    def provenance(self) -> str:
        """Run, seeds and version, for the footer."""

    @property
    def recorded(self) -> Sequence[str]:
        """The streams that were recorded, even if nothing happened in them."""

    @property
    def resolved(self) -> str:
        """The whole scenario as TOML; nothing for a sweep, which has one for each cell."""

    @property
    def again(self) -> str:
        """The command that makes it again, given in its folder."""

    @property
    def changes(self) -> Sequence[str]:
        """Keys of the scenario that the command line set, such as `flow.0.cc=bbr3`."""

    def table(self, name: str) -> pl.DataFrame | None:
        """The table `name`, or `None` if it was not recorded or has no rows."""


class InMemory:
    """A result that was just made."""

    def __init__(self, result: Any) -> None:
        self._result = result

    @property
    def name(self) -> str:
        """The scenario's name."""
        return str(self._result.scenario.name)

    @property
    def provenance(self) -> str:
        """Run, seed and version."""
        return f"{self.name} · seed {self._result.seed} · acklab {self._result.version}"

    @property
    def recorded(self) -> Sequence[str]:
        """As the result says."""
        return tuple(self._result.recorded)

    @property
    def resolved(self) -> str:
        """As the scenario says."""
        return str(self._result.scenario.resolved)

    @property
    def again(self) -> str:
        """Of the folder that it may be saved in."""
        return _again(self._result.seed)

    @property
    def changes(self) -> Sequence[str]:
        """A program made it, and the scenario has what it set."""
        return ()

    def table(self, name: str) -> pl.DataFrame | None:
        """A property of the result, if it has rows."""
        if name == "expectations":
            return _expectations(
                [{"text": v.text, "met": v.met} for v in self._result.expectations()]
            )
        try:
            frame = getattr(self._result, name, None)
        except AcklabError:
            # So results answer for tables that were not recorded.
            return None
        return _plain(frame) if frame is not None and len(frame) else None


class Opened:
    """A folder that `acklab run` or `acklab sweep` left."""

    def __init__(self, result: SavedRun | SweepResult) -> None:
        self._result = result
        self._frames: dict[str, pl.DataFrame | None] = {}

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self._result.name

    @property
    def provenance(self) -> str:
        """Run, seeds and version."""
        return f"{self.name} · {_seeds(self._result)} · acklab {self._result.version}"

    @property
    def recorded(self) -> Sequence[str]:
        """As the folder says; a sweep is drawn from its summaries."""
        from acklab.opening import SavedRun

        return self._result.recorded if isinstance(self._result, SavedRun) else ()

    @property
    def resolved(self) -> str:
        """As the folder has it."""
        from acklab.opening import SavedRun

        return self._result.resolved if isinstance(self._result, SavedRun) else ""

    @property
    def changes(self) -> Sequence[str]:
        """Those of the command that made it."""
        from acklab.opening import SavedRun

        if not isinstance(self._result, SavedRun):
            return ()
        try:
            words = shlex.split(self._result.command)
        except ValueError:
            return ()
        given = [value for option, value in pairwise(words) if option == "--set"]
        return [v for v in given if not v.startswith("record.")]

    @property
    def again(self) -> str:
        """Of a sweep, the command that was given."""
        from acklab.opening import SavedRun

        if isinstance(self._result, SavedRun):
            return _again(self._result.seed)
        return self._result.manifest.command

    def table(self, name: str) -> pl.DataFrame | None:
        """A table of the folder; of a sweep's runs, `runs` has one row per flow of each.

        `run_series` has their samples over time, if those were recorded.
        """
        if name not in self._frames:
            frame = self._load(name)
            self._frames[name] = _plain(frame) if frame is not None and len(frame) else None
        return self._frames[name]

    def _load(self, name: str) -> pl.DataFrame | None:
        from acklab.sweeps.results import SweepResult

        if isinstance(self._result, SweepResult):
            tables = {"runs": "flows", "run_series": "series"}
            return self._result.table(tables[name]) if name in tables else None
        if name == "expectations":
            return _expectations([vars(v) for v in self._result.expectations()])
        return self._result.table(name) if name in self._result.tables else None


def _again(seed: int) -> str:
    return f"acklab run {SCENARIO} --seed {seed}"


def _seeds(result: SavedRun | SweepResult) -> str:
    from acklab.sweeps.results import SweepResult

    if not isinstance(result, SweepResult):
        return f"seed {result.seed}"
    seeds = result.manifest.seeds
    count = seeds if isinstance(seeds, int) else len(seeds)
    return f"{count} seed{'s' if count > 1 else ''}"


def _expectations(verdicts: Sequence[Mapping[str, Any]]) -> pl.DataFrame | None:
    import polars as pl

    rows = [
        {"expected": str(v["text"]), "verdict": "met" if v["met"] else "NOT MET"} for v in verdicts
    ]
    return pl.DataFrame(rows) if rows else None


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with words as strings, and times in seconds, whatever they were kept as."""
    import polars as pl
    import polars.selectors as cs

    frame = frame.with_columns(cs.categorical().cast(pl.String), cs.enum().cast(pl.String))
    if "time_s" in frame.columns or "time_ns" not in frame.columns:
        return frame
    return frame.with_columns((pl.col("time_ns") / 1e9).alias("time_s"))


def required(source: Recorded, kind: str, table: str) -> pl.DataFrame:
    """The table, or an error that says how to record it."""
    if table != "runs":
        of_one_run(source, f"the plot {kind}")
    frame = source.table(table)
    if frame is None and table == "runs":
        raise AcklabError(
            f"the plot {kind} is of a sweep, and {source.name} is a single run\n"
            f"  help: {HOW[table]}"
        )
    if frame is None and table in OF_RADIO and source.table("airtime") is None:
        raise AcklabError(
            f"the plot {kind} is of a radio channel, and {source.name} has none: all its links are "
            "wired\n"
            "  help: take a scenario with a radio channel, `[wifi]`, such as the gallery's "
            "wifi-dumbbell"
        )
    if frame is None and _STREAM_OF.get(table, table) in source.recorded:
        raise AcklabError(
            f"the plot {kind} needs the table `{table}`, which was recorded and is empty: "
            f"nothing of the kind happened in {source.name}\n"
            "  help: see the flows' counters, whether anything arrived"
        )
    if frame is None:
        raise AcklabError(
            f"the plot {kind} needs the table `{table}`, which {source.name} has not recorded\n"
            f"  help: {HOW[table]}"
        )
    return frame


def of_one_run(source: Recorded, what: str) -> None:
    """An error if the tables are those of a sweep: many runs over each other show nothing."""
    if source.table("runs") is not None:
        raise AcklabError(
            f"{what} is of one run, and {source.name} is a sweep of many\n"
            "  help: `acklab plot SWEEP heatmap`, or run one cell alone with `acklab run --set`"
        )
