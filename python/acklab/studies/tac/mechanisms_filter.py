"""Why it is so: the queue with TAC, and the ACKs that come to it, with numbers of these cells."""

from __future__ import annotations

from acklab.studies.tac.evidence import View, mean
from acklab.studies.tac.robust import GAPS, te
from acklab.studies.tac.spots import Spot, ber, case, each, n


def emptier(v: View) -> str:
    """What is left to wait."""
    k = v.stations[-1]
    pair = [n(v, s, k) for s in ("agg", "tac")]
    return (
        f"N = {k}, AGG / TAC: {each('queue_packets', pair)} packets wait on average, "
        f"{each('queue_wait_ms', pair, 0)} ms each: TAC sends one ACK for "
        f"{pair[1].said('segments_per_ack', 0)} packets, and that one finds room. It waits as the "
        "others did, for its station's turn."
    )


def redundant(v: View) -> str:
    """What else an ACK is good for."""
    every = Spot("10,000", lambda q: v.lmax(q, 16, 10_000))
    pair = [every, case(v, te(5))]
    return (
        f"20 stations, 16 KB, all ACKs returned / TAC: {each('rtos', pair, 0)} timeouts in a run, "
        f"{each('segments_per_ack', pair)} packets for each ACK that arrives. For what has been "
        "delivered one ACK is enough; a window that was cut grows again by ACKs, and has fewer."
    )


def same(v: View) -> str:
    """What bit errors change for TAC."""
    pair = [case(v, te(5)), ber(v, "tac", 16)]
    return (
        "20 stations, 16 KB, without / with bit errors: an access of a station brings "
        f"{each('packets_per_access', pair)} packets and TAC leaves an ACK for "
        f"{each('segments_per_ack', pair)}. The MAC delivers in order, so a gap delays a burst "
        "and does not break it."
    )


def beyond_rtt(v: View) -> str:
    """Which gaps are long."""
    counts = v.counts(GAPS)
    timeouts = " / ".join(f"{mean(v.robust('rtos', GAPS, k)):.0f}" for k in counts)
    return (
        f"AGG, N = {' / '.join(map(str, counts))}: while a window is open, its last ACK is "
        "answered by data within a round trip. Longer gaps are those of a flow in timeout "
        f"({timeouts} in 20 s over all flows)."
    )


def slowest(v: View) -> str:
    """What sets the pace within a frame."""
    told = " / ".join(f"{mean(v.robust('gap_least_ms', GAPS, k)):.3f}" for k in v.counts(GAPS))
    return (
        f"An MPDU of 1106 B takes {8 * 1106 / 65e3:.3f} ms at 65 Mbit/s, and each is handed on as "
        f"soon as it is there, so that within a frame ACKs come {told} ms apart or more. Only "
        "packets that waited for one before them go on at once, at the pace of the wire."
    )


def congested(v: View) -> str:
    """What more stations do to it."""
    counts = v.counts(GAPS)
    spots = [
        Spot(f"{k}", lambda q, k=k: v.robust(q, GAPS, k))  # type: ignore[misc]
        for k in counts
    ]
    return (
        f"AGG, N = {' / '.join(map(str, counts))}: the mean gap is what the packets of one flow "
        f"that have an ACK take when all share {each('throughput_mbps', spots)} Mbit/s. It is "
        f"made of short gaps within frames ({each('gaps_within_te_share', spots, 0, 100)} % are "
        "within 5 ms) and long ones between them."
    )
