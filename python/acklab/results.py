"""What a run gives: Polars frames over the core's columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from acklab import _core
from acklab.errors import NotRecordedError

if TYPE_CHECKING:
    import polars as pl

    from acklab.plots.kinds import Plots
    from acklab.scenario import Scenario


#: What a run can record beside its summaries.
STREAMS = ("series", "events", "acks", "delays", "queues", "packets", "ppdus", "frames")


@dataclass(frozen=True)
class Verdict:
    """Whether an expectation of the scenario was met."""

    met: bool
    text: str


class Result:
    """The result of one run; the same scenario and seed give the same result."""

    def __init__(self, scenario: Scenario, seed: int, core: _core.Run) -> None:
        self.scenario = scenario
        self.seed = seed
        self._core = core

    @property
    def version(self) -> str:
        """The version of acklab that made it."""
        return _core.version()

    def columns(self, table: str) -> dict[str, Any]:
        """A table as the core's columns: numbers as arrays, words as lists."""
        return _COLUMNS[table](self._core)

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
        """What the time of each radio channel was used for; it sums to the length of the run."""
        return frame_of(self.columns("airtime"))

    @cached_property
    def ampdu_sizes(self) -> pl.DataFrame:
        """How often each station sent so many MPDUs at once."""
        return frame_of(self.columns("ampdu_sizes"))

    @cached_property
    def events(self) -> pl.DataFrame:
        """What the senders went through; asks for `record.events`."""
        self.needs("events")
        return frame_of(self._core.events())

    @cached_property
    def acks(self) -> pl.DataFrame:
        """Acknowledgements sent, held, merged, dropped, released, received; `record.acks`."""
        self.needs("acks")
        return frame_of(self._core.acks())

    @cached_property
    def reports(self) -> pl.DataFrame:
        """What the receivers of TACK reported and knew; asks for `record.acks`."""
        self.needs("acks")
        return frame_of(self._core.reports())

    @cached_property
    def tack_contents(self) -> pl.DataFrame:
        """Number and frames (JSON) of each packet of TACK that was watched; `record.packets`."""
        self.needs("packets")
        return frame_of(self._core.tack_contents())

    @cached_property
    def packets(self) -> pl.DataFrame:
        """What happened to packets where they were watched; asks for `record.packets`."""
        self.needs("packets")
        return frame_of(self._core.packets())

    @cached_property
    def ppdus(self) -> pl.DataFrame:
        """What was on the air of radio channels, one by one; asks for `record.ppdus`."""
        self.needs("ppdus")
        return frame_of(self.columns("ppdus"))

    @property
    def recorded(self) -> tuple[str, ...]:
        """What was recorded, of `STREAMS`."""
        return tuple(self._core.recorded())

    def needs(self, *streams: str) -> None:
        """Says how to record what is missing of `streams`."""
        missing = [s for s in streams if s not in self.recorded]
        if missing:
            raise NotRecordedError(self.scenario.name, missing)

    @property
    def plot(self) -> Plots:
        """Its named plots: `result.plot.series()`, and so on; see `acklab list plot`."""
        from acklab.plots.kinds import Plots

        return Plots(self)

    @property
    def cost(self) -> dict[str, int]:
        """What the run cost: events, hops and data packets handled, and peaks of memory."""
        return self._core.cost()

    def expectations(self) -> list[Verdict]:
        """The scenario's `[expect]`, held against this run."""
        return [Verdict(met, text) for met, text in self._core.expectations()]

    def __repr__(self) -> str:
        return f"<Result of {self.scenario.name!r}, seed {self.seed}>"


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
