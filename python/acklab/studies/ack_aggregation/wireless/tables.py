"""From outcomes to the rows of Tables 4 and 5, Figures 5 and 6, and of what lies behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from acklab.stats import AMOUNT, estimate
from acklab.studies.ack_aggregation.cells import START_S
from acklab.studies.ack_aggregation.wireless import references
from acklab.studies.study import Outcome
from acklab.studies.values import airtime, columns, of_flow, of_station, once_per_run

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: Width of the bins of Figures 5 and 6, s.
BIN_S = 0.5
#: Between samples, s.
SAMPLE_S = 0.1
#: What the air is used for, in the order in which it is drawn.
USES = (
    "data",
    "transport_ack",
    "mac_ack",
    "sifs",
    "control",
    "contention",
    "collision",
    "idle",
)
#: The key of a cell beside set-up and controller: what Table 4 varies, and what Table 5 does.
VARIED = ("aggregation", "kilobytes")


def throughput(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Tables 4 and 5: payload over the measured interval, Mbit/s."""
    import polars as pl

    rows = []
    for o in outcomes:
        stack, cc, cell = str(o.keys["stack"]), str(o.keys["cc"]), varied(o)
        row = _row(o, [of_flow(r, "goodput_mbps") for r in o.results], references.paper(cc, cell))
        rows.append({**row, "ns3": references.ns3(stack, cc, cell)})
    return pl.DataFrame(rows, schema_overrides={"ns3": pl.Float64}, infer_schema_length=None)


def varied(o: Outcome) -> str | int:
    """What the cell has of `VARIED`."""
    return next(o.keys[name] for name in VARIED if name in o.keys)


def distance(o: Outcome) -> float:
    """Of the goodput of the cell's only run from the thesis's, relative to that."""
    paper = references.paper(str(o.keys["cc"]), varied(o))
    return abs(float(of_flow(o.results[0], "goodput_mbps")) - paper) / paper


def _seconds(r: Result) -> float:
    return sum(airtime(r).values()) - START_S


def share(r: Result, use: str) -> float:
    """Part of the time after the start that the air had this use; before, it was idle."""
    return (airtime(r)[use] - (START_S if use == "idle" else 0)) / _seconds(r)


#: What lies behind a throughput, and how it is read from a run.
QUANTITIES: dict[str, Callable[[Result], float | None]] = {
    **{f"{use}_share": partial(share, use=use) for use in USES},
    "mpdus_per_ppdu": lambda r: mpdus_per_ppdu(r),
    "segments_per_access": lambda r: of_flow(r, "data_segments") / max(_data_ppdus(r), 1),
    "us_per_segment": lambda r: 1e6 * _seconds(r) / max(of_flow(r, "data_segments"), 1),
    "rtt_min_ms": lambda r: of_flow(r, "rtt_min_ms"),
    "rtt_mean_ms": lambda r: of_flow(r, "rtt_mean_ms"),
    "rtt_p95_ms": lambda r: of_flow(r, "rtt_p95_ms"),
    "cwnd_mean_packets": lambda r: of_flow(r, "cwnd_mean_packets"),
    "cwnd_max_packets": lambda r: of_flow(r, "cwnd_max_packets"),
    "segments_per_ack": lambda r: of_flow(r, "segments_per_ack"),
    "retransmissions": lambda r: float(of_flow(r, "retransmissions")),
    "recoveries": lambda r: float(of_flow(r, "recoveries")),
    "mac_retries_share": lambda r: _retries(r),
    "rate_swing": lambda r: _late(r, "acked_bytes", _swing),
    "rate_overshoot": lambda r: _overshoot(r, "acked_bytes"),
    "window_swing": lambda r: _late(r, "cwnd_packets", _swing),
    "window_late_packets": lambda r: _late(r, "cwnd_packets", fmean),
    "window_overshoot": lambda r: _overshoot(r, "cwnd_packets"),
    "window_bend": lambda r: _bend(r),
    "window_growth_packets_per_s": lambda r: _growth(r),
}

#: An overshoot is looked for so long after the start, s.
EARLY_S = 5.0


def behind(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """`QUANTITIES`, each in its own rows; shares are of the time after the flow's start."""
    import polars as pl

    rows = [
        _row(
            Outcome({**o.keys, "quantity": name}, o.results),
            [v for r in o.results if (v := of(r)) is not None],
        )
        for o in outcomes
        for name, of in QUANTITIES.items()
    ]
    return pl.DataFrame(rows, schema_overrides={"paper": pl.Float64}, infer_schema_length=None)


def mpdus_per_ppdu(r: Result) -> float:
    """Mean number of MPDUs that the station, which has the data, sent at once."""
    table = columns(r, "ampdu_sizes")
    sent = [
        (int(mpdus), int(ppdus))
        for station, mpdus, ppdus in zip(
            table["station"], table["mpdus"], table["ppdus"], strict=True
        )
        if station == "sta"
    ]
    return sum(m * p for m, p in sent) / max(sum(p for _, p in sent), 1)


def _data_ppdus(r: Result) -> float:
    return of_station(r, "data_ppdus", "sta")


def _retries(r: Result) -> float:
    table = columns(r, "stations")
    return float(table["retries"].sum()) / max(float(table["mpdus"].sum()), 1)


def _line(r: Result, column: str) -> tuple[list[float], list[float]]:
    """Times and values of the bins; none if nothing was sampled."""
    if r.series.is_empty():
        return [], []
    at, means, ends = _bins(r, column)
    return at, (_rates(means, ends) if column == "acked_bytes" else means)


def _late(r: Result, column: str, of: Callable[[Sequence[float]], float]) -> float | None:
    """Of the second half."""
    _, line = _line(r, column)
    return of(line[len(line) // 2 :]) if line else None


def _swing(values: Sequence[float]) -> float:
    """Coefficient of variation."""
    mean = fmean(values)
    return pstdev(values) / mean if mean > 0 else 0.0


def _overshoot(r: Result, column: str) -> float | None:
    """The largest value of the first seconds over the mean of the second half."""
    at, line = _line(r, column)
    if not line:
        return None
    early = [v for t, v in zip(at, line, strict=True) if t <= min(EARLY_S, at[-1] / 3)]
    return max(early) / max(fmean(line[len(line) // 2 :]), 1e-9)


def _bend(r: Result) -> float | None:
    """Growth of the window in the last third over that in the second: 1 is a line."""
    _, line = _line(r, "cwnd_packets")
    if not line:
        return None
    one, two, three = (line[i * (len(line) - 1) // 3] for i in (1, 2, 3))
    return (three - two) / (two - one) if two > one else 0.0


def _growth(r: Result) -> float | None:
    """Of the window, from the first third on."""
    at, line = _line(r, "cwnd_packets")
    if not line:
        return None
    third = (len(line) - 1) // 3
    return (line[-1] - line[third]) / (at[-1] - at[third])


def throughput_series(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Figure 5: acknowledged payload per bin, Mbit/s."""
    return _series(outcomes, "acked_bytes", _rates)


def window_series(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Figure 6: congestion window in packets, mean of each bin."""
    return _series(outcomes, "cwnd_packets", lambda means, _: means)


def _series(
    outcomes: Sequence[Outcome],
    column: str,
    values: Callable[[Sequence[float], Sequence[float]], Sequence[float]],
) -> pl.DataFrame:
    import polars as pl

    rows = []
    for o in outcomes:
        runs = [_bins(r, column) for r in o.results]
        lines = [values(means, ends) for _, means, ends in runs]
        for i, at in enumerate(runs[0][0]):
            row = _row(o, [line[i] for line in lines])
            names = (*o.keys, "time_s")
            rows.append({n: (at if n == "time_s" else row[n]) for n in names} | row)
    return pl.DataFrame(rows, schema_overrides={"paper": pl.Float64}, infer_schema_length=None)


def _rates(_: Sequence[float], ends: Sequence[float]) -> list[float]:
    before = [0.0, *ends[:-1]]
    return [(v - b) * 8 / BIN_S / 1e6 for v, b in zip(ends, before, strict=True)]


@once_per_run
def _bins(r: Result, column: str) -> tuple[list[float], list[float], list[float]]:
    """Ends of the bins after the start, mean and last sample in each."""
    import numpy as np

    time, values = r.series["time_s"].to_numpy(), r.series[column].to_numpy().astype(float)
    # Half a sample keeps the bins clear of rounding.
    kept = time > START_S + SAMPLE_S / 2
    index = ((time[kept] - START_S - SAMPLE_S / 2) / BIN_S).astype(int)
    first = np.flatnonzero(np.diff(index, prepend=-1))
    counts = np.diff(np.append(first, index.size))
    means = np.add.reduceat(values[kept], first) / counts
    ends = values[kept][first + counts - 1]
    return list((index[first] + 1) * BIN_S), list(means), list(ends)


def _row(o: Outcome, values: Sequence[float], paper: float | None = None) -> dict[str, Any]:
    e = estimate(values, within=AMOUNT)
    return {
        **o.keys,
        "paper": paper,
        "acklab": e.mean,
        "ci_low": e.low,
        "ci_high": e.high,
        "seeds": e.n,
    }
