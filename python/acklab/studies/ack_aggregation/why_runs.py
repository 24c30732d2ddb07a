"""What each run of one flow shows, seed by seed: its rate, its dips, the teeth of its window.

The mean over seeds of lines that swing is smoother than any of them, so swings, dips and teeth are
read from each run alone; verdicts compare runs of the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import TYPE_CHECKING

from acklab.plots import style
from acklab.stats import estimate
from acklab.studies.ack_aggregation import teeth, traces
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS, RATIOS
from acklab.studies.ack_aggregation.figures import CC_NAMES, STACK_NAMES
from acklab.studies.ack_aggregation.tables import BIN_S
from acklab.studies.study import Outcome
from acklab.studies.values import of_flow, once_per_run

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: A rate dips, and has been reached, at this share of its steady one: a tenth off can be seen.
SHARE = 0.9


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Every seed of the thesis's controllers."""
    mine = [o for o in outcomes if o.keys["cc"] in PAPER_CONTROLLERS]
    return traces.table(mine, QUANTITIES)


def _flow(column: str) -> traces.Quantity:
    return lambda r: float(of_flow(r, column))


@once_per_run
def _before_data(r: Result) -> float:
    """Segments sent again by the first sample that has data acknowledged: the SYN."""
    again = r.series["retransmissions"]
    first = again.filter(r.series["acked_bytes"] > 0).head(1)
    return float((again if first.is_empty() else first).max() or 0)  # type: ignore[arg-type]


def _again(r: Result) -> float:
    """Segments of data sent again."""
    return float(of_flow(r, "retransmissions")) - _before_data(r)


def _timeout_share(r: Result) -> float | None:
    """The share of these that a timeout caused."""
    again = _again(r)
    by_timeout = float(of_flow(r, "retransmissions_rto")) - _before_data(r)
    return by_timeout / again if again else None


@once_per_run
def rates(r: Result) -> list[traces.Line]:
    """Acknowledged payload, Mbit/s, in the bins of Figure 2."""
    return traces.acked_rates(r, BIN_S)


def _later(line: Sequence[traces.Line], share: float) -> list[float]:
    """The values of the last `share` of a line."""
    return [v for _, v in line[int(len(line) * (1 - share)) :]]


def _end(r: Result) -> float:
    """Mean rate of the last quarter, Mbit/s."""
    return fmean(_later(rates(r), 0.25))


def _reached(r: Result) -> float | None:
    """When the rate first was at nine tenths of that of the last quarter, s."""
    goal = SHARE * _end(r)
    return next((t for t, v in rates(r) if v >= goal > 0), None)


def _variation(values: Sequence[float]) -> float | None:
    return pstdev(values) / fmean(values) if values and fmean(values) > 0 else None


@once_per_run
def dips(r: Result) -> list[tuple[float, float]]:
    """How long each dip lasts, s, and how deep it goes: 1 is to nothing.

    The steady rate is the median of the second half; before it is first reached nothing dips.
    """
    line = rates(r)
    steady = median(_later(line, 0.5))
    reached = next((i for i, (_, v) in enumerate(line) if v >= SHARE * steady > 0), len(line))
    found: list[tuple[float, float]] = []
    below: list[float] = []
    for _, v in [*line[reached:], (0.0, steady)]:
        if v < SHARE * steady:
            below.append(v)
        elif below:
            found.append((len(below) * BIN_S, 1 - min(below) / steady))
            below = []
    return found


def _windows(r: Result) -> list[traces.Line]:
    return list(r.series.select("time_s", "cwnd_packets").iter_rows())


def _of_teeth(of: Callable[[list[teeth.Tooth]], float | None]) -> traces.Quantity:
    return lambda r: of(_teeth(r))


@once_per_run
def _teeth(r: Result) -> list[teeth.Tooth]:
    return teeth.teeth([at for at in _windows(r) if at[0] >= traces.SETTLED_S])


def _samples(column: str) -> traces.Quantity:
    """Coefficient of variation of what the sender measures, after the start."""
    return lambda r: _variation(traces.settled_series(r)[column].drop_nulls().to_list())


QUANTITIES: dict[str, traces.Quantity] = {
    "mbps": _flow("goodput_mbps"),
    "retransmissions": _again,
    "timeout_share": _timeout_share,
    "recoveries": _flow("recoveries"),
    "timeouts": _flow("rtos"),
    "half_mbps": lambda r: fmean(_later(rates(r), 0.5)),
    "end_mbps": _end,
    "reached_s": _reached,
    "rate_variation": lambda r: _variation(_later(rates(r), 0.5)),
    "dips": lambda r: float(len(dips(r))),
    "longest_dip_s": lambda r: max((s for s, _ in dips(r)), default=0.0),
    "deepest_dip": lambda r: max((d for _, d in dips(r)), default=0.0),
    "window_packets": lambda r: fmean(_later(_windows(r), 0.5)),
    "window_variation": lambda r: _variation(_later(_windows(r), 0.5)),
    "teeth": _of_teeth(lambda found: float(len(found))),
    "period_s": _of_teeth(teeth.period),
    "period_variation": _of_teeth(teeth.period_variation),
    "peak_variation": _of_teeth(teeth.peak_variation),
    "climb_packets_per_s": _of_teeth(teeth.climb),
    "climbing": _of_teeth(teeth.climbing),
    "delivery_variation": _samples("delivery_mbps"),
    "rtt_variation": _samples("rtt_ms"),
}

#: Only with loss there are teeth.
STACKS = ("ns3", "linux")
SHOWN = {
    "period_variation": "variation of the time\nfrom peak to peak",
    "peak_variation": "variation of\nthe peaks",
    "climb_packets_per_s": "climb, packets/s",
    "rate_variation": "variation of the rate,\nsecond half",
}


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """A row per set-up, a column per quantity: means over seeds with 95 % intervals."""
    fig, axes = style.figure(len(STACKS), len(SHOWN), (11, 5), share=False)
    for row, stack in zip(axes, STACKS, strict=True):
        for ax, (quantity, title) in zip(row, SHOWN.items(), strict=True):
            ax.set_title(title)
            for i, cc in enumerate(PAPER_CONTROLLERS):
                of = table.filter(stack=stack, cc=cc, quantity=quantity).drop_nulls("value")
                shown = [r for r in RATIOS if r in set(of["ratio"])]
                means = [estimate(of.filter(ratio=r)["value"].to_list()) for r in shown]
                ax.errorbar(
                    [RATIOS.index(r) + 0.06 * (i - 1.5) for r in shown],
                    [e.mean for e in means],
                    yerr=[[e.mean - e.low if e.n > 1 else 0.0 for e in means]] * 2,
                    label=CC_NAMES[cc],
                    marker=style.MARKERS[i],
                    markersize=4.5,
                    **style.line(i),
                )
            ax.set_xlim(-0.3, len(RATIOS) - 0.7)
            ax.set_xticks(range(len(RATIOS)), [f"{r}:1" for r in RATIOS])
            ax.set_ylim(bottom=0)
        row[0].set_ylabel(STACK_NAMES[stack])
    for ax in axes[-1]:
        ax.set_xlabel("ACKs aggregated")
    handles, labels = axes[0][-1].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center")
    return style.save(fig, stem)
