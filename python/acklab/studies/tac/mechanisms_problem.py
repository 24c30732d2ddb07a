"""Why it is so: section II and Figure 2, each with the numbers of its own cells."""

from __future__ import annotations

from acklab.studies.tac.evidence import View
from acklab.studies.tac.spots import each, lmax, sizes
from acklab.studies.tac.stacks import WINDOW


def _ends(v: View) -> str:
    return f"{v.sizes[0]} / {v.sizes[-1]} KB"


def chance(v: View) -> str:
    """The access point is one contender."""
    from acklab.studies.tac.spots import n

    spots = [n(v, "agg", k) for k in (v.stations[0], v.stations[-1])]
    shares = " / ".join(
        f"{100 * s('accesses_per_s_ap') / (s('accesses_per_s_ap') + s('accesses_per_s')):.0f}"
        for s in spots
    )
    return (
        f"N = {v.stations[0]} / {v.stations[-1]}, 16 KB: the access point has {shares} % of the "
        f"accesses ({each('accesses_per_s_ap', spots, 0)} per second) and brings "
        f"{each('acks_per_ppdu', spots)} ACKs with each. Would all contend all the time, it had "
        f"{' / '.join(f'{100 / (k + 1):.0f}' for k in (v.stations[0], v.stations[-1]))} %; but who "
        "waits for ACKs does not contend."
    )


def interval(v: View) -> str:
    """Longer transmissions of stations."""
    spots = sizes(v)
    apart = " / ".join(f"{1e3 / s('accesses_per_s_ap'):.1f}" for s in spots)
    return (
        f"{_ends(v)}: an access of a station brings {each('packets_per_access', spots)} packets, "
        f"so stations have {each('accesses_per_s', spots, 0)} accesses per second, and two of the "
        f"access point are {apart} ms apart. It is one contender among those that have data."
    )


def overflow(v: View) -> str:
    """Why losing ACKs does not empty the queue."""
    spots = sizes(v)
    offered = " / ".join(f"{1e6 * s('throughput_mbps') / 8 / 1024:.0f}" for s in spots)
    return (
        f"{_ends(v)}: {offered} packets a second have an ACK each, and "
        f"{each('accesses_per_s_ap', spots, 0)} accesses with {each('acks_per_ppdu', spots)} ACKs, "
        f"of which {each('failed_share_ap', spots, 0, 100)} % fail, are there to return them. "
        f"ACKs are cumulative: one of {each('segments_per_ack', spots)} is enough to keep a window "
        "open, so a lost one throttles nobody, and of the room for 200 packets "
        f"{each('queue_packets', spots, 0)} are taken on average."
    )


def windows(v: View) -> str:
    """What the windows do."""
    spots = sizes(v)
    return (
        f"{_ends(v)}: no more than {WINDOW} packets are in flight of a flow; flows differ where "
        "timeouts cut their windows, "
        f"{each('rtos', spots, 0)} in a run, of which the poorer half of the flows has "
        f"{each('rtos_of_poorer_half', spots, 0, 100)} %. What is in flight is goodput times RTT, "
        f"and the RTT falls ({each('rtt_mean_ms', spots, 0)} ms)."
    )


def small(v: View) -> str:
    """What makes shares differ at 1 and 2 KB."""
    few = [lmax(v, k) for k in v.sizes if k <= 2]
    many = [lmax(v, k, 10_000) for k in v.sizes if k <= 2]
    names = " / ".join(s.name for s in few)
    return (
        f"{names}: {each('rtos', few, 0)} timeouts in a run with 200 packets and "
        f"{each('rtos', many, 0)} with 10,000, where nothing is lost and ACKs wait "
        f"{each('queue_wait_ms', many, 0)} ms: they are spurious, of a TCP that expects an answer "
        f"within 200 ms. {each('rtos_of_poorer_half', many, 0, 100)} % of those are of the poorer "
        "half. Linux's TCP takes back what such a timeout cut."
    )


def small_why(v: View) -> str:
    """Whether 200 packets are enough there."""
    spots = [lmax(v, k) for k in v.sizes if k <= 2]
    names = " / ".join(s.name for s in spots)
    return (
        f"{names}: 20 windows of 50 packets are 1000 ACKs for a queue of 200, and "
        f"{each('ack_loss_mean', spots, 0, 100)} % find no room, since stations have "
        f"{each('accesses_per_s', spots, 0)} accesses a second, each packet of which makes an ACK, "
        f"and the access point has {each('accesses_per_s_ap', spots, 0)}. What makes ns-3 lose a "
        "tenth of that here is in [why ns-3 loses fewer ACKs](#bridge)."
    )


def severe(v: View) -> str:
    """Why fairness falls with Lmax."""
    spots = sizes(v)
    return (
        f"{_ends(v)}: {each('ack_loss_mean', spots, 0, 100)} % of the ACKs are lost, which come in "
        f"lots of {each('packets_per_access', spots)} packets; where those of a whole window are "
        f"lost at once a timer expires, {each('rtos', spots, 0)} times in a run. The flow with "
        f"least has {each('worst_share', spots, 2)} of an even share."
    )


def infinite(v: View) -> str:
    """With room for all windows."""
    k = v.sizes[-1]
    few, many = lmax(v, k), lmax(v, k, 10_000)
    worst = min((lmax(v, s, 10_000) for s in v.sizes), key=lambda s: s("jain"))
    return (
        "With 10,000 packets nothing is lost at any Lmax; ACKs wait "
        f"{many.said('queue_wait_ms', 0)} ms instead of {few.said('queue_wait_ms', 0)} at {k} KB. "
        f"Least fair is {worst.name} (index {worst.said('jain', 3)}, "
        f"{worst.said('rtos', 0)} timeouts): all timeouts are "
        "spurious, as nothing was lost; now and then a station waits longer for the medium than "
        f"its timer (up to {worst.said('access_delay_max_ms', 0)} ms there)."
    )


def faster(v: View) -> str:
    """What larger aggregates save."""
    spots = [lmax(v, k) for k in v.sizes]
    names = " / ".join(map(str, v.sizes))
    return (
        f"{names} KB, 200 packets: data take {each('data_share', spots, 0, 100)} % of the air, "
        f"contention {each('contention_share', spots, 0, 100)} %, collisions "
        f"{each('collision_share', spots, 0, 100)} %. Two packets take longer to collide than one, "
        "and need a block ack instead of an ACK; more of them share contention and preamble."
    )


def fewer_contend(v: View) -> str:
    """What makes the infinite buffer slower, if not the RTT."""
    k = v.sizes[-1]
    both = [lmax(v, k), lmax(v, k, 10_000)]
    return (
        f"At {k} KB the air is idle for {each('idle_share', both, 1, 100)} % of the time (200 / "
        "10,000 packets): an RTT limits only who leaves it idle. What differs: ACKs that are "
        "dropped need no "
        f"air ({each('ack_airtime_ms_per_mb', both)} ms per MB), "
        f"{each('failed_share', both, 1, 100)} % of the accesses fail, and "
        f"{each('duplicate_share', both, 1, 100)} % of the segments arrive twice after timeouts."
    )


def tradeoff(v: View) -> str:
    """What is paid for throughput."""
    k = v.sizes[-1]
    both = [lmax(v, k), lmax(v, k, 10_000)]
    spots = sizes(v)
    return (
        f"{_ends(v)}: {each('throughput_mbps', spots)} Mbit/s at an index of "
        f"{each('jain', spots, 2)}. At {k} KB 10,000 packets instead of 200 give an index of "
        f"{both[1].said('jain', 2)} instead of {both[0].said('jain', 2)} for "
        f"{both[0]('throughput_mbps') - both[1]('throughput_mbps'):.1f} Mbit/s: what is not "
        f"dropped must be sent ({each('transport_ack_share', both, 1, 100)} % of the air)."
    )
