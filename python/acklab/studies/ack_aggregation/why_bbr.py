"""BBRv3: its start after a handshake of 3 s, and what makes its rate and window swing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from acklab.plots import style
from acklab.studies.ack_aggregation import traces
from acklab.studies.ack_aggregation.cells import START_S
from acklab.studies.study import Outcome

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: Without a cumulative acknowledgement for so long, a flow stalls, s.
STALL_S = 0.5
#: The start and the excerpt that are drawn, s, and their ratios.
FIRST_S = 20.0
EXCERPT_S = (8.0, 20.0)
STARTS = (1, 2, 8)
EXCERPTS = (1, 8)


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Stalls, visits to PROBE_RTT and what they do to rate and window."""
    quantities = {
        "stalls": lambda r: float(len(_stalls(r))),
        "stalled_s": lambda r: sum(b - a for a, b in _stalls(r)),
        "busy_while_stalled": _busy_while_stalled,
        "rate_swing": lambda r: _swing(r, False),
        "rate_swing_without_stalls": lambda r: _swing(r, True),
        "probe_rtt_visits": _visits,
        "idle_in_probe_rtt_s": _idle_in_probe_rtt,
        "window_swing": lambda r: _window_swing(r, True),
        "window_swing_without_probe_rtt": lambda r: _window_swing(r, False),
        "probe_rtt_window_share": _low,
        "first_rtt_ms": _first_rtt,
    }
    mine = [o for o in outcomes if o.keys["cc"] == "bbr3"]
    starts = [_first(o) for o in mine if o.keys["stack"] == "thesis" and o.keys["ratio"] in STARTS]
    stated = [o for o in mine if o.keys["stack"] in ("ns3", "linux")]
    later = [_first(o) for o in stated if o.keys["ratio"] in EXCERPTS]
    return (
        traces.table(mine, quantities)
        .vstack(traces.table(starts, {}, {"pacing_mbps": _pacing, "rtt_ms": _rtt}))
        .vstack(traces.table(later, {}, {"acked_mbit": _acked, "cwnd_packets": _cwnd}))
    )


def _first(o: Outcome) -> Outcome:
    return Outcome(o.keys, o.results[:1])


def _stalls(r: Result) -> list[traces.Line]:
    """Times between which nothing new was acknowledged, s, after the start."""
    series = traces.settled_series(r)
    found, since, last = [], None, None
    for t, acked in series.select("time_s", "acked_bytes").iter_rows():
        if acked != last:
            if since is not None and t - since > STALL_S:
                found.append((since, t))
            since, last = t, acked
    return found


def _busy_while_stalled(r: Result) -> float | None:
    stalls = _stalls(r)
    length = sum(b - a for a, b in stalls)
    return 1 - sum(traces.idle(r, a, b) for a, b in stalls) / length if stalls else None


def _swing(r: Result, calm: bool) -> float | None:
    """Variation of the rate in bins of half a second; the stalled ones left out if `calm`."""
    stalls = [(a - START_S, b - START_S) for a, b in _stalls(r)] if calm else []
    rates = [
        v
        for t, v in traces.acked_rates(r, 0.5)
        if t > traces.SETTLED_S - START_S
        # What was held up is acknowledged at once in the bin in which the stall ends.
        and not any(t - 0.5 < b + 0.05 and a < t for a, b in stalls)
    ]
    return pstdev(rates) / fmean(rates) if any(rates) else None


def _visits(r: Result) -> float:
    """Visits to PROBE_RTT per minute."""
    import polars as pl

    visits = (pl.col("event") == "state") & (pl.col("cause") == "PROBE_RTT")
    return r.events.filter(visits).height * 60 / traces.seconds(r)


def _idle_in_probe_rtt(r: Result) -> float:
    """Seconds without anything to send in PROBE_RTT and in the sample after it."""
    import polars as pl

    low = pl.col("state") == "PROBE_RTT"
    within = r.series.filter(low | low.shift(1, fill_value=False)).select("time_s")
    spent = within.join(traces.busy(r), on="time_s")["busy"]
    return max(0.0, spent.len() * traces.SAMPLE_S - float(spent.sum()))


def _window_swing(r: Result, whole: bool) -> float | None:
    import polars as pl

    series = traces.settled_series(r)
    if not whole:
        series = series.filter(pl.col("state") != "PROBE_RTT")
    windows = series["cwnd_packets"]
    return float(windows.std(ddof=0) / windows.mean()) if windows.len() else None  # type: ignore[operator, arg-type]


def _low(r: Result) -> float | None:
    """The window in PROBE_RTT as a share of that outside."""
    import polars as pl

    series = traces.settled_series(r)
    low = series.filter(pl.col("state") == "PROBE_RTT")["cwnd_packets"].median()
    usual = series.filter(pl.col("state") != "PROBE_RTT")["cwnd_packets"].median()
    return None if low is None or usual is None else float(low) / float(usual)  # type: ignore[arg-type]


def _first_rtt(r: Result) -> float | None:
    """The first smoothed RTT that a sample saw, ms."""
    srtt = r.series["srtt_ms"].drop_nulls()
    return None if srtt.is_empty() else float(srtt[0])


def _line(r: Result, column: str, since: float, until: float) -> list[traces.Line]:
    import polars as pl

    at = pl.col("time_s") - START_S
    some = r.series.filter(at.is_between(since, until) & pl.col(column).is_not_null())
    return list(some.select(at.round(3).alias("t"), pl.col(column).cast(pl.Float64)).iter_rows())


def _pacing(r: Result) -> list[traces.Line]:
    return _line(r, "pacing_mbps", 0, FIRST_S)


def _rtt(r: Result) -> list[traces.Line]:
    return _line(r, "srtt_ms", 0, FIRST_S)


def _acked(r: Result) -> list[traces.Line]:
    line = _line(r, "acked_bytes", *EXCERPT_S)
    return [(t, (v - line[0][1]) * 8 / 1e6) for t, v in line]


def _cwnd(r: Result) -> list[traces.Line]:
    return _line(r, "cwnd_packets", *EXCERPT_S)


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """The start in the inferred set-up; stalls and windows as stated."""
    fig, axes = style.figure(2, 3, (11, 6), share=False)
    for ax, (quantity, title) in zip(axes[0], _STARTS.items(), strict=False):
        ax.set_title(f"inferred set-up: {title}")
        for i, ratio in enumerate(STARTS):
            of = table.filter(stack="thesis", ratio=ratio, quantity=quantity)
            ax.plot(of["time_s"], of["value"], label=f"{ratio}:1", **style.line(i))
        ax.set_yscale("log")
    panels = [
        (axes[0][2], "ns3", "acked_mbit", "ns-3 stack: acknowledged, Mbit"),
        (axes[1][0], "linux", "acked_mbit", "Linux stack: acknowledged, Mbit"),
        (axes[1][1], "ns3", "cwnd_packets", "ns-3 stack: cwnd, packets"),
        (axes[1][2], "linux", "cwnd_packets", "Linux stack: cwnd, packets"),
    ]
    for ax, stack, quantity, title in panels:
        ax.set_title(title)
        for ratio in EXCERPTS:
            of = table.filter(stack=stack, ratio=ratio, quantity=quantity)
            ax.plot(of["time_s"], of["value"], **style.line(STARTS.index(ratio)))
        ax.set_ylim(bottom=0)
    for ax in axes.flat:
        ax.set_xlabel("time, s")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center", title="ACKs\naggregated")
    style.footer(fig, traces.provenance(table.filter(seed=1)))
    return style.save(fig, stem)


_STARTS = {"pacing_mbps": "pacing rate, Mbit/s", "rtt_ms": "smoothed RTT, ms"}
