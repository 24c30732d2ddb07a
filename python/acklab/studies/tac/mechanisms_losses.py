"""Why it is so: Figure 3, each with the numbers of its own cells."""

from __future__ import annotations

from acklab.studies.tac.evidence import View
from acklab.studies.tac.spots import Spot, each, lmax, sizes


def _room(s: Spot) -> str:
    return (
        f"At {s.name} the queue of 200 has no room for {s.said('ack_loss_mean', 0, 100)} % of the "
        f"ACKs ({s.said('ack_loss_min', 0, 100)} to {s.said('ack_loss_max', 0, 100)} % of a flow's)"
    )


def at_1(v: View) -> str:
    """Who loses ACKs without aggregation."""
    return (
        f"{_room(lmax(v, 1))}: {lmax(v, 1).said('queue_packets', 0)} packets wait on average, and "
        "whoever's packet has just been delivered finds little room. What delayed ACKs, packets "
        "that expire after 500 ms as in ns-3, and capture make of it is told [below](#bridge), and "
        "with which settings hardly any is lost in the [readings](#readings)."
    )


def at_2(v: View) -> str:
    """The same with two packets."""
    if 2 not in v.sizes:
        return "An Lmax of 2 KB was not run here."
    one, two = lmax(v, 1), lmax(v, 2)
    return (
        f"{_room(two)}, at {one.name} {one.said('ack_loss_mean', 0, 100)} %: stations have "
        f"{each('accesses_per_s', (one, two), 0)} accesses a second, and ACKs go out "
        f"{each('acks_per_ppdu', (one, two))} at a time; "
        f"flows differ by {two.said('ack_loss_sd', 1, 100)} % (standard deviation)."
    )


def rises(v: View) -> str:
    """Why the mean does not rise."""
    spots = [lmax(v, k) for k in v.sizes]
    names = " / ".join(map(str, v.sizes))
    return (
        f"{names} KB: packets a second {_packets(spots)}, accesses of the access point "
        f"{each('accesses_per_s_ap', spots, 0)} with {each('acks_per_ppdu', spots, 0)} ACKs each, "
        f"of which {each('failed_share_ap', spots, 0, 100)} % fail. As many more ACKs as come with "
        "larger frames can go back with larger frames, too. What delayed ACKs, as in ns-3's "
        "reference runs, make of the rise is told [below](#bridge)."
    )


def _packets(spots: list[Spot]) -> str:
    return " / ".join(f"{1e6 * s('throughput_mbps') / 8 / 1024:.0f}" for s in spots)


def factors(v: View) -> str:
    """What the factors would need."""
    first, last = sizes(v)
    return (
        f"A factor of 63 needs a first value near nothing; here the queue overflows at "
        f"{first.name} already ({first.said('ack_loss_mean', 1, 100)} %, standard deviation "
        f"{first.said('ack_loss_sd', 1, 100)} %), and {last.name} has "
        f"{last.said('ack_loss_mean', 1, 100)} and {last.said('ack_loss_sd', 1, 100)} %: flows of "
        "50 packets each meet the same full queue at either."
    )


def groups(v: View) -> str:
    """Why there are no two groups at 16 KB."""
    s = lmax(v, 16 if 16 in v.sizes else v.sizes[-1])
    return (
        f"{_room(s)}, and flows differ by {s.said('ack_loss_sd', 1, 100)} % (standard deviation). "
        f"All share one queue, where {s.said('queue_packets', 0)} of 200 packets wait on average, "
        "and each loses what comes while it is full: that depends on who else sends, not on who "
        "one is. Two groups would need some whose ACKs come when there is room."
    )


def at_32(v: View) -> str:
    """How far apart flows are at 32 KB."""
    s = lmax(v, v.sizes[-1])
    times = s("ack_loss_max") / max(s("ack_loss_min"), 1e-9)
    return (
        f"{_room(s)}: the largest is {times:.1f} times the smallest, in the paper 16 times. Those "
        f"in timeout, {s.said('rtos', 0)} times in a run, send one packet at a time; the others "
        f"lose a part of {s.said('packets_per_access', 0)} ACKs in a row."
    )


def reason(v: View) -> str:
    """Who suffers from a lost ACK."""
    k = v.sizes[-1]
    s = lmax(v, k)
    sign = s("loss_goodput_correlation")
    meaning = (
        "who sends much meets a full queue more often and loses many ACKs, which a later one makes "
        "good; what hurts is the loss of the few ACKs of a small window"
        if sign > 0
        else "who loses more has less"
    )
    return (
        f"At {k} KB a flow's goodput and its ACK loss rate have a correlation of {sign:+.2f}: "
        f"{meaning} ({s.said('rtos', 0)} timeouts in a run, "
        f"{s.said('rtos_of_poorer_half', 0, 100)} % of them of the poorer half). Losses differ by "
        f"{s.said('ack_loss_sd', 1, 100)} % between flows, which is little beside their mean, "
        f"{s.said('ack_loss_mean', 0, 100)} %."
    )
