"""Why it is so: Figure 6 and the conclusion, each with the numbers of its own cells."""

from __future__ import annotations

from acklab.studies.tac.evidence import View, gain
from acklab.studies.tac.spots import ber, each, errors, n, schemes_ber

_NAMES = "AGG / DIFF / RDG / TAC"


def _ends(v: View) -> str:
    return f"{v.sizes[0]} / {v.sizes[-1]} KB"


def degraded(v: View) -> str:
    """Why AGG becomes less fair, with bit errors."""
    spots = errors(v, "agg")
    return (
        f"AGG with bit errors, {_ends(v)}: {each('rtos', spots, 0)} timeouts in a run, as the ACKs "
        f"of {each('packets_per_access', spots)} packets are lost together; "
        f"{each('ack_loss_mean', spots, 0, 100)} % find no room. The flow with least has "
        f"{each('worst_share', spots, 2)} of an even share."
    )


def immune(v: View) -> str:
    """What RDG and TAC have left of it."""
    rdg, tac = errors(v, "rdg"), errors(v, "tac")
    return (
        f"RDG and TAC with bit errors, {_ends(v)} each: "
        f"{each('ack_loss_mean', [*rdg, *tac], 0, 100)} % of the ACKs are lost, "
        f"{each('rtos', [*rdg, *tac], 0)} timeouts in a run. TAC's are spurious: stations wait up "
        f"to {each('access_delay_max_ms', tac, 0)} ms for the medium, and a window that was cut "
        f"grows by one ACK of {each('segments_per_ack', tac, 0)} packets."
    )


def diff(v: View) -> str:
    """DIFF by Lmax."""
    spots = errors(v, "diff")
    return (
        f"DIFF with bit errors, {_ends(v)}: the access point has "
        f"{each('accesses_per_s_ap', spots, 0)} accesses per second, "
        f"{each('ack_loss_mean', spots, 0, 100)} % of the ACKs are lost, "
        f"{each('rtos', spots, 0)} timeouts in a run, as the ACKs of "
        f"{each('packets_per_access', spots)} packets are lost together."
    )


def rises(v: View) -> str:
    """What an access brings."""
    spots = [s for name in ("agg", "diff", "rdg", "tac") for s in errors(v, name)]
    from1to2 = [ber(v, "agg", k) for k in v.sizes[:2]]
    return (
        f"{_NAMES} with bit errors, {_ends(v)} each: an access brings "
        f"{each('packets_per_access', spots)} packets. At {v.sizes[0]} / {v.sizes[1]} KB AGG has "
        f"{each('throughput_mbps', from1to2)} Mbit/s, with collisions for "
        f"{each('collision_share', from1to2, 0, 100)} % of the air: more packets take longer to "
        "collide, and an A-MPDU needs a block ack."
    )


def ahead(v: View) -> str:
    """What DIFF and RDG lose against AGG."""
    spots = schemes_ber(v, v.sizes[-1])[:3]
    return (
        f"AGG / DIFF / RDG with bit errors, {v.sizes[-1]} KB: "
        f"{each('failed_share', spots, 0, 100)} % of the accesses fail, collisions take "
        f"{each('collision_share', spots, 0, 100)} % of the air, ACKs "
        f"{each('transport_ack_share', spots, 1, 100)} %."
    )


def tac_ahead(v: View) -> str:
    """What TAC saves with bit errors."""
    spots = schemes_ber(v, v.sizes[-1])
    return (
        f"{_NAMES} with bit errors, {v.sizes[-1]} KB: ACKs take "
        f"{each('ack_airtime_ms_per_mb', spots)} ms of air per MB, collisions "
        f"{each('collision_share', spots, 0, 100)} % of the air, and an access brings "
        f"{each('packets_per_access', spots)} packets. Against AGG TAC saves ACKs only, "
        f"{100 * (spots[0]('transport_ack_share') - spots[3]('transport_ack_share')):.1f} % of the "
        "air; against the others their collisions as well."
    )


def outperforms(v: View) -> str:
    """Where another one is better."""
    worst = [
        (k, s)
        for k in v.sizes
        for s in ("diff", "rdg")
        if ber(v, s, k)("jain") > ber(v, "tac", k)("jain") + 0.005
    ]
    told = "; ".join(
        f"{s.upper()} at {k} KB ({each('rtos', (ber(v, s, k), ber(v, 'tac', k)), 0)} timeouts, "
        f"{each('rtos_of_poorer_half', (ber(v, s, k), ber(v, 'tac', k)), 0, 100)} % of the poorer "
        "half)"
        for k, s in worst[:3]
    )
    last = ber(v, "tac", v.sizes[-1])
    few = f"Fairer than TAC with bit errors, against TAC: {told}. " if told else ""
    return (
        f"{few}TAC loses no ACK; what makes it uneven is that a window cut by a spurious timeout "
        f"grows by ACKs, of which it leaves one of {last.said('segments_per_ack', 0)} at "
        f"{last.name}."
    )


def grows(v: View) -> str:
    """What the gain is made of, by Lmax."""
    told = ", ".join(
        f"{s.upper()} {each('collision_share', errors(v, s), 0, 100)} %"
        for s in ("agg", "diff", "rdg", "tac")
    )
    return (
        f"Air lost to collisions with bit errors, {_ends(v)}: {told}; ACKs take "
        f"{each('transport_ack_share', errors(v, 'agg'), 1, 100)} % with AGG and "
        f"{each('transport_ack_share', errors(v, 'tac'), 1, 100)} % with TAC. Of RDG's air "
        f"collisions take most at {_worst(v)}."
    )


def _worst(v: View) -> str:
    """Where RDG collides most."""
    most = max((ber(v, "rdg", k) for k in v.sizes), key=lambda s: s("collision_share"))
    return f"{most.name.split(', ')[1]} ({most.said('collision_share', 0, 100)} %)"


def unnecessary(v: View) -> str:
    """How many ACKs belong together."""
    spots = [ber(v, "tac", k) for k in v.sizes]
    names = " / ".join(map(str, v.sizes))
    return (
        f"TAC with bit errors, {names} KB: an access brings {each('packets_per_access', spots)} "
        "packets, not Lmax: windows of 50 packets and what has arrived since limit it. And TAC "
        "merges beyond an access: at 1 KB one ACK stands for "
        f"{spots[0].said('segments_per_ack')} packets, as further ones come within Te."
    )


def similar(v: View) -> str:
    """What Lmax and N have in common."""
    k, last = v.sizes[-1], v.stations[-1]
    parts = ", ".join(
        f"{s.upper()} {n(v, s, last).said('jain', 2)} and {ber(v, s, k).said('jain', 2)} "
        f"({n(v, s, last).said('rtos', 0)} and {ber(v, s, k).said('rtos', 0)} timeouts)"
        for s in ("agg", "diff", "rdg", "tac")
    )
    return (
        f"At N = {last}, 16 KB without errors and at 20 stations, {k} KB with them: {parts}. "
        "What makes shares uneven in both are windows that timeouts cut."
    )


def tradeoff(v: View) -> str:
    """What fairness costs."""
    spots = schemes_ber(v, v.sizes[-1])[:3]
    return (
        f"AGG / DIFF / RDG with bit errors, {v.sizes[-1]} KB: index {each('jain', spots, 2)} at "
        f"{each('throughput_mbps', spots)} Mbit/s. An access point that is heard sooner loses "
        f"fewer ACKs ({each('ack_loss_mean', spots, 0, 100)} %) and collides more "
        f"({each('failed_share', spots, 0, 100)} % of stations' accesses fail)."
    )


def prevents(v: View) -> str:
    """What is lost with TAC, and what fairness needs besides."""
    far, wide = n(v, "tac", v.stations[-1]), ber(v, "tac", v.sizes[-1])
    return (
        f"TAC at N = {v.stations[-1]} and at {v.sizes[-1]} KB with bit errors: "
        f"{each('filtered_share', (far, wide), 0, 100)} % of the ACKs are dropped before the "
        f"queue, {each('ack_loss_mean', (far, wide), 1, 100)} % in it, and "
        f"{each('rtos', (far, wide), 0)} timeouts in a run remain, all of them of waiting. "
        "Fairness needs a TCP that waits longer, or takes back what it cut."
    )


def reduces(v: View) -> str:
    """What fewer ACKs are worth."""
    k, first = v.stations[-1], v.stations[0]
    more = gain(v.n("throughput_mbps", "tac", k), v.n("throughput_mbps", "agg", k)).mean
    pair, alone = ([n(v, s, m) for s in ("agg", "tac")] for m in (k, first))
    return (
        f"N = {k}, AGG / TAC: ACKs take {each('transport_ack_share', pair, 1, 100)} % of the air, "
        f"and throughput is {more:+.1%}. At N = {first} they take "
        f"{each('transport_ack_share', alone, 1, 100)} %, and the air is idle for "
        f"{each('idle_share', alone, 0, 100)} % of the time while the timer runs."
    )


def subframes(v: View) -> str:
    """Which bytes the paper's error rates are of."""
    return (
        f"1 - (1 - 1e-5)^(8 L) is {_per(1064):.1%} and {_per(40):.2%} for IP packets of 1064 and "
        f"40 B, the paper's numbers; an MPDU has 38 B more (LLC, MAC header, FCS): "
        f"{_per(1102):.1%} and {_per(78):.2%}. So the paper's subframes have no MAC header."
    )


def _per(size: int) -> float:
    """Probability that one of the bits of so many bytes is wrong at the paper's rate."""
    return 1 - (1 - 1e-5) ** (8 * size)
