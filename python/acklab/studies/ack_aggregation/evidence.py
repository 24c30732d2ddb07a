"""The study's tables as a claim asks for them: one set-up at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import fmean
from typing import TYPE_CHECKING, Any

from acklab.stats import Estimate
from acklab.studies import runs
from acklab.studies.ack_aggregation.why import AIR, WIRED, Why
from acklab.studies.runs import Runs, Sample

if TYPE_CHECKING:
    import polars as pl

Key = tuple[str, str, int]


@dataclass(frozen=True)
class Evidence:
    """What was measured in every set-up."""

    throughput: Mapping[Key, float]
    retransmissions: Mapping[Key, float]
    fairness: Mapping[Key, Mapping[str, Any]]
    quantities: Mapping[tuple[str, str, int, str], float]
    rates: Mapping[Key, Sequence[tuple[float, float]]]
    #: With the queue at 1:1 and without it: goodputs in Mbit/s, and whether all is identical.
    transparent: Mapping[tuple[str, str], tuple[float, float, bool]] = field(default_factory=dict)
    why: Why = field(default_factory=Why)
    runs: Runs = field(default_factory=Runs)
    #: Over the air, for what is said of both.
    air: Runs = field(default_factory=Runs)
    #: What ns-3's own runs have for a cell of Tables 1 to 3: Mbit/s, or Jain's index of a pair.
    ns3: Mapping[Key, float] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Mapping[str, pl.DataFrame]) -> Evidence:
        """From the study's artefacts."""
        pairs = [*tables["table2"].iter_rows(named=True), *tables["table3"].iter_rows(named=True)]
        mechanism = tables["mechanism"].iter_rows(named=True)
        return cls(
            _values(tables["table1"]),
            _values(tables["fig4"]),
            {(r["stack"], r["pair"], r["ratio"]): r for r in pairs},
            {(r["stack"], r["cc"], r["ratio"], r["quantity"]): r["acklab"] for r in mechanism},
            _lines(tables["fig2"]),
            {
                (r["stack"], r["cc"]): (r["without_mbps"], r["with_mbps"], r["identical"])
                for r in tables["transparent"].iter_rows(named=True)
            },
            Why.of(tables),
            Runs.of(tables, WIRED),
            Runs.of(tables, AIR),
            _references(tables["table1"], "cc")
            | _references(tables["table2"], "pair")
            | _references(tables["table3"], "pair"),
        )

    def view(self, stack: str) -> View:
        """The same of one set-up."""
        return View(self, stack)


@dataclass(frozen=True)
class View:
    """What was measured in one set-up."""

    of: Evidence
    stack: str

    def mbps(self, cc: str, ratio: int) -> float:
        """Average throughput."""
        return self.of.throughput[self.stack, cc, ratio]

    def retx(self, cc: str, ratio: int) -> float:
        """Retransmitted segments."""
        return self.of.retransmissions[self.stack, cc, ratio]

    def jain(self, pair: str, ratio: int) -> float:
        """Jain's index."""
        return float(self.of.fairness[self.stack, pair, ratio]["acklab"])

    def each(self, name: str, key: str, ratio: int) -> Sample:
        """A quantity of `why-runs` or, of a pair, of `why-shares`, by seed."""
        return self.of.runs.at(name, self.stack, key, ratio)

    def mean(self, name: str, key: str, ratio: int) -> float:
        """The same, its mean over seeds; not-a-number without any."""
        return runs.mean(self.each(name, key, ratio))

    def change(self, name: str, key: str, since: int, to: int) -> Estimate:
        """By how much it is more at ratio `to` than at `since`, seed by seed."""
        return runs.minus(self.each(name, key, to), self.each(name, key, since))

    def gain(self, name: str, key: str, since: int, to: int) -> Estimate:
        """The same as a share of what it is at `since`; of the seeds that have some there."""
        return runs.beyond(self.each(name, key, to), self.each(name, key, since))

    def excess(self, name: str, key: str, over: str, ratio: int) -> Estimate:
        """By how much it is more of one controller than of another, seed by seed."""
        return runs.minus(self.each(name, key, ratio), self.each(name, over, ratio))

    def gap(self, pair: str, ratios: Sequence[int]) -> Estimate:
        """Goodput of the pair's first flow less that of the second, mean over `ratios`, Mbit/s."""
        summed = runs.total(self.each("gap_mbps", pair, r) for r in ratios)
        return runs.known({seed: gap / len(ratios) for seed, gap in summed.items()})

    def quantity(self, name: str, cc: str, ratio: int) -> float:
        """A quantity of the table `mechanism`."""
        return self.of.quantities[self.stack, cc, ratio, name]

    def late_rate(self, cc: str, ratio: int) -> float:
        """Mean throughput of the second half."""
        return fmean(self._half(self.of.rates, cc, ratio))

    @property
    def seconds(self) -> float:
        """How long the flows had."""
        return max(line[-1][0] for (at, *_), line in self.of.rates.items() if at == self.stack)

    def time_to(self, share: float, cc: str, ratio: int) -> float:
        """Seconds until the throughput first reaches `share` of its mean later at 1:1.

        Infinite if it never does: a rule about when it is reached has to say so of that.

        The best half second would be no measure: where a hole is repaired, what had been held up
        is acknowledged at once.
        """
        line = self.of.rates[self.stack, cc, ratio]
        goal = share * self.late_rate(cc, 1)
        return next((t for t, v in line if v >= goal), inf)

    def transparent(self, cc: str) -> tuple[float, float, bool]:
        """Goodput without the queue and with it at 1:1, Mbit/s; whether all is identical."""
        return self.of.transparent[self.stack, cc]

    def growth(self, cc: str, ratio: int) -> float:
        """Growth of the window between reductions, packets/s; not-a-number without."""
        return self.of.why.at("window/growth_packets_per_s", self.stack, cc, ratio)

    def untimed(self, cc: str) -> float:
        """Throughput at 16:1 without the queue's timer, Mbit/s."""
        return self.of.why.at("throughput/acked_mbps", f"untimed-{self.stack}", cc, 16)

    def _half(self, lines: Mapping[Key, Sequence[tuple[float, float]]], *key: Any) -> list[float]:
        line = lines[(self.stack, *key)]
        return [v for _, v in line[len(line) // 2 :]]


def _values(frame: pl.DataFrame) -> dict[Key, float]:
    return {(r["stack"], r["cc"], r["ratio"]): r["acklab"] for r in frame.iter_rows(named=True)}


def _references(frame: pl.DataFrame, key: str) -> dict[Key, float]:
    rows = frame.drop_nulls("ns3").iter_rows(named=True)
    return {(r["stack"], r[key], r["ratio"]): r["ns3"] for r in rows}


def _lines(frame: pl.DataFrame) -> dict[Key, list[tuple[float, float]]]:
    lines: dict[Key, list[tuple[float, float]]] = {}
    for stack, cc, ratio, t, v in frame.select(
        "stack", "cc", "ratio", "time_s", "acklab"
    ).iter_rows():
        lines.setdefault((stack, cc, ratio), []).append((t, v))
    return lines
