"""Quantities of a run: a number for each flow, and how the two swing."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from acklab.studies.bbr_wifi6.cells import CALL, CAME, LIMIT, NEIGHBOURS, WARMUP
from acklab.studies.kit.quantity import quantity
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.values import columns, once_per_run

if TYPE_CHECKING:
    from acklab.results import Result

_PAIR = (
    *("versions", "home", "ofdma", "apart", "ether", "ethertree", "errors"),
    *("wire", "tree", "marked", "tuned", "same", "lossy"),
)
#: Groups with a flow of each kind, in one direction or in both.
_SWUNG = ("versions", "home", "wire", "tree", "tuned")
#: Groups that are drawn over time.
_TIMES = ("times", "times5")
#: Mbit/s that BBRv1 frequently exceeds, by section 5.1.
_MUCH = 7.5
#: Samples of 100 ms over which the figures' throughput is averaged.
_SECOND = 10
#: Samples over which a flow's throughput is averaged where a second is too long.
_MOMENT = 3
#: The mean segment with its headers, KB.
_KB = 1.448
#: Payload of a packet of 1500 B.
_PAYLOAD = 1448 / 1500


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
    late = np.asarray(table["time_s"], float) >= WARMUP
    wanted = (
        "goodput_mbps",
        "rtt_ms",
        "cwnd_packets",
        "pacing_mbps",
        "delivery_mbps",
        "inflight_bytes",
        "retransmissions",
    )
    return {
        name: {w: np.asarray(table[w], float)[(names == name) & late] for w in wanted}
        for name in dict.fromkeys(names)
        if name not in NEIGHBOURS
    }


def _of_series(run: Result, column: str, how: Callable[[np.ndarray], Any]) -> dict[str, float]:
    """By flow; one that never has the value, such as a pacing rate, is left out."""
    series = {name: s[column] for name, s in _samples(run).items()}
    return {n: float(how(v)) for n, v in series.items() if not np.isnan(v).all()}


@quantity("Mbit/s", *_PAIR, "phase", axis="flow")
def goodput(run: Result) -> dict[str, float]:
    """Payload that arrived after the first 5 s."""
    return _by_flow(run, "goodput_warm_mbps")


@quantity("segments", *_PAIR, "phase", axis="flow", digits=0)
def retransmissions(run: Result) -> dict[str, float]:
    """Segments that were retransmitted."""
    return _by_flow(run, "retransmissions")


@quantity("%", "home", "marked", axis="flow", digits=1)
def again(run: Result) -> dict[str, float]:
    """Retransmissions, as a share of all segments that were sent."""
    sent, resent = _by_flow(run, "data_segments"), _by_flow(run, "retransmissions")
    return {name: 100 * resent[name] / sent[name] for name in sent}


@quantity("", "home", axis="flow", digits=0)
def recoveries(run: Result) -> dict[str, float]:
    """How often a flow began to repair losses. CUBIC reduces its window once each time."""
    return _by_flow(run, "recoveries")


@quantity("ms", "call", digits=1)
def call_delay(run: Result) -> float:
    """99th percentile of the one-way delay of the call's packets."""
    return _by_flow(run, "owd_p99_ms")[CALL]


@quantity("%", "call", digits=2)
def call_lost(run: Result) -> float:
    """Packets of the call that did not arrive."""
    return 100 * _by_flow(run, "datagram_loss")[CALL]


@quantity("ms", "stream", digits=0)
def stream_delay(run: Result) -> float:
    """95th percentile of the time from a frame's capture to its last byte."""
    return _by_flow(run, "video_delay_p95_ms")["bbr"]


@quantity("%", "stream", digits=2)
def stream_stalled(run: Result) -> float:
    """Time in which the video stands still, of the time since its start."""
    return 100 * _by_flow(run, "video_rebuffering")["bbr"]


@quantity("segments", "stream", digits=0)
def stream_again(run: Result) -> float:
    """Retransmissions of the video's flow."""
    return _by_flow(run, "retransmissions")["bbr"]


@quantity("times", "marked", axis="flow", digits=0)
def reductions(run: Result) -> dict[str, float]:
    """How often a sender entered CWR because of ECN marks. BBR may go on as before."""
    return _by_flow(run, "ecn_reductions")


@quantity("ms", *_PAIR, axis="flow", digits=1)
def rtt(run: Result) -> dict[str, float]:
    """Median round-trip time."""
    return _by_flow(run, "rtt_p50_ms")


@quantity("ms", *_PAIR, axis="flow", digits=1)
def rtt_p95(run: Result) -> dict[str, float]:
    """95th percentile of the round-trip time."""
    return _by_flow(run, "rtt_p95_ms")


def _changes(rtts: np.ndarray) -> np.ndarray:
    """From one sample, of 100 ms, to the next."""
    return np.abs(np.diff(rtts))


@quantity("ms", "home", axis="flow", digits=2)
def jitter(run: Result) -> dict[str, float]:
    """Median change of the round-trip time from one sample, of 100 ms, to the next."""
    return _of_series(run, "rtt_ms", lambda v: np.nanmedian(_changes(v)))


def _percentile(share: int, name: str, what: str, of: Callable[[np.ndarray], Any]) -> Quantity:
    """A percentile of the samples of 100 ms, for a box plot."""

    def measured(run: Result) -> dict[str, float]:
        return _of_series(run, "rtt_ms", lambda v: np.nanpercentile(of(v), share))

    measured.__name__ = f"{name}_box{share}"
    place = "Median" if share == 50 else f"{share}th percentile"
    measured.__doc__ = f"{place} of the {what}, of samples of 100 ms."
    return quantity("ms", "home", axis="flow", digits=1)(measured)


@quantity("KB", "home", "wire", axis="flow", digits=0)
def cwnd(run: Result) -> dict[str, float]:
    """Mean congestion window."""
    return _of_series(run, "cwnd_packets", lambda v: _KB * np.nanmean(v))


@quantity("KB", "home", axis="flow", digits=0)
def cwnd_low(run: Result) -> dict[str, float]:
    """5th percentile of the congestion window."""
    return _of_series(run, "cwnd_packets", lambda v: _KB * np.nanpercentile(v, 5))


@quantity("KB", "home", axis="flow", digits=0)
def cwnd_high(run: Result) -> dict[str, float]:
    """95th percentile of the congestion window."""
    return _of_series(run, "cwnd_packets", lambda v: _KB * np.nanpercentile(v, 95))


@quantity("KB", "home", axis="flow", digits=0)
def cwnd_most(run: Result) -> dict[str, float]:
    """Largest congestion window of the samples, of 100 ms."""
    return _of_series(run, "cwnd_packets", lambda v: _KB * np.nanmax(v))


@quantity("KB", "home", axis="flow", digits=1)
def bdp(run: Result) -> dict[str, float]:
    """Bandwidth-delay product: the goodput times the smallest round-trip time."""
    rate, least = _by_flow(run, "goodput_warm_mbps"), _by_flow(run, "rtt_min_ms")
    return {name: rate[name] * least[name] / 8 for name in rate}


@quantity("Mbit/s", "home", "tuned", axis="flow", digits=2)
def unsteady(run: Result) -> dict[str, float]:
    """Standard deviation of the throughput, by seconds."""
    series = {name: s["goodput_mbps"] for name, s in _samples(run).items()}
    return {name: float(np.std(_smooth(rates))) for name, rates in series.items()}


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


def _smooth(rates: np.ndarray, samples: int = _SECOND) -> np.ndarray:
    return np.convolve(np.nan_to_num(rates), np.ones(samples) / samples, "valid")


def _by_seconds(values: np.ndarray) -> np.ndarray:
    """Means of whole seconds; NaN where there is no value in one."""
    whole = values[: len(values) // _SECOND * _SECOND].reshape(-1, _SECOND)
    known = np.count_nonzero(~np.isnan(whole), axis=1)
    means = np.full(len(whole), np.nan)
    np.divide(np.nansum(whole, axis=1), known, out=means, where=known > 0)
    return means


@once_per_run
def _swings(run: Result) -> tuple[np.ndarray, np.ndarray] | None:
    """The pair's throughput by seconds; none where both directions have a pair."""
    pair = _samples(run)
    if "bbr" not in pair:
        return None
    return _smooth(pair["bbr"]["goodput_mbps"]), _smooth(pair["cubic"]["goodput_mbps"])


@quantity("per minute", *_SWUNG, digits=1)
def crossings(run: Result) -> float | None:
    """How often the flow that is ahead changes, by seconds: the oscillation rate."""
    if (pair := _swings(run)) is None:
        return None
    # A lead below a twentieth of the link is none.
    lead = pair[0] - pair[1]
    ahead = np.sign(lead[np.abs(lead) > LIMIT / 20])
    return float(np.count_nonzero(np.diff(ahead)) / (len(lead) / 600))


@quantity("Mbit/s", *_SWUNG, digits=1)
def high(run: Result) -> float | None:
    """95th percentile of BBR's throughput, by seconds."""
    return None if (pair := _swings(run)) is None else float(np.percentile(pair[0], 95))


@quantity("Mbit/s", *_SWUNG, digits=1)
def low(run: Result) -> float | None:
    """5th percentile of BBR's throughput, by seconds."""
    return None if (pair := _swings(run)) is None else float(np.percentile(pair[0], 5))


@quantity("Mbit/s", *_SWUNG, digits=1)
def lowest_second(run: Result) -> float | None:
    """Lowest throughput of BBR in a second."""
    return None if (pair := _swings(run)) is None else float(np.min(pair[0]))


@quantity("%", *_SWUNG, digits=0)
def much(run: Result) -> float | None:
    """Share of the seconds in which BBR has more than 7.5 Mbit/s."""
    return None if (pair := _swings(run)) is None else float(100 * np.mean(pair[0] > _MUCH))


@quantity("", *_SWUNG, digits=2, signed=True)
def opposed(run: Result) -> float | None:
    """Correlation of the two flows' throughput, by seconds: -1 is one at the other's cost."""
    return None if (pair := _swings(run)) is None else float(np.corrcoef(*pair)[0, 1])


@quantity("", "versions", "wire", digits=2, signed=True)
def slows(run: Result) -> float | None:
    """Correlation of BBR's round-trip time with what its pacing rate then changes, by seconds."""
    bbr = _samples(run)["bbr"]
    # In the pair of CUBIC and CUBIC nobody paces.
    if np.isnan(bbr["pacing_mbps"]).all():
        return None
    delay, rate = _by_seconds(bbr["rtt_ms"])[:-1], np.diff(_by_seconds(bbr["pacing_mbps"]))
    known = ~np.isnan(delay) & ~np.isnan(rate)
    return float(np.corrcoef(delay[known], rate[known])[0, 1])


@quantity("", "home", digits=2, signed=True)
def translates(run: Result) -> float | None:
    """Correlation of BBR's pacing rate with its throughput, of samples of 100 ms."""
    bbr = _samples(run).get("bbr")
    if bbr is None:
        return None
    known = ~np.isnan(bbr["pacing_mbps"])
    return float(np.corrcoef(bbr["pacing_mbps"][known], bbr["goodput_mbps"][known])[0, 1])


@quantity("%", "versions", "wire", axis="flow", digits=0, signed=True)
def after_loss(run: Result) -> dict[str, float]:
    """Bytes in flight in the second after a loss, beside the second before: mean change.

    A loss is the first retransmission after a second without one.
    """
    found = {name: _after_loss(s) for name, s in _samples(run).items()}
    return {name: change for name, change in found.items() if change is not None}


def _after_loss(series: Mapping[str, np.ndarray]) -> float | None:
    flight = series["inflight_bytes"]
    again = np.diff(series["retransmissions"], prepend=series["retransmissions"][0]) > 0
    at = [
        i
        for i in np.flatnonzero(again)
        if _SECOND <= i < len(flight) - _SECOND and not again[i - _SECOND : i].any()
    ]
    if not at:
        return None
    changes = [
        np.mean(flight[i + 1 : i + 1 + _SECOND]) / np.mean(flight[i - _SECOND : i]) for i in at
    ]
    return float(100 * (np.mean(changes) - 1))


@quantity("s", "leaves", digits=2)
def takes(run: Result) -> float:
    """Time from CUBIC's end until BBR has nine tenths of the link, in averages over 0.3 s.

    All that is left of the run, if that does not happen.
    """
    return _until(run, "bbr", _went(run), 0.9)


@quantity("s", "leaves", digits=2)
def enters(run: Result) -> float:
    """Time from CUBIC's start until it has a third of the link, in averages over 0.3 s.

    All of the time that it is there, if that does not happen.
    """
    return min(_until(run, "cubic", CAME, 1 / 3), _went(run) - CAME)


@once_per_run
def _went(run: Result) -> float:
    """When CUBIC ends, s."""
    flows = tomllib.loads(run.scenario.resolved)["flow"]
    (until,) = (f["app"]["until"] for f in flows if f["name"] == "cubic")
    return float(until.removesuffix(" s"))


def _until(run: Result, flow: str, since: float, part: float) -> float:
    """Seconds from `since` until a flow has a part of the link; before it starts it has nothing."""
    table = columns(run, "series")
    of = np.asarray(table["flow"], str) == flow
    at = np.asarray(table["time_s"], float)[of]
    rates = np.asarray(table["goodput_mbps"], float)[of]
    # An average stands at the end of its time.
    rates = _smooth(np.concatenate([np.zeros(_MOMENT - 1), rates]), _MOMENT)
    there = at[(at >= since) & (rates > part * LIMIT * _PAYLOAD)]
    return float((there[0] if len(there) else at[-1]) - since)


def _over_time(
    flow: str, column: str, unit: str, groups: tuple[str, ...], factor: float = 1.0
) -> Quantity:
    """A column of one flow over time, second by second; a flow may be absent."""

    def measured(run: Result) -> dict[int, float] | None:
        series = _samples(run).get(flow)
        if series is None or np.isnan(series[column]).all():
            return None
        means = enumerate(_by_seconds(factor * series[column]), WARMUP)
        return {second: float(mean) for second, mean in means if not np.isnan(mean)}

    what = column.partition("_")[0]
    measured.__name__ = f"{what}_of_{flow.replace('-', '_')}"
    measured.__doc__ = f"Mean over a second: {what}, {flow}."
    return quantity(unit, *groups, axis="second", digits=2)(measured)


_BOXES = tuple(
    _percentile(share, *what)
    for share in (5, 25, 50, 75, 95)
    for what in (
        ("rtt", "round-trip time", np.asarray),
        ("jitter", "change of the round-trip time", _changes),
    )
)
_DRAWN = tuple(
    _over_time(flow, column, unit, _TIMES if column == "goodput_mbps" else _TIMES[:1], factor)
    for flow in ("cubic", "bbr", "cubic-up", "bbr-up", "cubic-down", "bbr-down")
    for column, unit, factor in (
        ("goodput_mbps", "Mbit/s", 1.0),
        ("rtt_ms", "ms", 1.0),
        ("cwnd_packets", "KB", _KB),
        *(
            (("pacing_mbps", "Mbit/s", 1.0), ("delivery_mbps", "Mbit/s", 1.0))
            if flow == "bbr"
            else ()
        ),
    )
)
QUANTITIES = (
    *(of for of in tuple(globals().values()) if isinstance(of, Quantity)),
    *_BOXES,
    *_DRAWN,
)
