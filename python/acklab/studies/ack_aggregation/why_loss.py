"""What is lost at the bottleneck, and in which part of a controller's life."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.ack_aggregation import traces
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS, RATIOS, START_S
from acklab.studies.ack_aggregation.figures import CC_NAMES, STACK_NAMES
from acklab.studies.study import Outcome
from acklab.studies.values import of_link, once_per_run

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from acklab.results import Result

#: A rate sample is above the link's if it is by more than what rounding does.
ABOVE = 1.005
#: IPv4 20, TCP 20, timestamps 12, bytes.
HEADERS = 52


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Drops by phase, and what BBR takes the link for."""
    quantities = {
        "dropped_start": lambda r: _dropped(r, "start"),
        "dropped_probing": lambda r: _dropped(r, "probing"),
        "dropped_else": lambda r: _dropped(r, "else"),
        "drops_per_reduction": _per_reduction,
        "reductions": lambda r: float(_reductions(r).height),
        "queue_max_packets": lambda r: _link(r, "queue_max_packets"),
        "samples_above": _above,
        "cruise_pacing_share": _cruise,
        "cruise_queue_packets": lambda r: _queue(r, "PROBE_BW_CRUISE"),
        "probe_queue_packets": lambda r: _queue(r, "PROBE_BW_UP"),
        "probe_s": _probe,
    }
    return traces.table(outcomes, quantities)


def _link(r: Result, column: str) -> float:
    return of_link(r, column, traces.DATA)


@once_per_run
def _drops(r: Result) -> pl.DataFrame:
    """`lost` since the sample before, and the `phase` that it fell in."""
    import polars as pl

    link = r.link_series.filter(pl.col("link") == traces.DATA)
    lost = link.select("time_s", pl.col("dropped").cast(pl.Int64).diff().fill_null(0).alias("lost"))
    probing = pl.col("state") == "PROBE_BW_UP"
    # A sample sees the state at its end; a probe that just ended was probing before.
    either = probing | probing.shift(1, fill_value=False)
    start = pl.col("time_s") < traces.SETTLED_S
    phase = pl.when(start).then(pl.lit("start")).when(either).then(pl.lit("probing"))
    return r.series.select("time_s", phase.otherwise(pl.lit("else")).alias("phase")).join(
        lost, on="time_s"
    )


def _dropped(r: Result, phase: str) -> float:
    return float(_drops(r).filter(phase=phase)["lost"].sum())


@once_per_run
def _reductions(r: Result) -> pl.DataFrame:
    import polars as pl

    return traces.settled(r.events.filter(pl.col("event") == "recovery_enter"))


def _per_reduction(r: Result) -> float | None:
    """Drops per reduction after the start."""
    lost, times = _dropped(r, "probing") + _dropped(r, "else"), _reductions(r).height
    return lost / times if times else None


def _rates(r: Result) -> pl.Series:
    return traces.settled_series(r)["delivery_mbps"].drop_nulls()


def _above(r: Result) -> float | None:
    """The share of rate samples above what the link carries."""
    rates, most = _rates(r), ABOVE * link_payload(r)
    return None if rates.is_empty() else float((rates > most).mean())  # type: ignore[arg-type]


def link_payload(r: Result) -> float:
    """Payload that the bottleneck can carry, Mbit/s."""
    link = r.links.filter(link=traces.DATA).row(0, named=True)
    busy = link["utilisation"] * (traces.seconds(r) + START_S)
    share = 1 - HEADERS * link["packets_out"] / link["bytes_out"]
    return float(link["bytes_out"] * 8 / busy / 1e6 * share)


def _in(r: Result, state: str) -> pl.DataFrame:
    import polars as pl

    return traces.settled_series(r).filter(pl.col("state") == state)


def _cruise(r: Result) -> float | None:
    """Median pacing rate while cruising, as a share of what the link carries."""
    rate = _in(r, "PROBE_BW_CRUISE")["pacing_mbps"].median()
    return None if rate is None else float(rate) / link_payload(r)  # type: ignore[arg-type]


def _queue(r: Result, state: str) -> float | None:
    """The bottleneck's mean queue in a state, packets."""
    queue = r.link_series.filter(link=traces.DATA).select("time_s", "queue_packets")
    return traces.mean(_in(r, state).join(queue, on="time_s")["queue_packets"])


def _probe(r: Result) -> float | None:
    """How long a PROBE_BW_UP lasts, s, in the mean."""
    import polars as pl

    states = traces.settled(r.events.filter(pl.col("event") == "state"))
    lasted = states.with_columns((-pl.col("time_s").diff(-1)).alias("lasted"))
    return traces.mean(lasted.filter(pl.col("cause") == "PROBE_BW_UP")["lasted"].drop_nulls())


PARTS = {
    "dropped_start": "in the first 8 s",
    "dropped_probing": "later, in PROBE_BW_UP",
    "dropped_else": "later, otherwise",
}
#: Nothing is lost in the set-up `thesis`.
STACKS = ("ns3", "linux")
SHOWN = {
    "samples_above": "share of rate samples\nabove the link",
    "cruise_queue_packets": "queue while BBRv3\ncruises, packets",
}


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Drops by phase as stacked bars; beside them what BBRv3 measures."""
    fig, axes = style.figure(len(STACKS), len(PAPER_CONTROLLERS) + len(SHOWN), (12.5, 5), False)
    for row, stack in zip(axes, STACKS, strict=True):
        for ax, cc in zip(row, PAPER_CONTROLLERS, strict=False):
            _bars(ax, table.filter(stack=stack, cc=cc, seed=1))
            ax.set_title(CC_NAMES[cc])
            if cc != "bbr3":
                ax.set_ylim(0, 175)
        row[0].set_ylabel(f"{STACK_NAMES[stack]}\ndropped packets")
        for ax, (quantity, title) in zip(row[len(PAPER_CONTROLLERS) :], SHOWN.items(), strict=True):
            of = table.filter(stack=stack, cc="bbr3", quantity=quantity)
            x = [RATIOS.index(r) for r in of["ratio"]]
            ax.plot(x, of["value"], "o", markersize=3, color="0.6")
            first = of.filter(seed=1)
            x = [RATIOS.index(r) for r in first["ratio"]]
            ax.plot(x, first["value"], marker=style.MARKERS[0], **style.line(0))
            ax.set_title(title)
            ax.set_ylim(0, 0.05 if quantity == "samples_above" else 35)
            ax.set_xticks(x, [f"{r}:1" for r in first["ratio"]])
    for ax in axes[-1]:
        ax.set_xlabel("ACKs aggregated")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=3)
    style.footer(fig, traces.provenance(table.filter(seed=1)))
    return style.save(fig, stem)


def _bars(ax: Axes, rows: pl.DataFrame) -> None:
    shown = rows["ratio"].unique().sort().to_list()
    below = [0.0] * len(shown)
    for i, (part, label) in enumerate(PARTS.items()):
        of = rows.filter(quantity=part)
        heights = [of.filter(ratio=r)["value"][0] for r in shown]
        look: dict[str, Any] = {
            "color": style.CATEGORICAL[i],
            "hatch": style.HATCHES[i],
        }
        ax.bar(range(len(shown)), heights, 0.7, below, label=label, edgecolor="white", **look)
        below = [b + h for b, h in zip(below, heights, strict=True)]
    ax.set_ylim(0, 1.06 * max(*below, 1.0))
    ax.set_xticks(range(len(shown)), [f"{r}:1" for r in shown])
