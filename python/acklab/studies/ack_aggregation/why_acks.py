"""What the filter makes of the stream of ACKs: how many segments each stands for, and when."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.plots import style
from acklab.studies.ack_aggregation import traces
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS, RATIOS
from acklab.studies.ack_aggregation.figures import CC_NAMES, STACK_NAMES
from acklab.studies.study import Outcome
from acklab.studies.values import once_per_run

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: Packets of one flow closer than this came in one burst, s: the access link needs 0.12 ms for
#: a segment of 1448 B, the bottleneck 1.2 ms.
BURST_S = 0.0002
#: Smallest retransmission timeout, ms: of ns-3 (RFC 6298), of Linux (TCP_RTO_MIN).
MIN_RTO_MS = {"ns3": 1000.0, "linux": 200.0, "thesis": 1000.0}


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """The stream of ACKs after the start, and what answers it at the bottleneck."""
    quantities = {
        "segments_per_ack": _segments,
        "by_timer": _by_timer,
        "held_ms": _held,
        "silence_ms": _silence,
        "burst_packets": _burst,
        "timeouts_later": _timeouts,
        "lost_twice": _lost_twice,
        "duplicates": _duplicates,
        "duplicates_sent": _duplicates_sent,
    }
    return traces.table(outcomes, quantities)


@once_per_run
def _received(r: Result) -> pl.DataFrame:
    import polars as pl

    return traces.settled(r.acks.filter(pl.col("what") == "received"))


@once_per_run
def _released(r: Result) -> pl.DataFrame:
    import polars as pl

    return traces.settled(r.acks.filter(pl.col("what") == "released"))


def _segments(r: Result) -> float | None:
    import polars as pl

    return traces.mean(_received(r).filter(pl.col("segments") > 0)["segments"])


def _by_timer(r: Result) -> float | None:
    """The share of releases that were the timer's."""
    released = _released(r)
    return None if released.is_empty() else float((released["reason"] == "timeout").mean())  # type: ignore[arg-type]


def _held(r: Result) -> float | None:
    """How long the ACK that went on was held, ms."""
    held = traces.mean(_released(r)["delay_s"])
    return None if held is None else 1e3 * held


def _silence(r: Result) -> float | None:
    """The longest time without any ACK, ms."""
    gap = _received(r)["time_s"].diff().max()
    return None if gap is None else 1e3 * float(gap)  # type: ignore[arg-type]


def _burst(r: Result) -> float | None:
    """Packets that came to the bottleneck back to back, in the mean."""
    import polars as pl

    if "packets" not in r.recorded:
        return None
    queued = pl.col("what").is_in(["queued", "dropped"])
    came = traces.packets(r).filter(queued & (pl.col("at") >= traces.SETTLED_S))["at"]
    return came.len() / (int((came.diff() > BURST_S).sum()) + 1)


def _timeouts(r: Result) -> float:
    """Timeouts once data flow, the handshake's not counted."""
    import polars as pl

    sent = r.acks.filter(pl.col("what") == "sent")["time_s"]
    timeouts = r.events.filter(pl.col("event") == "rto")["time_s"]
    return 0.0 if sent.is_empty() else float((timeouts > sent[0]).sum())


def _duplicates(r: Result) -> float:
    """ACKs that reached the sender and acknowledged nothing new."""
    return float(r.acks.filter(what="received", segments=0).height)


def _duplicates_sent(r: Result) -> float:
    """The same as the receiver sent them."""
    return float(r.acks.filter(what="sent", segments=0).height)


def _lost_twice(r: Result) -> float | None:
    """Segments of which a repetition was dropped at the bottleneck, too."""
    import polars as pl

    if "packets" not in r.recorded:
        return None
    dropped = traces.packets(r).filter(pl.col("what") == "dropped")
    return float((dropped["end"].value_counts()["count"] > 1).sum())


SHOWN = {
    "segments_per_ack": "segments per ACK",
    "by_timer": "share of releases\nby the timer",
    "burst_packets": "burst at the\nbottleneck, packets",
    "silence_ms": "longest silence\nbetween ACKs, ms",
}


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """A row per quantity, a column per set-up, a line per controller (seed 1)."""
    fig, axes = style.figure(len(SHOWN), len(STACK_NAMES), (10, 8.6))
    for row, quantity in zip(axes, SHOWN, strict=True):
        for ax, (stack, name) in zip(row, STACK_NAMES.items(), strict=True):
            if quantity == next(iter(SHOWN)):
                ax.set_title(name)
            for i, cc in enumerate(PAPER_CONTROLLERS):
                rows = table.filter(stack=stack, cc=cc, quantity=quantity, seed=1).drop_nulls(
                    "value"
                )
                x = [RATIOS.index(r) + 0.06 * (i - 1.5) for r in rows["ratio"]]
                look = {"color": style.CATEGORICAL[i], "linestyle": style.DASHES[i]}
                look |= {"marker": style.MARKERS[i], "markersize": 4.5, "linewidth": 1.1}
                ax.plot(x, rows["value"], label=CC_NAMES[cc], **look)
            if quantity == "silence_ms":
                ax.axhline(MIN_RTO_MS[stack], color="k", linewidth=0.8, linestyle=":")
                ax.annotate("smallest timeout", (0, MIN_RTO_MS[stack]), fontsize=7, va="bottom")
            ax.set_xticks(range(len(RATIOS)), [f"{r}:1" for r in RATIOS])
        if quantity == "silence_ms":
            row[0].set_yscale("log")
            row[0].set_ylim(0.5, 3000)
        else:
            row[0].set_ylim(bottom=0)
    style.label_outer(axes, "ACKs aggregated", list(SHOWN.values()))
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center")
    style.footer(fig, traces.provenance(table.filter(seed=1)))
    return style.save(fig, stem)
