"""Quantities of a run: a number for each flow, and how the two swing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from acklab.studies.bbr_wifi6.cells import LIMIT, NEIGHBOURS
from acklab.studies.kit.quantity import quantity
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.values import columns, once_per_run

if TYPE_CHECKING:
    from acklab.results import Result

_PAIR = ("versions", "home", "ofdma", "wire", "tree")
#: Samples of 100 ms over which the figures' throughput is averaged.
_SECOND = 10
#: The mean segment with its headers, KB.
_KB = 1.448


def _by_flow(run: Result, column: str) -> dict[str, float]:
    """A column of the flows table, without the neighbours'."""
    flows = columns(run, "flows")
    return {
        name: float(value)
        for name, value in zip(flows["flow"], flows[column], strict=True)
        if name not in NEIGHBOURS
    }


@once_per_run
def _samples(run: Result) -> Mapping[str, Mapping[str, np.ndarray]]:
    """The series of each flow from the warm-up on."""
    table = columns(run, "series")
    names = np.asarray(table["flow"], str)
    late = np.asarray(table["time_s"], float) >= 5
    wanted = ("goodput_mbps", "rtt_ms", "cwnd_packets", "pacing_mbps", "delivery_mbps")
    return {
        name: {w: np.asarray(table[w], float)[(names == name) & late] for w in wanted}
        for name in dict.fromkeys(names)
        if name not in NEIGHBOURS
    }


def _of_series(run: Result, column: str, how: Callable[[np.ndarray], Any]) -> dict[str, float]:
    """By flow; one that never has the value, such as a pacing rate, is left out."""
    series = {name: s[column] for name, s in _samples(run).items()}
    return {n: float(how(v)) for n, v in series.items() if not np.isnan(v).all()}


@quantity("Mbit/s", *_PAIR, axis="flow")
def goodput(run: Result) -> dict[str, float]:
    """Payload that arrived after the first 5 s."""
    return _by_flow(run, "goodput_warm_mbps")


@quantity("segments", *_PAIR, axis="flow", digits=0)
def retransmissions(run: Result) -> dict[str, float]:
    """Segments sent again."""
    return _by_flow(run, "retransmissions")


@quantity("ms", *_PAIR, axis="flow", digits=1)
def rtt(run: Result) -> dict[str, float]:
    """Median round-trip time."""
    return _by_flow(run, "rtt_p50_ms")


@quantity("ms", *_PAIR, axis="flow", digits=1)
def rtt_p95(run: Result) -> dict[str, float]:
    """95th percentile of the round-trip time."""
    return _by_flow(run, "rtt_p95_ms")


@quantity("ms", "home", axis="flow", digits=2)
def jitter(run: Result) -> dict[str, float]:
    """Median change of the round-trip time from one sample, of 100 ms, to the next."""
    return _of_series(run, "rtt_ms", lambda v: np.nanmedian(np.abs(np.diff(v))))


@quantity("KB", "home", axis="flow", digits=0)
def cwnd(run: Result) -> dict[str, float]:
    """Mean congestion window."""
    return _of_series(run, "cwnd_packets", lambda v: _KB * np.nanmean(v))


@quantity("Mbit/s", "home", axis="flow", digits=1)
def pacing(run: Result) -> dict[str, float]:
    """Median pacing rate."""
    return _of_series(run, "pacing_mbps", np.nanmedian)


@quantity("Mbit/s", "home", axis="flow", digits=1)
def delivery(run: Result) -> dict[str, float]:
    """Median delivery rate, as the sender samples it."""
    return _of_series(run, "delivery_mbps", np.nanmedian)


@quantity("Mbit/s", "wire", "tree", axis="flow", digits=2)
def fast(run: Result) -> dict[str, float]:
    """90th percentile of the delivery rate, as the sender samples it."""
    return _of_series(run, "delivery_mbps", lambda v: np.nanpercentile(v, 90))


def _smooth(rates: np.ndarray) -> np.ndarray:
    return np.convolve(np.nan_to_num(rates), np.ones(_SECOND) / _SECOND, "valid")


@once_per_run
def _swings(run: Result) -> tuple[np.ndarray, np.ndarray]:
    pair = _samples(run)
    return _smooth(pair["bbr"]["goodput_mbps"]), _smooth(pair["cubic"]["goodput_mbps"])


@quantity("per minute", "versions", "wire", digits=1)
def crossings(run: Result) -> float:
    """How often the flow that is ahead changes, by seconds: the oscillation rate."""
    bbr, cubic = _swings(run)
    # A lead below a twentieth of the link is none.
    lead = bbr - cubic
    ahead = np.sign(lead[np.abs(lead) > LIMIT / 20])
    return float(np.count_nonzero(np.diff(ahead)) / (len(lead) / 600))


@quantity("Mbit/s", "versions", "wire", digits=1)
def high(run: Result) -> float:
    """95th percentile of BBR's throughput, by seconds."""
    return float(np.percentile(_swings(run)[0], 95))


@quantity("Mbit/s", "versions", "wire", digits=1)
def low(run: Result) -> float:
    """5th percentile of BBR's throughput, by seconds."""
    return float(np.percentile(_swings(run)[0], 5))


@quantity("", "versions", "wire", digits=2, signed=True)
def opposed(run: Result) -> float:
    """Correlation of the two flows' throughput, by seconds: -1 is one at the other's cost."""
    return float(np.corrcoef(*_swings(run))[0, 1])


QUANTITIES = tuple(of for of in tuple(globals().values()) if isinstance(of, Quantity))
