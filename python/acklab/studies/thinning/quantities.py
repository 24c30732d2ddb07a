"""The quantities of a run, and those beside a run without thinning on the same path.

No thinning is Linux's receiver, which acknowledges every second segment, or each one while its
window grows. A value is held against the same path, controller and seed without thinning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from acklab.studies.kit.quantity import derived, quantity
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.thinning.cells import PACKET, PATHS, Path
from acklab.studies.values import columns, of_flow

if TYPE_CHECKING:
    from acklab.results import Result

#: Payload of a full segment, bytes.
_SEGMENT = 1448
#: Segments for which a Linux receiver sends an ACK.
_PER_ACK = 2


def _path(run: Result) -> Path:
    return PATHS[str(columns(run, "flows")["flow"][0])]


@quantity("Mbit/s")
def goodput(run: Result) -> float:
    """Payload that arrived, over the measured time."""
    return float(of_flow(run, "goodput_mbps"))


@quantity("Mbit/s")
def settled(run: Result) -> float:
    """The same after the warm-up of 20 RTTs, and at least 2 s."""
    return float(of_flow(run, "goodput_warm_mbps"))


@quantity("ms", digits=1)
def rtt(run: Result) -> float | None:
    """The 95th percentile of the RTT."""
    value = of_flow(run, "rtt_p95_ms")
    return None if value is None else float(value)


@quantity("", digits=3)
def acks(run: Result) -> float:
    """ACKs that the sender got for a segment that arrived."""
    return float(of_flow(run, "acks_received")) / float(of_flow(run, "received_bytes")) * _SEGMENT


@quantity("", digits=4)
def repeated(run: Result) -> float:
    """Retransmissions as a share of all data segments."""
    return float(of_flow(run, "retransmissions")) / float(of_flow(run, "data_segments"))


@quantity("", digits=1)
def timeouts(run: Result) -> float:
    """Retransmission timeouts in a run."""
    return float(of_flow(run, "rtos"))


@quantity("packets", digits=1)
def window(run: Result) -> float | None:
    """The mean congestion window."""
    value = of_flow(run, "cwnd_mean_packets")
    return None if value is None else float(value)


@quantity("", "thinner", digits=3)
def hold(run: Result) -> float:
    """The time that the thinner holds an ACK at most, as a share of the RTT."""
    ratio, timer = map(int, run.scenario.name.split("-")[1:])
    path = _path(run)
    # The timer, or the time in which the ratio's other ACKs come, whichever is less.
    others = (ratio - 1) * _PER_ACK * PACKET / path.rate / 1e3
    return min(timer, others) / path.rtt


@quantity("", "thinner", digits=2)
def burst(run: Result) -> float:
    """Segments that an ACK releases, as a share of the queue's places."""
    per_segment = acks.of(run)
    return 1 / per_segment / _path(run).places if per_segment else float("nan")


_BESIDE = ("thinner", "open", "back", "variant")
_BY = ("by_rtt", "by_rate", "by_queue")
#: The axes of the thinner's settings, which counts do away with.
_SETTINGS = "over=[path, ratio, timer]"
#: A setting hurts that keeps less, and whose interval lies below all of the goodput.
_HURTS = "mean(share) < 0.95 and share < 1"
_GENTLE = "mean(hold) <= 0.1 and mean(burst) <= 0.25"
#: Other signs of harm beside the goodput; the first that applies is the cause.
_SIGNS = {
    "start": ("only the start is slower", "mean(share_settled) >= 0.95"),
    "timeouts": ("a run has one more timeout at least", "mean(timeouts_more) >= 1"),
    "losses": ("one segment in a hundred more is sent twice", "mean(repeated_more) >= 0.01"),
    "waiting": ("the RTT's 95th percentile is a tenth longer", "mean(rtt_times) >= 1.1"),
    "window": ("the window is a tenth smaller", "mean(window_times) < 0.9"),
}


def _count(name: str, text: str, condition: str) -> Quantity:
    """The thinner's settings of a controller for which something holds."""
    return derived(name, "", text, f"count({condition}, {_SETTINGS})", "thinner", digits=0)


def _causes() -> Iterator[Quantity]:
    before: list[str] = []
    for name, (text, sign) in _SIGNS.items():
        condition = " and ".join(["hurts > 0", *(f"not ({b})" for b in before), sign])
        yield _count(f"from_{name}", f"Settings that hurt where {text}.", condition)
        before.append(sign)


def _of_schemes(name: str, text: str, word: str, of: str) -> Quantity:
    """One number of a scheme and controller over the paths where ACKs have room."""
    return derived(name, "", text, f"{word}(mean({of}), over=path)", "open")


_KEPT_THERE = (
    "total(mean(share) * hurts(change='as it is'), over=[path, timer])"
    " / total(hurts(change='as it is'), over=[path, timer])"
)

QUANTITIES = (
    *(goodput, settled, rtt, acks, repeated, timeouts, window, hold, burst),
    derived("kept", "", "Goodput over that without thinning.", "goodput / goodput(timer=0)", *_BY),
    derived(
        "share", "", "Goodput over that without thinning.", "goodput / plain.goodput", *_BESIDE
    ),
    derived(
        "share_settled", "", "The same after the warm-up.", "settled / plain.settled", *_BESIDE
    ),
    derived(
        "saved",
        "",
        "By which share fewer ACKs came for a segment that arrived.",
        "1 - acks / plain.acks",
        *_BESIDE,
    ),
    derived(
        "rtt_times",
        "",
        "The 95th percentile of the RTT over that without thinning.",
        "rtt / plain.rtt",
        *_BESIDE,
    ),
    derived(
        "window_times",
        "",
        "The mean window over that without thinning.",
        "window / plain.window",
        *_BESIDE,
    ),
    derived(
        "timeouts_more",
        "",
        "Timeouts that thinning adds to a run.",
        "timeouts - plain.timeouts",
        *_BESIDE,
        digits=1,
    ),
    derived(
        "repeated_more",
        "",
        "What thinning adds to the share of segments that are sent twice.",
        "repeated - plain.repeated",
        *_BESIDE,
        digits=4,
    ),
    derived(
        "hurts",
        "",
        "1 where less than 95 % of the goodput is kept, with an interval below all of it; else 0.",
        f"count({_HURTS}, over=[])",
        *("thinner", "variant"),
        digits=0,
    ),
    derived(
        "gentle",
        "",
        "1 where a setting holds ACKs for a tenth of the RTT at most, and a burst fills a quarter "
        "of the queue at most; else 0.",
        f"count({_GENTLE}, over=[])",
        "thinner",
        digits=0,
    ),
    _count("settings", "Settings of the thinner, over all paths.", "gentle >= 0"),
    _count("hurting", "Settings that hurt.", "hurts > 0"),
    _count("gentle_settings", "Settings with a short hold and a small burst.", "gentle > 0"),
    _count("gentle_hurting", "Of these, those that hurt.", "gentle > 0 and hurts > 0"),
    *_causes(),
    derived(
        "least_kept",
        "",
        "Goodput kept in the setting that hurts most.",
        f"least(mean(share), {_SETTINGS})",
        "thinner",
    ),
    _of_schemes("worst", "Goodput kept on the path that suffers most.", "least", "share"),
    _of_schemes("typical", "Goodput kept on the median path.", "median", "share"),
    _of_schemes("saving", "ACKs saved on the median path.", "median", "saved"),
    _of_schemes(
        "least_saving",
        "ACKs saved on the path where a scheme saves least; below zero it sends more.",
        *("least", "saved"),
    ),
    _of_schemes(
        "delay",
        "The RTT's 95th percentile over that without thinning, where it grows most.",
        *("most", "rtt_times"),
    ),
    derived(
        "gained",
        "",
        "Goodput over that without thinning, where ACKs fill the way back; median over paths.",
        "median(mean(share), over=path)",
        "back",
    ),
    derived(
        "kept_there",
        "",
        "Goodput kept on average over the paths and timers where 16:1 as it is hurts.",
        _KEPT_THERE,
        "variant",
    ),
)
