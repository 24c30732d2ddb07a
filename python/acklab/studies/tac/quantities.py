"""What a run says: throughput, fairness, lost ACKs, and what the air was used for.

Shares are between 0 and 1, of the time after the start; the loss rate of a flow's ACKs is what the
access point's queue had no room for, of what was offered to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import correlation, fmean, pstdev
from typing import TYPE_CHECKING

from acklab.metrics import jain_index
from acklab.studies.tac import delays, duplicates, gaps, growth, on_air
from acklab.studies.tac.setup import START_S
from acklab.studies.tac.stacks import SEGMENT
from acklab.studies.values import once_per_run

if TYPE_CHECKING:
    from acklab.results import Result

#: The paper's limits of a small and of a serious ACK loss rate (section II).
SMALL, SERIOUS = 0.02, 0.12
#: A flow is starved that has less than this part of an even share.
STARVED = 0.25
#: How the ways from the access point to stations begin.
_DOWN = "ap->sta"
#: What the air is used for where there are no bit errors, in the order in which it is drawn.
USES = (
    *("data", "transport_ack", "mac_ack", "control"),
    *("sifs", "contention", "collision", "idle"),
)


def ack_losses(r: Result) -> list[float]:
    """The ACK loss rate of each flow, in the order of stations."""
    links = r.columns("links")
    down = {
        name: (full, offered)
        for name, full, offered in zip(
            links["link"], links["drops_queue_full"], links["packets_in"], strict=True
        )
        if name.startswith(_DOWN)
    }
    return [full / max(offered, 1) for full, offered in down.values()]


@once_per_run
def measured(r: Result) -> dict[str, float]:
    """Every quantity of a run."""
    return {**_flows(r), **_losses(r), **_air(r), **_way_down(r), **_recorded(r)}


def _recorded(r: Result) -> dict[str, float]:
    """What only runs that recorded something say."""
    found: dict[str, float] = {}
    if duplicates.recorded(r):
        if delays.recorded(r):
            found |= delays.measured(r)
        else:
            found |= {**duplicates.counted(r), **gaps.measured(r)}
    if on_air.recorded(r):
        found |= on_air.counted(r)
    if growth.recorded(r):
        found |= growth.measured(r)
    return found


def _flows(r: Result) -> dict[str, float]:
    flows = r.columns("flows")
    goodputs = [float(v) for v in flows["goodput_mbps"]]
    named = list(zip(flows["flow"], goodputs, strict=True))
    uploads = [g for name, g in named if name.startswith("upload")]
    even = fmean(goodputs)
    return {
        "uploads_mbps": sum(uploads),
        "uploads_jain": jain_index(uploads) or 0.0,
        "downloads_mbps": sum(goodputs) - sum(uploads),
        "throughput_mbps": sum(goodputs),
        "jain": jain_index(goodputs) or 0.0,
        "worst_share": min(goodputs) / even if even else 0.0,
        "starved_flows": float(sum(g < STARVED * even for g in goodputs)),
        "rtt_mean_ms": _mean(flows["rtt_mean_ms"]),
        "window_sd_packets": pstdev(_windows(goodputs, flows["rtt_mean_ms"])),
        "rtos": float(sum(flows["rtos"])),
        "rtos_of_poorer_half": _of_poorer_half(goodputs, [float(v) for v in flows["rtos"]]),
        "retransmissions": float(sum(flows["retransmissions"])),
        "duplicate_share": sum(flows["duplicate_segments"]) / max(sum(flows["data_segments"]), 1),
        "out_of_order_share": sum(flows["out_of_order_segments"])
        / max(sum(flows["data_segments"]), 1),
        "fast_retransmissions": float(
            sum(flows["retransmissions_dupack"]) + sum(flows["retransmissions_rack"])
        ),
        "segments_per_ack": sum(flows["data_segments"]) / max(sum(flows["acks_received"]), 1),
    }


def _windows(goodputs: Sequence[float], rtts_ms: Sequence[float | None]) -> list[float]:
    """What each flow has in flight, packets, by Little's law.

    A window that ACKs let grow beyond what the receiver takes says nothing about that.
    """
    return [
        1e6 * g / (8 * SEGMENT) * _number(rtt) / 1e3
        for g, rtt in zip(goodputs, rtts_ms, strict=True)
    ]


def _losses(r: Result) -> dict[str, float]:
    losses = ack_losses(r)
    flows = r.columns("flows")
    goodputs = [float(v) for v in flows["goodput_mbps"]]
    return {**of_flows(losses, goodputs), **_by_window(r, _windows(goodputs, flows["rtt_mean_ms"]))}


def _by_window(r: Result, windows: Sequence[float]) -> dict[str, float]:
    """What losing ACKs does to the half of the flows with smaller windows, and to the other.

    Timeouts for each thousand of their ACKs that found no room, and the share of their data that
    they sent again.
    """
    flows, links = r.columns("flows"), r.columns("links")
    lost = [
        int(full)
        for name, full in zip(links["link"], links["drops_queue_full"], strict=True)
        if name.startswith(_DOWN)
    ]
    order = sorted(range(len(windows)), key=windows.__getitem__)
    halves = {"smaller": order[: len(order) // 2], "larger": order[(len(order) + 1) // 2 :]}
    told: dict[str, float] = {}
    for name, half in halves.items():
        gone = sum(lost[i] for i in half)
        timeouts, again, sent = (
            sum(int(flows[c][i]) for i in half)
            for c in ("rtos", "retransmissions", "data_segments")
        )
        told[f"rtos_per_1000_lost_{name}"] = 1e3 * timeouts / gone if gone else 0.0
        told[f"repeated_share_{name}"] = again / max(sent, 1)
    return told


def of_flows(losses: Sequence[float], goodputs: Sequence[float]) -> dict[str, float]:
    """What Figure 3 and its text say of the flows' loss rates, and how goodputs go with them."""
    return {
        "flows_without_loss": float(sum(v == 0 for v in losses)),
        "loss_goodput_correlation": _correlation(losses, goodputs),
        "ack_loss_mean": fmean(losses),
        "ack_loss_sd": pstdev(losses),
        "ack_loss_min": min(losses),
        "ack_loss_max": max(losses),
        "flows_under_2_percent": float(sum(v < SMALL for v in losses)),
        "flows_over_12_percent": float(sum(v > SERIOUS for v in losses)),
    }


def _air(r: Result) -> dict[str, float]:
    air = r.columns("airtime")
    spent = dict(zip(air["use"], (float(v) for v in air["airtime_s"]), strict=True))
    seconds = sum(spent.values()) - START_S
    spent["idle"] -= START_S
    stations = r.columns("stations")
    received = sum(int(v) for v in r.columns("flows")["received_bytes"])
    ap, *others = range(len(stations["station"]))
    data = [float(v) for v in stations["data_ppdus"]]
    mpdus = [float(v) for v in stations["mpdus"]]
    retries = [float(v) for v in stations["retries"]]
    failures = [float(v) for v in stations["failures"]]
    accesses = [float(v) for v in stations["accesses"]]
    sent, tried = sum(data[i] for i in others), sum(accesses[i] for i in others)
    return {
        **{f"{use}_share": spent[use] / seconds for use in (*USES, "noise")},
        "ack_airtime_ms_per_mb": 1e3 * spent["transport_ack"] / max(received / 1e6, 1e-9),
        "mpdus_per_ppdu": sum(mpdus[i] for i in others) / max(sent, 1),
        "acks_per_ppdu": mpdus[ap] / max(data[ap], 1),
        "retries_share": sum(retries[i] for i in others) / max(sum(mpdus[i] for i in others), 1),
        "retries_share_ap": retries[ap] / max(mpdus[ap], 1),
        "failed_share": sum(failures[i] for i in others) / max(tried, 1),
        "failed_share_ap": failures[ap] / max(accesses[ap], 1),
        "accesses_per_s": tried / seconds,
        "accesses_per_s_ap": accesses[ap] / seconds,
        "access_delay_ap_ms": float(stations["access_delay_mean_ms"][ap] or 0.0),
        "access_delay_max_ms": max(_number(stations["access_delay_max_ms"][i]) for i in others),
        "access_delay_max_ap_ms": _number(stations["access_delay_max_ms"][ap]),
        "packets_per_access": received / SEGMENT / max(tried, 1),
    }


def _way_down(r: Result) -> dict[str, float]:
    links = r.columns("links")
    down = [i for i, name in enumerate(links["link"]) if name.startswith(_DOWN)]
    out = [float(links["packets_out"][i]) for i in down]
    waited = [_number(links["wait_mean_ms"][i]) * n for i, n in zip(down, out, strict=True)]
    seen = sum(_number(links["acks_seen"][i]) for i in down)
    air = r.columns("airtime")
    seconds = sum(float(v) for v in air["airtime_s"]) - START_S
    return {
        "queue_wait_ms": sum(waited) / max(sum(out), 1),
        # By Little's law: what went in and out waited for so long.
        "queue_packets": sum(waited) / 1e3 / seconds,
        "filtered_share": sum(_number(links["acks_dropped"][i]) for i in down) / seen
        if seen
        else 0.0,
    }


def _of_poorer_half(goodputs: Sequence[float], events: Sequence[float]) -> float:
    """The share of events that befell the flows with less goodput than the median one."""
    order = sorted(range(len(goodputs)), key=goodputs.__getitem__)
    poorer = order[: len(order) // 2]
    return sum(events[i] for i in poorer) / sum(events) if sum(events) else 0.0


def _correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Pearson's; 0 where one of them does not vary."""
    if pstdev(a) == 0 or pstdev(b) == 0:
        return 0.0
    return correlation(a, b)


def _mean(values: Sequence[float | None]) -> float:
    known = [v for v in (_number(v, None) for v in values) if v is not None]
    return fmean(known) if known else 0.0


def _number(value: float | None, missing: float | None = 0.0) -> float:
    """A value of a column; not-a-number and null are none."""
    if value is None or value != value:
        return missing  # type: ignore[return-value]
    return float(value)
