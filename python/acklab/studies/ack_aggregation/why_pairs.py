"""Two flows: who loses packets, who gives way, and whose handshake never ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.results import frame_of
from acklab.studies.ack_aggregation import traces
from acklab.studies.ack_aggregation.figures import CC_NAMES, STACK_NAMES
from acklab.studies.study import Outcome
from acklab.studies.values import once_per_run

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: Flags of a SYN-ACK.
SYN_ACK = 0x12
#: What is drawn: set-up, pair, ratio.
DRAWN = (
    ("ns3", "bbr3-cubic", 8),
    ("ns3", "cubic-newreno", 8),
    ("ns3", "cubic-vegas", 8),
    ("linux", "bbr3-newreno", 8),
    ("thesis", "cubic-cubic", 8),
    ("thesis", "vegas-vegas", 2),
)
#: Width of the bins of the rates drawn, s.
BIN_S = 3.0
Of = Callable[["Result", int], float | None]


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Both flows of each pair; `flow` is 0 for the pair's first."""
    import polars as pl

    parts = []
    for flow in (0, 1):
        numbers = {name: _bound(of, flow) for name, of in QUANTITIES.items()}
        drawn = [o for o in outcomes if (o.keys["stack"], o.keys["pair"], o.keys["ratio"]) in DRAWN]
        of_flow = traces.table(outcomes, numbers).vstack(
            traces.table(drawn, {}, {"rate_mbps": _rates(flow)})
        )
        parts.append(of_flow.with_columns(pl.lit(flow).alias("flow")))
    return pl.concat(parts)


def _bound(of: Of, flow: int) -> traces.Quantity:
    return lambda r: of(r, flow)


def _rates(flow: int) -> Callable[[Result], Sequence[traces.Line]]:
    return lambda r: traces.acked_rates(r, BIN_S, flow)


@once_per_run
def _flow(r: Result, flow: int) -> dict[str, Any]:
    return r.flows.row(flow, named=True)


@once_per_run
def _series(r: Result, flow: int) -> pl.DataFrame:
    import polars as pl

    return traces.settled(r.series.filter(pl.col("flow") == _flow(r, flow)["flow"]))


def _lost(r: Result, flow: int) -> float | None:
    """The share of the segments sent that were marked lost."""
    row = _flow(r, flow)
    return row["lost_segments"] / row["data_segments"] if row["data_segments"] else None


def _median(column: str) -> Of:
    def of(r: Result, flow: int) -> float | None:
        value = _series(r, flow)[column].drop_nulls().median()
        return None if value is None else float(value)  # type: ignore[arg-type]

    return of


def _base(r: Result, flow: int) -> float | None:
    """The smallest smoothed RTT, ms."""
    import polars as pl

    srtt = r.series.filter(pl.col("flow") == _flow(r, flow)["flow"])["srtt_ms"].drop_nulls()
    return None if srtt.is_empty() else float(srtt.min())  # type: ignore[arg-type]


def _first_srtt(r: Result, flow: int) -> float | None:
    import polars as pl

    srtt = r.series.filter(pl.col("flow") == _flow(r, flow)["flow"])["srtt_ms"].drop_nulls()
    return None if srtt.is_empty() else float(srtt[0])


def _reductions(r: Result, flow: int) -> float:
    """Reductions per minute, timeouts among them."""
    import polars as pl

    mine = (pl.col("flow") == _flow(r, flow)["flow"]) & (pl.col("event") == "recovery_enter")
    return r.events.filter(mine).height * 60 / traces.seconds(r)


def _growth(r: Result, flow: int) -> float | None:
    """Packets by which the window grows per second, its reductions left out."""
    import polars as pl

    steps = _series(r, flow).select(
        pl.col("cwnd_packets").diff().alias("by"), pl.col("time_s").diff().alias("in")
    )
    calm = steps.filter(pl.col("by").abs() <= 4)
    time = float(calm["in"].sum())
    return float(calm["by"].sum()) / time if time > 0 else None


def _syn_acks(r: Result, flow: int) -> float | None:
    """SYN-ACKs of the flow that the filter dropped."""
    import polars as pl

    if "packets" not in r.recorded:
        return None
    columns = r.columns("packets")
    packets = frame_of({k: columns[k] for k in ("flow", "what", "flags")})
    mine = packets.filter(pl.col("flow") == _flow(r, flow)["flow"])
    return float(mine.filter(flags=SYN_ACK, what="dropped").height)


QUANTITIES: dict[str, Of] = {
    "mbps": lambda r, f: _flow(r, f)["goodput_mbps"],
    "lost_share": _lost,
    "reductions_per_min": _reductions,
    "timeouts": lambda r, f: float(_flow(r, f)["rtos"]),
    "data_segments": lambda r, f: float(_flow(r, f)["data_segments"]),
    "window_packets": _median("cwnd_packets"),
    "srtt_ms": _median("srtt_ms"),
    "base_ms": _base,
    "first_srtt_ms": _first_srtt,
    "growth_packets_per_s": _growth,
    "syn_acks_dropped": _syn_acks,
}


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Rates over time of the pairs that the claims turn on."""
    fig, axes = style.figure(2, 3, (11, 5.6))
    for ax, (stack, pair, ratio) in zip(axes.flat, DRAWN, strict=True):
        ax.set_title(f"{STACK_NAMES[stack]}, {ratio}:1", fontsize=9)
        for flow, cc in enumerate(pair.split("-")):
            of = table.filter(stack=stack, pair=pair, ratio=ratio, flow=flow, quantity="rate_mbps")
            same = f" {flow + 1}" if len(set(pair.split("-"))) == 1 else ""
            ax.plot(of["time_s"], of["value"], label=CC_NAMES[cc] + same, **style.line(flow))
        ax.legend(loc="upper right", fontsize=8, ncols=2)
    for row in axes:
        row[0].set_ylim(0, 14)
    style.label_outer(axes, "time, s", ["acknowledged, Mbit/s"] * 2)
    style.footer(fig, traces.provenance(table))
    return style.save(fig, stem)
