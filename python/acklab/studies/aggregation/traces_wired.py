"""Quantities of a recorded run of one flow: where seconds, packets and ACKs went."""

from __future__ import annotations

from statistics import fmean, pstdev

from acklab.results import Result
from acklab.studies.kit.quantity import quantity
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.values import of_flow

from . import recorded_wired as of
from .cells_wired import DATA, SAMPLE_S, START_S

#: Packets of one flow closer than this came in one burst, s: the access link needs 0.12 ms for
#: a segment of 1448 B, the bottleneck 1.2 ms.
BURST_S = 0.0002


@quantity("s", "traces", digits=2)
def idle_handshake(r: Result) -> float:
    """Seconds until the first data."""
    return min(of.first(r), of.end(r)) - START_S


@quantity("s", "traces", digits=2)
def idle_start(r: Result) -> float:
    """Idle seconds of the bottleneck from the first data until it is full."""
    return of.idle(r, of.first(r), of.full(r))


@quantity("s", "traces", digits=2)
def idle_later(r: Result) -> float:
    """Idle seconds of the bottleneck once it has been full."""
    return of.idle(r, max(of.first(r), of.full(r)), of.end(r))


@quantity("s", "traces", digits=2)
def idle_settled(r: Result) -> float:
    """Idle seconds of the bottleneck after 8 s."""
    return of.idle(r, of.SETTLED_S, of.end(r))


@quantity("timeouts", "traces", "untimed", digits=0)
def syn_timeouts(r: Result) -> float:
    """Timeouts before the first data."""
    return float((of.events(r, "rto")["time_s"] < of.first(r) + 1e-3).sum())


@quantity("timeouts", "traces", "untimed", digits=0)
def timeouts_later(r: Result) -> float:
    """Timeouts once data flow."""
    sent = of.acks(r, "sent")["time_s"]
    return 0.0 if sent.is_empty() else float((of.events(r, "rto")["time_s"] > sent[0]).sum())


@quantity("Mbit/s", "traces")
def first_pacing(r: Result) -> float | None:
    """The first pacing rate after the first data."""
    paced = r.series.filter(r.series["time_s"] > of.first(r))["pacing_mbps"].drop_nulls()
    return None if paced.is_empty() else float(paced[0])


@quantity("s", "traces", digits=1)
def crawl(r: Result) -> float:
    """Seconds after the first data in which the flow paced below 1 Mbit/s."""
    paced = r.series.filter(r.series["time_s"] > of.first(r))["pacing_mbps"].drop_nulls()
    return float((paced < 1.0).sum()) * SAMPLE_S


@quantity("s", "traces", digits=2)
def startup_left(r: Result) -> float | None:
    """When the flow last left slow start or STARTUP."""
    states = of.events(r, "state")
    left = states.filter(~states["cause"].is_in(["STARTUP", "PROBE_RTT", "slow_start"]))["time_s"]
    return None if left.is_empty() else float(left[0]) - START_S


@quantity("", "traces")
def segments_acked(r: Result) -> float | None:
    """Segments for which an ACK stands, after 8 s."""
    got = of.received(r)
    return of.mean(got.filter(got["segments"] > 0)["segments"])


@quantity("", "traces")
def by_timer(r: Result) -> float | None:
    """The share of the queue's releases that its timer made."""
    went = of.released(r)
    return None if went.is_empty() else float((went["reason"] == "timeout").mean())  # type: ignore[arg-type]


@quantity("ms", "traces", digits=1)
def held(r: Result) -> float:
    """How long the queue held the ACK that went on."""
    return 1e3 * (of.mean(of.released(r)["delay_s"]) or 0.0)


@quantity("ms", "traces", digits=0)
def ack_silence(r: Result) -> float | None:
    """The longest time without any ACK, after 8 s."""
    gap = of.received(r)["time_s"].diff().max()
    return None if gap is None else 1e3 * float(gap)  # type: ignore[arg-type]


@quantity("ms", "traces", digits=0)
def least_timeout(r: Result) -> float:
    """The stack's smallest retransmission timeout: RFC 6298 in ns-3, TCP_RTO_MIN in Linux."""
    return 1000.0 if of.smoothed(r) else 200.0


@quantity("packets", "traces")
def burst(r: Result) -> float | None:
    """Packets that came to the bottleneck back to back, in the mean."""
    if "packets" not in r.recorded:
        return None
    at = of.packets(r)
    came = at.filter(at["what"].is_in(["queued", "dropped"]) & (at["at"] >= of.SETTLED_S))["at"]
    return came.len() / (int((came.diff() > BURST_S).sum()) + 1)


@quantity("segments", "traces", digits=0)
def lost_twice(r: Result) -> float | None:
    """Segments of which a repetition was dropped at the bottleneck, too."""
    if "packets" not in r.recorded:
        return None
    dropped = of.packets(r).filter(of.packets(r)["what"] == "dropped")
    return float((dropped["end"].value_counts()["count"] > 1).sum())


@quantity("duplicates", "traces", digits=0)
def duplicates(r: Result) -> float:
    """ACKs that reached the sender and acknowledged nothing new."""
    return float(r.acks.filter(what="received", segments=0).height)


@quantity("duplicates", "traces", digits=0)
def duplicates_sent(r: Result) -> float:
    """The same as the receiver sent them."""
    return float(r.acks.filter(what="sent", segments=0).height)


@quantity("s", "traces")
def cycle(r: Result) -> float | None:
    """Mean time between overflows of the queue, after 8 s."""
    return of.mean(of.overflows(r).diff())


@quantity("", "traces", digits=0)
def reductions(r: Result) -> float:
    """Reductions of the window after 8 s."""
    return float(of.settled(of.events(r, "recovery_enter")).height)


@quantity("packets/s", "traces", digits=1, signed=True)
def growth(r: Result) -> float | None:
    """Packets by which the window grows per second, its reductions left out."""
    return of.growth(of.series(r))


@quantity("packets", "traces", digits=0)
def lowest_window(r: Result) -> float | None:
    """The window's lowest hundredth after 8 s."""
    lowest = of.series(r)["cwnd_packets"].quantile(0.01)
    return None if lowest is None else float(lowest)


@quantity("packets", "traces", digits=0)
def needed_window(r: Result) -> float | None:
    """The window that fills the link without a queue, ACKs held as they are."""
    least = of_flow(r, "rtt_min_ms")
    if least is None:
        return None
    link = r.links.filter(link=DATA).row(0, named=True)
    packet_s = link["bytes_out"] / link["packets_out"] * 8 / 10e6
    # The first segment of an ACK waits for the others' way through the bottleneck.
    held_back = packet_s * (of.mean(of.received(r)["segments"]) or 1.0)
    return float((float(least) / 1e3 + held_back) / packet_s)


@quantity("stalls", "traces", digits=0)
def stalls(r: Result) -> float:
    """How often the cumulative ACK stands still for more than 0.5 s, after 8 s."""
    return float(len(of.stalls(r)))


@quantity("", "traces")
def busy_while_stalled(r: Result) -> float | None:
    """The share of that time in which the bottleneck was busy."""
    length = sum(b - a for a, b in of.stalls(r))
    return 1 - sum(of.idle(r, a, b) for a, b in of.stalls(r)) / length if length else None


@quantity("", "traces")
def swing(r: Result) -> float | None:
    """Coefficient of variation of the rate in half seconds after 8 s."""
    return of.variation([v for t, v in of.rates(r, 0.5) if t > of.SETTLED_S - START_S])


@quantity("", "traces")
def swing_calm(r: Result) -> float | None:
    """The same without the half seconds in which the cumulative ACK stands still."""
    still = [(a - START_S, b - START_S) for a, b in of.stalls(r)]
    rates = [
        v
        for t, v in of.rates(r, 0.5)
        # The bin in which a stall ends has the ACKs of all data that the stall held up.
        if t > of.SETTLED_S - START_S and not any(t - 0.5 < b + 0.05 and a < t for a, b in still)
    ]
    return pstdev(rates) / fmean(rates) if any(rates) else None


@quantity("visits", "traces", digits=0)
def probe_rtt_visits(r: Result) -> float:
    """Visits to PROBE_RTT per minute."""
    visits = of.events(r, "state")["cause"] == "PROBE_RTT"
    return float(visits.sum()) * 60 / of.seconds(r)


@quantity("", "traces")
def probe_rtt_window(r: Result) -> float | None:
    """The window in PROBE_RTT as a share of that outside."""
    low = of.median(of.state(r, "PROBE_RTT")["cwnd_packets"])
    usual = of.median(of.series(r).filter(of.series(r)["state"] != "PROBE_RTT")["cwnd_packets"])
    return None if low is None or usual is None else low / usual


@quantity("", "traces")
def cwnd_swing(r: Result) -> float | None:
    """Coefficient of variation of the window in samples 50 ms apart, after 8 s."""
    return of.variation(of.series(r)["cwnd_packets"].to_list())


@quantity("", "traces")
def cwnd_swing_calm(r: Result) -> float | None:
    """The same without PROBE_RTT."""
    calm = of.series(r).filter(of.series(r)["state"] != "PROBE_RTT")
    return of.variation(calm["cwnd_packets"].to_list())


@quantity("ms", "traces", digits=0)
def first_rtt(r: Result) -> float | None:
    """The first smoothed RTT that a sample saw."""
    srtt = r.series["srtt_ms"].drop_nulls()
    return None if srtt.is_empty() else float(srtt[0])


@quantity("ms", "traces", digits=1)
def base_rtt(r: Result) -> float | None:
    """The smallest RTT that Vegas was given."""
    if r.scenario.name.split("-")[3] != "vegas":
        return None
    given = r.series["srtt_ms"].drop_nulls() if of.smoothed(r) else of.newest(r)["rtt"]
    return None if given.is_empty() else float(given.min())  # type: ignore[arg-type]


@quantity("ms", "traces", digits=1)
def later_rtt(r: Result) -> float | None:
    """The RTT that Vegas is given later, its median."""
    if r.scenario.name.split("-")[3] != "vegas":
        return None
    return of.median(of.series(r)["srtt_ms"] if of.smoothed(r) else of.settled(of.newest(r))["rtt"])


@quantity("packets", "traces", digits=0)
def usual_window(r: Result) -> float | None:
    """The window's median after 8 s."""
    return of.median(of.series(r)["cwnd_packets"])


@quantity("packets", "traces", digits=1)
def reckoned(r: Result) -> float | None:
    """Packets that Vegas takes for queued: its window times one less base over RTT."""
    base, now, size = base_rtt.of(r), later_rtt.of(r), usual_window.of(r)
    return None if base is None or now is None else size * (1 - base / now)


@quantity("packets", "traces", digits=0)
def standing(r: Result) -> float:
    """Packets that stand in the bottleneck's queue: its tenth percentile over time."""
    queue = of.settled(r.link_series.filter(link=DATA))["queue_packets"]
    return float(queue.quantile(0.1) or 0.0)


@quantity("ms", "traces", digits=1)
def waited(r: Result) -> float | None:
    """How long acknowledged segments of Vegas waited at the bottleneck."""
    vegas = r.scenario.name.split("-")[3] == "vegas"
    return of.mean(of.settled(of.newest(r))["wait"]) if vegas else None


@quantity("packets", "traces", digits=0)
def slow_start_window(r: Result) -> float | None:
    """The window when slow start was left."""
    states = of.events(r, "state")
    left = states.filter(states["cause"] == "congestion_avoidance")["value"]
    segment = r.series["cwnd_bytes"][-1] / r.series["cwnd_packets"][-1]
    return None if left.is_empty() else float(left[0]) / segment


@quantity("changes", "traces", digits=0)
def window_changes(r: Result) -> float:
    """Changes of the window by half a packet and more per minute, after 8 s."""
    later = of.series(r)["cwnd_packets"].diff().abs()
    return float((later > 0.5).sum()) * 60 / (of.end(r) - of.SETTLED_S)


@quantity("", "traces")
def idle_share(r: Result) -> float:
    """The share of the time after 8 s in which the bottleneck had nothing to send."""
    return of.idle(r, of.SETTLED_S, of.end(r)) / (of.end(r) - of.SETTLED_S)


def _dropped(r: Result, phase: str) -> float:
    return float(of.drops(r).filter(phase=phase)["lost"].sum())


@quantity("packets", "traces", digits=0)
def dropped_start(r: Result) -> float:
    """Packets dropped at the bottleneck in the first 8 s."""
    return _dropped(r, "start")


@quantity("packets", "traces", digits=0)
def dropped_probing(r: Result) -> float:
    """Packets dropped later in PROBE_BW_UP."""
    return _dropped(r, "probing")


@quantity("packets", "traces", digits=0)
def dropped_else(r: Result) -> float:
    """Packets dropped later in any other state."""
    return _dropped(r, "else")


@quantity("", "traces", digits=3)
def cruise_pace(r: Result) -> float | None:
    """BBRv3's pacing rate while it cruises, as a share of what the link carries."""
    pace = of.median(of.state(r, "PROBE_BW_CRUISE")["pacing_mbps"])
    return None if pace is None else pace / of.link_payload(r)


def _queue(r: Result, state: str) -> float | None:
    queue = r.link_series.filter(link=DATA).select("time_s", "queue_packets")
    return of.mean(of.state(r, state).join(queue, on="time_s")["queue_packets"])


@quantity("packets", "traces", digits=1)
def cruise_queue(r: Result) -> float | None:
    """The bottleneck's mean queue while BBRv3 cruises."""
    return _queue(r, "PROBE_BW_CRUISE")


@quantity("packets", "traces", digits=1)
def probe_queue(r: Result) -> float | None:
    """The bottleneck's mean queue while BBRv3 probes for bandwidth."""
    return _queue(r, "PROBE_BW_UP")


TRACES = tuple(q for q in list(vars().values()) if isinstance(q, Quantity))
