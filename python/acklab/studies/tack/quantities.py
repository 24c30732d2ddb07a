"""Quantities of a run: goodput, ACKs and estimates, and the equations beside them."""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING

import numpy as np

from acklab.studies.kit.quantity import quantity
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.tack import laws
from acklab.studies.tack.cells import SPARE
from acklab.studies.tack.derived import DERIVED
from acklab.studies.values import (
    airtime,
    columns,
    goodputs,
    of_flow,
    of_link,
    of_station,
    once_per_run,
)

if TYPE_CHECKING:
    from acklab.results import Result

_ONE_FLOW = (
    *("wlan", "tool", "contention", "thinned", "wan", "noisy", "slots", "baseline"),
    *("frequency", "window", "lossy"),
)
_RANDOM = ("wild", "rank")
#: s; section 5.2's window of the minimum filter.
_TAU = 10
#: Bytes of payload in a full packet of TACK over an MTU of 1500.
_FULL = 1434
#: The same of TCP with timestamps.
_SEGMENT = 1448


@quantity("Mbit/s", *_ONE_FLOW, *_RANDOM, "timing", digits=1)
def goodput(run: Result) -> float:
    """Payload that arrived after the warm-up."""
    return float(of_flow(run, "goodput_warm_mbps"))


@quantity("packets", "wlan", "wan", "noisy", digits=0)
def data(run: Result) -> float:
    """Data packets that were sent."""
    return float(of_flow(run, "data_segments"))


@quantity("ACKs", "wlan", "wan", "noisy", digits=0)
def acks(run: Result) -> float:
    """Acknowledgements that the receiver sent, IACKs included."""
    return float(of_flow(run, "acks_sent"))


@quantity("IACKs", "wan", "noisy", digits=0)
def iacks(run: Result) -> float:
    """IACKs that the receiver sent."""
    return float(of_flow(run, "iacks_sent") or 0)


@quantity("losses", "wan", digits=0)
def lost(run: Result) -> float:
    """Data packets that the wire or a full queue lost."""
    links = columns(run, "links")
    down = [i for i, name in enumerate(links["link"]) if name in ("server->ap", "ap->sta0")]
    return float(sum(links["dropped"][i] for i in down))


@quantity("", "wlan", "wan", digits=4)
def per_data(run: Result) -> float:
    """Acknowledgements for a data packet."""
    return float(of_flow(run, "acks_sent")) / float(of_flow(run, "data_segments"))


@quantity("", "wlan", "thinned", "wan", digits=4)
def repeated(run: Result) -> float:
    """Retransmissions, of all data packets."""
    return float(of_flow(run, "retransmissions")) / float(of_flow(run, "data_segments"))


@quantity("", "wlan", "contention", digits=4)
def feedback(run: Result) -> float:
    """Share of the air that acknowledgements take."""
    return airtime(run)["transport_ack"] / sum(airtime(run).values())


@quantity("", "wlan", "tool", "contention", digits=3)
def collision(run: Result) -> float:
    """Share of the air that collisions take."""
    return airtime(run)["collision"] / sum(airtime(run).values())


@quantity("packets", "wlan", "tool", "contention", digits=1)
def together(run: Result) -> float:
    """Packets in a frame on the air, of those who send data."""
    table = columns(run, "stations")
    most = int(np.argmax(table["data_s"]))
    return float(table["mpdus"][most]) / max(float(table["data_ppdus"][most]), 1)


@quantity("Mbit/s", "contention", digits=2)
def ack_rate(run: Result) -> float:
    """Rate of the small packets that the receiver sends, counted as Ethernet frames."""
    return float(of_flow(run, "acks_sent")) * 64 * 8 / _numbers(run)[-1] / 1e6


@quantity("", "contention", digits=3)
def loss(run: Result) -> float:
    """Data packets that never arrived."""
    return float(of_flow(run, "datagram_loss") or 0)


@quantity("ACKs", "wan", "noisy", digits=0)
def eq3(run: Result) -> float:
    """beta / RTT of the path without queues x time."""
    rtt_ms, length = _numbers(run)[-2:]
    return laws.BETA / (rtt_ms / 1e3) * length


@quantity("%", "cast", digits=1)
def rebuffering(run: Result) -> float:
    """Time that the picture stood still, of the time that it was shown or stood still."""
    return 100 * float(of_flow(run, "video_rebuffering") or 0)


@quantity("%", "cast", digits=1)
def macroblocks(run: Result) -> float:
    """Damaged part of the picture, mean over frames."""
    return 100 * float(of_flow(run, "video_macroblock_loss") or 0)


@quantity("packets", "cast", digits=1)
def phone_frame(run: Result) -> float:
    """Packets in a frame of the phone on the air."""
    return of_station(run, "mpdus", "phone") / max(of_station(run, "data_ppdus", "phone"), 1)


# --- round-trip timing ---------------------------------------------------------------------------


@quantity("ms", "timing", digits=1)
def rtt_min(run: Result) -> float | None:
    """The sender's minimum RTT over the last 10 s, mean over the run from then on."""
    table = columns(run, "series")
    times, rtts = (np.asarray(table[n], float) for n in ("time_s", "rtt_ms"))
    ends = range(_TAU + 2, int(times[-1]))
    found = [np.nanmin(rtts[(times > end - _TAU) & (times <= end)]) for end in ends]
    return fmean(found) if found else None


@quantity("ms", *_RANDOM, digits=1)
def owd(run: Result) -> float:
    """The 95th percentile of the one-way delay."""
    return float(of_flow(run, "owd_p95_ms"))


@quantity("", "wild", digits=4)
def queue_loss(run: Result) -> float:
    """Data packets for which the queue had no room."""
    return of_link(run, "drops_queue_full", "left->right") / float(of_flow(run, "data_segments"))


@quantity("", "rank", digits=2)
def power(run: Result) -> float:
    """log(throughput / 95th percentile of the one-way delay), in Mbit/s and ms."""
    return float(np.log(goodput.of(run) / owd.of(run)))


# --- loss recovery -------------------------------------------------------------------------------


@quantity("KB", "blocked", digits=0)
def blocked(run: Result) -> float:
    """Data that have arrived above a gap when a TACK is sent, median."""
    told = run.reports
    rows = zip(told["packets_arrived"], told["ack_bytes"], told["reason"], strict=True)
    held = [n * _FULL - below for n, below, why in rows if why.startswith("tack")]
    return float(median(held)) / 1e3


@quantity("", "lossy", "window", digits=3)
def utilisation(run: Result) -> float:
    """Bits of full packets that arrived in order, for those that the bottleneck could carry."""
    payload = _FULL if columns(run, "flows")["transport"][0] == "tack" else _SEGMENT
    return float(goodput.of(run)) * laws.MSS / payload / _numbers(run)[0]


@quantity("", "lossy", digits=2)
def iacks_lost(run: Result) -> float:
    """Eq. 7: IACKs of a round trip that are lost, with a loss of 1 % of the data."""
    mbits, rtt_ms, ack_loss, *_ = _numbers(run)
    return laws.lost_iacks(mbits * 1e6, rtt_ms / 1e3, 0.01, ack_loss)


# --- friendliness --------------------------------------------------------------------------------


def _share(run: Result, flow: int) -> float:
    return float(goodputs(run)[flow] / (_numbers(run)[0] / 2))


@quantity("of a fair share", "friends", digits=2)
def first(run: Result) -> float:
    """Goodput of the first of two flows, for half of the bottleneck's rate."""
    return _share(run, 0)


@quantity("of a fair share", "friends", digits=2)
def second(run: Result) -> float:
    """Goodput of the second of two flows, for half of the bottleneck's rate."""
    return _share(run, 1)


@quantity("BDP", "friends", digits=2)
def depth(run: Result) -> float:
    """Room at the bottleneck in bandwidth-delay products."""
    return _numbers(run)[3]


# --- how often -----------------------------------------------------------------------------------


@quantity("Hz", "frequency", "wan", digits=1)
def measured(run: Result) -> float:
    """Acknowledgements in a second of the run."""
    return float(of_flow(run, "acks_sent")) / _numbers(run)[-1]


def _bw(run: Result) -> float:
    """bit/s of a flow whose feedback is counted."""
    return _numbers(run)[0] / SPARE * 1e6


@quantity("Hz", "frequency", digits=1)
def f_tack(run: Result) -> float:
    """Eq. 3 with an MSS of 1500 B."""
    return laws.tack(_bw(run), _numbers(run)[1] / 1e3)


@quantity("Hz", "frequency", digits=1)
def f_tcp(run: Result) -> float:
    """Eq. 4: TCP that acknowledges every packet."""
    return laws.byte_counting(_bw(run), 1)


@quantity("Hz", "frequency", digits=1)
def f_tcp2(run: Result) -> float:
    """Eq. 5: TCP's delayed ACK, with a timer of 40 ms."""
    return laws.delayed(_bw(run), 0.04)


@once_per_run
def _numbers(run: Result) -> list[float]:
    """Mbit/s, RTT in ms, loss of ACKs, BDP (two of a radio: RTT, s) and s, by the run's name."""
    *thousandths, seconds = run.scenario.name.split("_")[1:]
    return [*(int(n) / 1000 for n in thousandths), int(seconds)]


QUANTITIES = (*(v for v in globals().values() if isinstance(v, Quantity)), *DERIVED)
