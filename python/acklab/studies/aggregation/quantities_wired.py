"""The quantities of every run of one or two flows on the wire, seed by seed."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean, median

from acklab.results import Result
from acklab.studies.kit.quantity import quantity
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.values import goodputs, of_flow, of_link, once_per_run

from . import teeth as of_teeth
from .cells_wired import DATA, START_S
from .recorded_wired import (
    SETTLED_S,
    Line,
    before_data,
    count,
    rates,
    series,
    variation,
)
from .traces_pairs import PAIR_TRACES
from .traces_wired import TRACES

#: A rate dips, and has been reached, at this share of its steady one: a tenth off can be seen.
SHARE = 0.9
#: Width of the bins of Figures 2 and 3, s.
BIN_S = 0.5


@quantity("Mbit/s", "one", "others", "untimed", "transparent")
def goodput(r: Result) -> float:
    """Payload that arrived, over the measured time."""
    return float(of_flow(r, "goodput_mbps"))


@quantity("segments", "one", digits=0)
def retransmitted(r: Result) -> float:
    """Segments sent again, a SYN among them."""
    return count(r, "retransmissions")


@quantity("segments", "one", digits=1)
def retransmissions(r: Result) -> float:
    """Segments of data sent again."""
    return count(r, "retransmissions") - before_data(r)


@quantity("", "one")
def timeout_share(r: Result) -> float | None:
    """The share of the data sent again that a timeout caused."""
    again = count(r, "retransmissions") - before_data(r)
    return (count(r, "retransmissions_rto") - before_data(r)) / again if again else None


@quantity("recoveries", "one", digits=1)
def recoveries(r: Result) -> float:
    """How often the sender entered recovery."""
    return count(r, "recoveries")


@quantity("timeouts", "one", digits=1)
def timeouts(r: Result) -> float:
    """Retransmission timeouts, the SYN's among them."""
    return count(r, "rtos")


@quantity("", "one")
def segments_per_ack(r: Result) -> float:
    """Segments for which an ACK stands at the sender."""
    return float(of_flow(r, "segments_per_ack"))


@quantity("packets", "one", digits=0)
def queue_longest(r: Result) -> float:
    """The bottleneck's longest queue."""
    return of_link(r, "queue_max_packets", DATA)


@quantity("s", "one", digits=1)
def first_data(r: Result) -> float:
    """From the planned start to the first data acknowledged; the whole run without any."""
    at = r.series["time_s"].filter(r.series["acked_bytes"] > 0).min()
    return float(at if at is not None else r.series["time_s"].max()) - START_S  # type: ignore[arg-type]


@once_per_run
def _rates(r: Result) -> Line:
    return rates(r, BIN_S)


def _later(line: Sequence[tuple[float, float]], share: float) -> list[float]:
    """The values of the last `share` of a line."""
    return [v for _, v in line[int(len(line) * (1 - share)) :]]


@quantity("Mbit/s", "one", axis="time")
def rate(r: Result) -> dict[float, float]:
    """Acknowledged payload in bins of half a second."""
    return dict(_rates(r))


@quantity("packets", "one", digits=1, axis="time")
def cwnd(r: Result) -> dict[float, float]:
    """Congestion window, the mean of each half second."""
    bins: dict[float, list[float]] = {}
    for t, v in _windows(r):
        if t > START_S + 0.05:
            bins.setdefault((int((t - START_S - 0.05) / BIN_S) + 1) * BIN_S, []).append(v)
    return {t: fmean(each) for t, each in bins.items()}


@quantity("Mbit/s", "one")
def half_rate(r: Result) -> float:
    """Mean rate of the second half."""
    return fmean(_later(_rates(r), 0.5))


@quantity("Mbit/s", "one")
def end_rate(r: Result) -> float:
    """Mean rate of the last quarter."""
    return fmean(_later(_rates(r), 0.25))


@quantity("s", "one", digits=1)
def reached(r: Result) -> float | None:
    """When the rate first was at nine tenths of that of the last quarter."""
    goal = SHARE * fmean(_later(_rates(r), 0.25))
    return next((t for t, v in _rates(r) if v >= goal > 0), None)


@quantity("", "one", digits=3)
def rate_variation(r: Result) -> float | None:
    """Coefficient of variation of the rate, second half."""
    return variation(_later(_rates(r), 0.5))


@once_per_run
def _dips(r: Result) -> list[tuple[float, float]]:
    """How long each dip lasts, s, and how deep it goes: 1 is to nothing.

    The steady rate is the median of the second half; before it is first reached nothing dips.
    """
    line = _rates(r)
    steady = median(_later(line, 0.5))
    at = next((i for i, (_, v) in enumerate(line) if v >= SHARE * steady > 0), len(line))
    found: list[tuple[float, float]] = []
    below: list[float] = []
    for _, v in [*line[at:], (0.0, steady)]:
        if v < SHARE * steady:
            below.append(v)
        elif below:
            found.append((len(below) * BIN_S, 1 - min(below) / steady))
            below = []
    return found


@quantity("", "one", digits=1)
def dips(r: Result) -> float:
    """How often the rate falls a tenth and more below its steady one."""
    return float(len(_dips(r)))


@quantity("s", "one", digits=1)
def longest_dip(r: Result) -> float:
    """How long the longest of these lasts."""
    return max((s for s, _ in _dips(r)), default=0.0)


@quantity("", "one")
def deepest_dip(r: Result) -> float:
    """By which share of the rate the deepest of these goes down."""
    return max((d for _, d in _dips(r)), default=0.0)


def _windows(r: Result) -> Line:
    return list(r.series.select("time_s", "cwnd_packets").iter_rows())


@quantity("packets", "one", digits=1)
def window(r: Result) -> float:
    """Mean congestion window of the second half."""
    return fmean(_later(_windows(r), 0.5))


@quantity("", "one", digits=3)
def window_variation(r: Result) -> float | None:
    """Coefficient of variation of the window, second half."""
    return variation(_later(_windows(r), 0.5))


@once_per_run
def _teeth(r: Result) -> list[of_teeth.Tooth]:
    return of_teeth.teeth([at for at in _windows(r) if at[0] >= SETTLED_S])


@quantity("", "one", digits=1)
def teeth(r: Result) -> float:
    """Whole cycles of the window: a climb, a peak and a fall."""
    return float(len(_teeth(r)))


@quantity("s", "one")
def period(r: Result) -> float | None:
    """Mean time from peak to peak of the window."""
    return of_teeth.period(_teeth(r))


@quantity("", "one", digits=3)
def period_variation(r: Result) -> float | None:
    """Coefficient of variation of these times."""
    return of_teeth.period_variation(_teeth(r))


@quantity("", "one", digits=3)
def peak_variation(r: Result) -> float | None:
    """Coefficient of variation of the peaks."""
    return of_teeth.peak_variation(_teeth(r))


@quantity("packets/s", "one")
def climb(r: Result) -> float | None:
    """How fast the window climbs within its cycles."""
    return of_teeth.climb(_teeth(r))


@quantity("", "one")
def climbing(r: Result) -> float | None:
    """The share of the time from peak to peak that is spent climbing."""
    return of_teeth.climbing(_teeth(r))


@quantity("", "one", digits=3)
def delivery_variation(r: Result) -> float | None:
    """Coefficient of variation of the samples of the delivery rate, after 8 s."""
    return variation(series(r)["delivery_mbps"].drop_nulls().to_list())


@quantity("", "one", digits=3)
def rtt_variation(r: Result) -> float | None:
    """Coefficient of variation of the samples of the RTT, after 8 s."""
    return variation(series(r)["rtt_ms"].drop_nulls().to_list())


def _jain(each: Sequence[float]) -> float:
    """1 for equal rates, 1/n if one flow has everything (Jain, Chiu, Hawe, 1984)."""
    squares = sum(x * x for x in each)
    return sum(each) ** 2 / (len(each) * squares) if squares > 0 else 0.0


@quantity("", "pairs", digits=3, most=1)
def jain(r: Result) -> float:
    """Jain's index of two flows."""
    return _jain(goodputs(r))


@quantity("Mbit/s", "pairs", signed=True)
def lead(r: Result) -> float:
    """Goodput of the pair's first flow less that of its second."""
    first, second = goodputs(r)
    return first - second


@quantity("Mbit/s", "pairs")
def lesser(r: Result) -> float:
    """Goodput of the flow that has less."""
    return min(goodputs(r))


@quantity("", "transparent", digits=0)
def fingerprint(r: Result) -> float:
    """A checksum of every column of the flow and every sample of its window, rate and RTT."""
    text = r.flows.write_csv() + r.series.write_csv()
    return float(zlib.crc32(text.encode()))


@cache
def _paper() -> dict[tuple[str, int], float]:
    path = Path(__file__).with_name("paper_wired.csv")
    lines = [s for s in path.read_text(encoding="utf-8").splitlines() if not s.startswith("#")]
    wanted = [r for r in csv.DictReader(lines) if r["quantity"] in ("goodput", "jain")]
    return {(r["cc"] or r["pair"], int(r["ratio"])): float(r["value"]) for r in wanted}


@quantity("", "readings")
def away(r: Result) -> float:
    """How far a cell is from the thesis: a share of Table 1, a difference of Jain's index."""
    *ccs, ratio = r.scenario.name.removeprefix("ack-aggregation-").split("-")[1:]
    each, paper = goodputs(r), _paper()["-".join(ccs), int(ratio)]
    return abs(each[0] / paper - 1) if len(ccs) == 1 else abs(_jain(each) - paper)


QUANTITIES = (*(q for q in list(vars().values()) if isinstance(q, Quantity)), *TRACES, *PAIR_TRACES)
