"""A scenario simulated and live, laid over each other."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING, Any

from acklab.scenario import SEEDS as SCENARIO_SEEDS
from acklab.scenario import Scenario, run_many
from acklab.twin import live

if TYPE_CHECKING:
    from pathlib import Path

    from acklab.plots.style import Format
    from acklab.results import Result


#: Simulated runs: a live run draws random numbers of its own, so that one seed is not enough.
SEEDS = 8


@dataclass(frozen=True)
class Line:
    """A metric of a flow, simulated and live."""

    flow: str
    metric: str
    unit: str
    #: Of each seed.
    simulations: Sequence[float]
    live: float

    @property
    def simulated(self) -> float:
        """The median over the seeds."""
        return median(self.simulations)

    @property
    def least(self) -> float:
        """The least over the seeds."""
        return min(self.simulations)

    @property
    def most(self) -> float:
        """The greatest over the seeds."""
        return max(self.simulations)

    @property
    def difference(self) -> float:
        """Of live from simulated, relative to simulated; to one where that is 0."""
        return (self.live - self.simulated) / (abs(self.simulated) or 1.0)


@dataclass(frozen=True)
class Twin:
    """The simulated runs and the live one, and what they have in common."""

    #: Of the first seed.
    result: Result
    ran: live.Ran
    lines: Sequence[Line]


def twin(
    scenario: Scenario, seed: int, progress: Callable[[int, int], None] = lambda _done, _of: None
) -> Twin:
    """Simulates a scenario with some seeds, runs it live for as long as it lasts, and compares.

    Args:
        scenario: with a time series, and flows that are endless and speak TACK.
        seed: the first of `SEEDS` seeds of the simulation, and the seed of the live network.
        progress: is told tenths of seconds of the live run.

    Raises:
        AcklabError: if a flow cannot run live.
    """
    live.check(scenario)
    resolved = tomllib.loads(scenario.resolved)
    begin = live.seconds(resolved.get("start", "0 s"))
    warm = begin + live.seconds(resolved.get("warmup", "0 s"))
    stop = begin + live.seconds(resolved["duration"])
    # Live endpoints send in bursts and leave room for a late driver: those simulated do the same.
    alike = Scenario(scenario._core.as_live())
    results = run_many([(alike, (seed + i) % SCENARIO_SEEDS) for i in range(SEEDS)])
    rows = [r.flows.to_dicts() for r in results]
    # The simulator has drawn the starts.
    ways = [live.Flow(row["flow"], row["start_s"]) for row in rows[0]]
    ran = live.run(scenario, ways, stop, seed, progress)
    lines = []
    for number, way in enumerate(ways):
        if samples := ran.samples.get(way.name):
            lines += _lines(way.name, [r[number] for r in rows], samples, begin, warm)
    return Twin(results[0], ran, lines)


def _lines(
    name: str,
    rows: Sequence[dict[str, Any]],
    samples: Sequence[live.Sample],
    begin: float,
    warm: float,
) -> list[Line]:
    last = samples[-1]
    sender, receiver = last.sender, last.receiver
    srtt = median([s.sender["srtt_ms"] for s in samples if s.time >= warm] or [0.0])

    def line(metric: str, unit: str, of: Callable[[dict[str, Any]], float], live_: float) -> Line:
        return Line(name, metric, unit, [float(of(row)) for row in rows], float(live_))

    return [
        line("goodput", "Mbit/s", itemgetter("goodput_mbps"), _goodput(samples, begin)),
        line("data packets", "", itemgetter("data_segments"), sender["data_packets"]),
        line("retransmissions", "", itemgetter("retransmissions"), sender["retransmissions"]),
        line("TACKs", "", lambda r: r["acks_sent"] - r["iacks_sent"], receiver["tacks_sent"]),
        line("IACKs", "", itemgetter("iacks_sent"), receiver["iacks_sent"]),
        line("least RTT", "ms", itemgetter("rtt_min_ms"), sender["min_rtt_ms"] or 0.0),
        line("smoothed RTT", "ms", itemgetter("srtt_p50_ms"), srtt),
    ]


def _goodput(samples: Sequence[live.Sample], begin: float) -> float:
    """The goodput from `begin` to the last sample, as the application reads it, Mbit/s."""
    before = [s.receiver["received_bytes"] for s in samples if s.time <= begin]
    last = samples[-1]
    bytes_ = last.receiver["received_bytes"] - (before[-1] if before else 0)
    return float(bytes_ * 8e-6 / (last.time - begin))


def draw(of: Twin, stem: Path, form: Format = "svg") -> None:
    """Goodput and RTT of each flow over time, live over simulated."""
    from acklab.plots.style import CATEGORICAL, figure, save

    fig, axes = figure(2, 1, (7.2, 4.6), share=True)
    series = of.result.series
    top, bottom = axes[0][0], axes[1][0]
    for i, (name, samples) in enumerate(of.ran.samples.items()):
        colour = CATEGORICAL[i % len(CATEGORICAL)]
        own = series.filter(series["flow"] == name)
        sim = _rates(list(zip(own["time_s"], own["acked_bytes"], strict=True)))
        ours = _rates([(s.time, s.sender["acked_bytes"]) for s in samples])
        top.plot(*sim, color=colour, lw=1.0, alpha=0.55, label=f"{name}, simulated")
        top.plot(*ours, color=colour, lw=1.5, ls=(0, (4, 1.2)), label=f"{name}, live")
        bottom.plot(own["time_s"], own["rtt_ms"], color=colour, lw=0.8, alpha=0.55)
        bottom.plot(
            [s.time for s in samples],
            [s.sender["rtt_ms"] for s in samples],
            color=colour,
            lw=1.3,
            ls=(0, (4, 1.2)),
        )
    top.set_ylabel("goodput, Mbit/s")
    bottom.set_ylabel("RTT, ms")
    bottom.set_xlabel("time, s")
    for axis in (top, bottom):
        axis.set_ylim(bottom=0)
    top.set_ylim(top=top.get_ylim()[1] * (1.12 + 0.12 * len(of.ran.samples)))
    top.legend(loc="upper center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=8)
    save(fig, stem, form)


#: Seconds over which a rate is taken: shorter ones show single packets.
_OVER = 0.5


def _rates(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Times, and the rates in Mbit/s up to them, of a counter of bytes."""
    times: list[float] = []
    rates: list[float] = []
    last: tuple[float, float] | None = None
    for time, count in points:
        if last is None:
            last = (time, count)
        elif time - last[0] >= _OVER - 1e-9:
            times.append(time)
            rates.append((count - last[1]) * 8e-6 / (time - last[0]))
            last = (time, count)
    return times, rates
