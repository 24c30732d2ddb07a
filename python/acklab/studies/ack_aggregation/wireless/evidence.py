"""The tables of the wireless part as a claim asks for them: one set-up at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acklab.stats import Estimate
from acklab.studies import runs
from acklab.studies.ack_aggregation.why import AIR, WIRED, shown
from acklab.studies.ack_aggregation.wireless.cells import AGGREGATIONS, SIZES
from acklab.studies.runs import Runs, Sample

if TYPE_CHECKING:
    import polars as pl

#: A way of aggregating, as in Table 4, or a limit in KB, as in Table 5.
Cell = str | int
GOODPUT = "goodput_mbps"


@dataclass(frozen=True)
class Evidence:
    """By quantity, set-up, controller and cell: mean, and half of the confidence interval."""

    numbers: Mapping[tuple[str, str, str, Cell], tuple[float, float]]
    #: Starts of Vegas within a tick: aggregation, us after it, goodput, smallest RTT.
    starts: Sequence[tuple[str, int, float, float]] = ()
    runs: Runs = field(default_factory=Runs)
    #: Of the wired part, for what is said of both.
    wired: Runs = field(default_factory=Runs)

    @classmethod
    def of(cls, tables: Mapping[str, pl.DataFrame]) -> Evidence:
        """From the study's artefacts."""
        found: dict[tuple[str, str, str, Cell], tuple[float, float]] = {}
        for name, key in (
            ("table5", "kilobytes"),
            ("wifi-sizes", "kilobytes"),
            ("table4", "aggregation"),
            ("wifi-airtime", "aggregation"),
        ):
            for r in tables[name].iter_rows(named=True):
                half = (r["ci_high"] - r["ci_low"]) / 2 if r["ci_high"] is not None else math.nan
                quantity = r.get("quantity", GOODPUT)
                found[quantity, r["stack"], r["cc"], r[key]] = (r["acklab"], half)
        columns = ("aggregation", "start_us", "goodput_mbps", "rtt_min_ms")
        return cls(
            found,
            tables["wifi-vegas"].select(columns).rows(),
            Runs.of(tables, AIR),
            Runs.of(tables, WIRED),
        )

    def view(self, stack: str) -> View:
        """The same of one set-up."""
        return View(self, stack)


@dataclass(frozen=True)
class View:
    """What was measured in one set-up."""

    of: Evidence
    stack: str

    def at(self, quantity: str, cc: str, cell: Cell) -> float:
        """A quantity of `tables.QUANTITIES`, or the goodput."""
        return self.of.numbers[quantity, self.stack, cc, cell][0]

    def mbps(self, cc: str, cell: Cell) -> float:
        """Goodput."""
        return self.at(GOODPUT, cc, cell)

    def each(self, quantity: str, cc: str, cell: Cell) -> Sample:
        """A quantity of `wifi-runs` or `wifi-size-runs`, by seed."""
        return self.of.runs.at(quantity, self.stack, cc, cell)

    def gain(self, cc: str, since: Cell, to: Cell, quantity: str = GOODPUT) -> Estimate:
        """By what share it is more in one cell than in another, seed by seed."""
        return runs.beyond(self.each(quantity, cc, to), self.each(quantity, cc, since))

    def ahead(self, cc: str, other: str, cell: Cell, quantity: str = GOODPUT) -> Estimate:
        """By what share it is more of one controller than of another, seed by seed."""
        return runs.beyond(self.each(quantity, cc, cell), self.each(quantity, other, cell))

    def row(
        self, quantity: str, cc: str, digits: int = 1, cells: Iterable[Cell] = tuple(AGGREGATIONS)
    ) -> str:
        """A quantity without aggregation, with A-MSDU, A-MPDU, both; or over `cells`."""
        return " / ".join(shown(self.at(quantity, cc, c), digits) for c in cells)

    def sizes(self, quantity: str, cc: str, digits: int = 1) -> str:
        """A quantity with limits of 4 to 64 KB."""
        return self.row(quantity, cc, digits, SIZES)
