"""The results of a run: Polars frames over the core's columns."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab import _core
from acklab.errors import AcklabError, NotRecordedError

if TYPE_CHECKING:
    import polars as pl

    from acklab.opening import SavedRun
    from acklab.plots.methods import Plots
    from acklab.scenario import Scenario


#: Streams that a run can record beside its summaries.
STREAMS = ("series", "events", "acks", "delays", "queues", "packets", "ppdus", "frames")


@dataclass(frozen=True)
class Verdict:
    """Whether an expectation of the scenario was met."""

    met: bool
    text: str


#: Tables of every run, and those that a recorded stream adds.
TABLES = (
    *("flows", "links", "series", "link_series", "queue_classes"),
    *("stations", "airtime", "ampdu_sizes"),
)
_ADDED = {
    "events": ("events",),
    "acks": ("acks", "reports"),
    "packets": ("packets", "tack_contents"),
    "ppdus": ("ppdus",),
}


@dataclass(frozen=True)
class Kept:
    """The part of a run that a pickle keeps beside the tables."""

    version: str
    made: dict[str, Any]
    recorded: tuple[str, ...]
    cost: dict[str, int]
    expectations: list[tuple[bool, str]]


class Result:
    """The result of one run; the same scenario and seed give the same result."""

    def __init__(self, scenario: Scenario, seed: int, core: _core.Run | Kept) -> None:
        self.scenario = scenario
        self.seed = seed
        self._run = core

    @property
    def _core(self) -> _core.Run:
        """The core's run; a pickle has only its tables."""
        if isinstance(self._run, Kept):
            raise AcklabError(
                f"the result of {self.scenario.name!r} comes from a pickle, which keeps tables and "
                "no packets to export\n"
                "  help: run it again: result.scenario.run(result.seed)"
            )
        return self._run

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self.scenario.name

    @property
    def version(self) -> str:
        """The version of acklab that made it."""
        return self._run.version if isinstance(self._run, Kept) else _core.version()

    @property
    def made(self) -> dict[str, Any]:
        """Its origin: commit, build, wheel, processor (`acklab.made`)."""
        from acklab import made

        return dict(self._run.made if isinstance(self._run, Kept) else made.of_this())

    @property
    def origin(self) -> str:
        """Where it comes from, for exports."""
        return f"simulated by acklab {self.version}, seed {self.seed}"

    @property
    def reference_ms(self) -> float:
        """Time zero in milliseconds since 1970; a simulated run has times of its own."""
        return 0.0

    def saw(self, _flow: str, _node: str) -> bool:
        """Whether that end of the flow was recorded."""
        return True

    def columns(self, table: str) -> dict[str, Any]:
        """A table as the core's columns: numbers as arrays, words as lists."""
        if isinstance(self._run, Kept):
            frame: pl.DataFrame = getattr(self, table)
            return {
                c: frame[c].to_numpy() if frame[c].dtype.is_numeric() else frame[c].to_list()
                for c in frame.columns
            }
        return _COLUMNS[table](self._run)

    @property
    def tables(self) -> list[str]:
        """The names of its tables."""
        return [*TABLES, *(t for s in self.recorded for t in _ADDED.get(s, ()))]

    def table(self, name: str) -> pl.DataFrame:
        """A table by its name."""
        if name not in self.tables:
            for stream, tables in _ADDED.items():
                if name in tables:
                    self.needs(stream)
            raise AcklabError(
                f"a result has no table {name!r}\n  help: there are {', '.join(self.tables)}"
            )
        frame: pl.DataFrame = getattr(self, name)
        return frame

    def to_pandas(self, table: str = "flows") -> Any:
        """A table as a frame of pandas, which `pip install 'acklab[pandas]'` installs."""
        from acklab.pandas_frames import to_pandas

        return to_pandas(self.table(table))

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes a result folder, as `acklab run` does; returns its path."""
        from acklab import arguments, saving
        from acklab.folder import result_folder

        target = arguments.path("Result.save()", "folder", folder)
        with result_folder(target) as scratch:
            saving.save(self, scratch, command=f"acklab.run(..., seed={self.seed}).save(...)")
        return target

    @staticmethod
    def load(folder: str | os.PathLike[str]) -> SavedRun:
        """Opens a folder that `save` or `acklab run` left; its tables are those of a `Result`."""
        from acklab.opening import SavedRun, open

        opened = open(folder)
        if not isinstance(opened, SavedRun):
            raise AcklabError(
                f"{folder} is of a sweep, not of one run\n  help: open it with acklab.open()"
            )
        return opened

    def __copy__(self) -> Result:
        return Result(self.scenario, self.seed, self._run)

    def __deepcopy__(self, _: object) -> Result:
        # It never changes.
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        told = [(v.met, v.text) for v in self.expectations()]
        kept = Kept(self.version, self.made, self.recorded, self.cost, told)
        frames = {name: self.table(name) for name in self.tables}
        return _unpickled, (self.scenario, self.seed, kept, frames)

    def _repr_html_(self) -> str:
        from acklab.shown import run

        return run(self)

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row per flow."""
        return frame_of(self.columns("flows"))

    @cached_property
    def links(self) -> pl.DataFrame:
        """One row per direction of a link."""
        return frame_of(self.columns("links"))

    @cached_property
    def series(self) -> pl.DataFrame:
        """Samples of the senders over time; no rows unless `record.every` is set."""
        return frame_of(self.columns("series"))

    @cached_property
    def link_series(self) -> pl.DataFrame:
        """Samples of the queues over time; no rows unless `record.every` is set."""
        return frame_of(self.columns("link_series"))

    @cached_property
    def stations(self) -> pl.DataFrame:
        """One row per station of a radio channel; none without one."""
        return frame_of(self.columns("stations"))

    @cached_property
    def airtime(self) -> pl.DataFrame:
        """The time of each radio channel by use; it sums to the length of the run."""
        return frame_of(self.columns("airtime"))

    @cached_property
    def ampdu_sizes(self) -> pl.DataFrame:
        """How often each station sent so many MPDUs at once."""
        return frame_of(self.columns("ampdu_sizes"))

    @cached_property
    def queue_classes(self) -> pl.DataFrame:
        """One row per CAKE, tin of it and class of HTB, as `tc -s` prints them."""
        return frame_of(self.columns("queue_classes"))

    @property
    def queues(self) -> list[dict[str, Any]]:
        """One row per CoDel and FQ-CoDel for `tc -s`; none of a result that was opened again."""
        if isinstance(self._run, Kept):
            return []
        return frame_of(self._run.queues()).to_dicts()

    @cached_property
    def events(self) -> pl.DataFrame:
        """The events of the senders; asks for `record.events`."""
        self.needs("events")
        return frame_of(self._core.events())

    @cached_property
    def acks(self) -> pl.DataFrame:
        """Acknowledgements sent, held, merged, dropped, released, received; `record.acks`."""
        self.needs("acks")
        return frame_of(self._core.acks())

    @cached_property
    def reports(self) -> pl.DataFrame:
        """The reports and the knowledge of TACK's receivers; asks for `record.acks`."""
        self.needs("acks")
        return frame_of(self._core.reports())

    @cached_property
    def tack_contents(self) -> pl.DataFrame:
        """Number and frames (JSON) of each packet of TACK that was watched; `record.packets`."""
        self.needs("packets")
        return frame_of(self._core.tack_contents())

    @cached_property
    def packets(self) -> pl.DataFrame:
        """The fate of packets where they were watched; asks for `record.packets`."""
        self.needs("packets")
        return frame_of(self._core.packets())

    @cached_property
    def ppdus(self) -> pl.DataFrame:
        """The transmissions on radio channels, one by one; asks for `record.ppdus`."""
        self.needs("ppdus")
        return frame_of(self.columns("ppdus"))

    @property
    def recorded(self) -> tuple[str, ...]:
        """The recorded streams, of `STREAMS`."""
        run = self._run
        return run.recorded if isinstance(run, Kept) else tuple(run.recorded())

    def needs(self, *streams: str) -> None:
        """Says how to record what is missing of `streams`."""
        missing = [s for s in streams if s not in self.recorded]
        if missing:
            raise NotRecordedError(self.scenario.name, missing)

    @property
    def plot(self) -> Plots:
        """Its named plots: `result.plot.series()`, and so on; see `acklab list plot`."""
        from acklab.plots.methods import Plots

        return Plots(self)

    @property
    def cost(self) -> dict[str, int]:
        """The cost of the run: events, hops and data packets handled, and peaks of memory."""
        return self._run.cost if isinstance(self._run, Kept) else self._run.cost()

    def expectations(self) -> list[Verdict]:
        """The scenario's `[expect]`, held against this run."""
        run = self._run
        told = run.expectations if isinstance(run, Kept) else run.expectations()
        return [Verdict(met, text) for met, text in told]

    def __repr__(self) -> str:
        return f"<Result of {self.scenario.name!r}, seed {self.seed}>"


def _unpickled(
    scenario: Scenario, seed: int, kept: Kept, frames: dict[str, pl.DataFrame]
) -> Result:
    """A result from what a pickle has of it; its tables are there already."""
    made = Result(scenario, seed, kept)
    vars(made).update(frames)
    return made


_COLUMNS: dict[str, Callable[[_core.Run], dict[str, Any]]] = {
    "flows": _core.Run.flows,
    "links": _core.Run.links,
    "series": _core.Run.flow_series,
    "link_series": _core.Run.link_series,
    "packets": _core.Run.packets,
    "stations": _core.Run.stations,
    "airtime": _core.Run.airtime,
    "ampdu_sizes": _core.Run.ampdu_sizes,
    "ppdus": _core.Run.ppdus,
    "queue_classes": _core.Run.queue_classes,
}


#: Whole numbers that some rows lack. An array cannot say so of integers: the core has them as
#: floats, exact up to 2 to the 53rd.
_WHOLE = {
    **dict.fromkeys(
        (
            "acks_seen",
            "acks_passed",
            "acks_dropped",
            "acks_dropped_queued",
            "acks_by_timer",
            "acks_held",
        ),
        "UInt64",
    ),
    **dict.fromkeys(("ts_val", "ts_ecr"), "UInt32"),
    **dict.fromkeys(
        (
            *("pkts_arrived", "bytes_arrived", "way_inds", "way_miss", "way_cols", "ack_drop"),
            *("sp_flows", "bk_flows", "un_flows", "max_len", "ecn_marks"),
            *("level", "prio", "pkts_sent", "bytes_sent", "overlimits", "lended", "borrowed"),
            *("backlog_packets", "quantum_bytes"),
        ),
        "UInt64",
    ),
}


def frame_of(columns: dict[str, Any]) -> pl.DataFrame:
    """The core's columns as a frame."""
    import polars as pl

    # Not-a-number stands for "there is none" in the core's columns of floats.
    frame = pl.DataFrame([_column(n, c) for n, c in columns.items()], nan_to_null=True)
    whole = [n for n in _WHOLE if n in columns and frame[n].dtype == pl.Float64]
    if not whole:
        return frame
    return frame.with_columns(pl.col(n).cast(getattr(pl, _WHOLE[n])) for n in whole)


def _column(name: str, values: Any) -> pl.Series:
    """Numbers, words, words coded as (words, codes), or lists as (ends, numbers)."""
    import numpy as np
    import polars as pl

    if isinstance(values, list):
        # Without rows, or where all are none, Polars cannot see that they are words.
        return pl.Series(name, values, dtype=pl.String)
    if not isinstance(values, tuple):
        return pl.Series(name, values, nan_to_null=True)
    first, second = values
    if isinstance(first, list):
        # No word is coded as -1, which must not count from the end.
        codes = np.where(np.asarray(second) < 0, len(first), second)
        return pl.Series(name, [*first, None], dtype=pl.String).gather(codes)
    return _lists(name, first, second)


def _lists(name: str, ends: Any, flat: Any) -> pl.Series:
    import numpy as np
    import polars as pl

    lengths = np.diff(ends, prepend=0)
    owner = np.repeat(np.arange(len(ends)), lengths)
    some = pl.DataFrame({"row": owner, name: flat}).group_by("row", maintain_order=True).agg(name)
    rows = pl.DataFrame({"row": np.arange(len(ends))})
    return rows.join(some, on="row", how="left")[name].fill_null([])
