"""What a run gives: Polars frames over the core's columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from acklab import _core

if TYPE_CHECKING:
    import polars as pl

    from acklab.scenario import Scenario


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
        """Samples of the senders over time; no rows unless `sample_every` is set."""
        return frame_of(self.columns("series"))

    @cached_property
    def link_series(self) -> pl.DataFrame:
        """Samples of the queues over time; no rows unless `sample_every` is set."""
        return frame_of(self.columns("link_series"))

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
}


def frame_of(columns: dict[str, Any]) -> pl.DataFrame:
    """The core's columns as a frame."""
    import polars as pl

    # Not-a-number stands for "there is none" in the core's columns of floats.
    return pl.DataFrame(columns, nan_to_null=True)
