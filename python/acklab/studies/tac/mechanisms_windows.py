"""Why it is so: windows and the ACKs that open them, each with the numbers of its own cells."""

from __future__ import annotations

from acklab.studies.tac.evidence import View, mean
from acklab.studies.tac.robust import AMSDU, WINDOWS
from acklab.studies.tac.spots import lmax


def tolerate(v: View) -> str:
    """What a lost ACK is to a small window."""
    last = lmax(v, v.sizes[-1])
    return (
        f"At {v.sizes[-1]} KB {last.said('rtos', 0)} timeouts in a run of 20 flows: after one a "
        "flow has a single packet on its way, whose only ACK must find room among those of the "
        f"others ({last.said('ack_loss_mean', 0, 100)} % do not). The half with smaller windows "
        f"has {last.said('rtos_per_1000_lost_smaller')} timeouts for each 1000 ACKs that it loses, "
        f"the other {last.said('rtos_per_1000_lost_larger')}. Windows are those of a whole run: "
        "who had a timeout has a smaller one because of it, too."
    )


def increment(v: View) -> str:
    """What a window grows by."""
    k = v.lengths(WINDOWS)[-1]
    few, many = (
        v.robust(f"growth_per_ack_{which}", WINDOWS, kilobytes=k) for which in ("few", "many")
    )
    return (
        f"In slow start at {k} KB an ACK of a frame with few of them adds {mean(few):.2f} packets "
        f"and one of a frame with many {mean(many):.2f}. A TCP that grows by ACKs adds one for "
        "each; one that grows by what an ACK acknowledges makes up for those that were lost, and "
        "does not grow at all while its window, not the network, limits it."
    )


def rapidly(v: View) -> str:
    """What larger frames do to slow start."""
    told = " / ".join(
        f"{mean(v.robust('growth_packets_per_s', WINDOWS, kilobytes=k)):.0f}"
        for k in v.lengths(WINDOWS)
    )
    frames = " / ".join(
        f"{mean(v.robust('acks_per_ppdu', WINDOWS, kilobytes=k)):.1f}" for k in v.lengths(WINDOWS)
    )
    sizes_kb = " / ".join(map(str, v.lengths(WINDOWS)))
    return (
        f"{sizes_kb} KB: a frame brings {frames} ACKs, and a window in slow start grows by {told} "
        "packets a second; windows that are above the receiver's already grow on here, which "
        "nobody notices."
    )


def amsdu(v: View) -> str:
    """What a bit error costs either."""
    spot = v.robust("retries_share", AMSDU)
    shares = " / ".join(
        f"{100 * mean(v.ber('retries_share', 'agg', k)):.0f}" for k in (v.sizes[0], v.sizes[-1])
    )
    return (
        f"{100 * mean(spot):.0f} % of the stations' MPDUs are sent again with A-MSDU, collisions "
        f"included, and {shares} % with A-MPDU of {v.sizes[0]} / {v.sizes[-1]} KB: an "
        "A-MSDU of seven packets has one checksum, and one wrong bit of 8000 B costs all of them."
    )
