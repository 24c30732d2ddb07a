"""Why it is so: Figure 5, each with the numbers of its own cells."""

from __future__ import annotations

from acklab.studies.tac.evidence import View
from acklab.studies.tac.spots import Spot, counts, each, n, schemes_n
from acklab.studies.tac.stacks import WINDOW

_NAMES = "AGG / DIFF / RDG / TAC"


def _ends(v: View) -> str:
    return f"N = {v.stations[0]} / {v.stations[-1]}"


def _last(v: View) -> list[Spot]:
    return schemes_n(v, v.stations[-1])


def unfair(v: View) -> str:
    """Who falls behind as stations become more."""
    spots = [n(v, "agg", k) for k in v.many]
    names = " / ".join(map(str, v.many))
    return (
        f"AGG, N = {names}: {each('ack_loss_mean', spots, 0, 100)} % of the ACKs find no room, and "
        f"a window of which all are lost ends in a timeout: {each('rtos', spots, 0)} in a run. "
        f"The flow with least has {each('worst_share', spots, 2)} of an even share."
    )


def accumulate(v: View) -> str:
    """When the queue overflows."""
    spots = [n(v, "agg", k) for k in v.stations]
    names = " / ".join(map(str, v.stations))
    windows = " / ".join(str(WINDOW * k) for k in v.stations)
    return (
        f"AGG, N = {names}: all windows are {windows} packets, the queue is of 200. On average "
        f"{each('queue_packets', spots, 0)} packets wait in it, {each('queue_wait_ms', spots, 0)} "
        "ms each."
    )


def index_30(v: View) -> str:
    """What keeps the index above 0.6."""
    k = v.stations[-1]
    s = n(v, "agg", k)
    return (
        f"AGG, N = {k}: {s.said('rtos', 0)} timeouts in a run, "
        f"{s.said('rtos_of_poorer_half', 0, 100)} % of them of the poorer half, after which a "
        f"window grows again from one packet; {s.said('starved_flows', 1)} flows have less than a "
        "quarter of an even share. How soon a timer expires decides how often: the "
        "[readings](#readings) have the index with others."
    )


def tight(v: View) -> str:
    """Why RDG and TAC are not as fair as the paper has them."""
    k = v.stations[-1]
    rdg, tac = n(v, "rdg", k), n(v, "tac", k)
    return (
        f"N = {k}, RDG / TAC: {each('ack_loss_mean', (rdg, tac), 0, 100)} % of the ACKs are lost, "
        f"and still {each('rtos', (rdg, tac), 0)} timeouts in a run: ACKs wait "
        f"{each('queue_wait_ms', (rdg, tac), 0)} ms in the access point and a station up to "
        f"{each('access_delay_max_ms', (rdg, tac), 0)} ms for the medium, together now and then "
        "longer than a timer of 200 ms. A window that was cut grows by ACKs, of which TAC leaves "
        f"one of {tac.said('segments_per_ack', 0)}. With timeouts of 1 s at least, or Linux's "
        "undo, TAC is as fair as the paper says ([readings](#readings))."
    )


def no_overflow(v: View) -> str:
    """How each keeps the queue short, or does not."""
    k = v.stations[-1]
    rdg, tac = n(v, "rdg", k), n(v, "tac", k)
    return (
        f"N = {k}: TAC drops {tac.said('filtered_share', 0, 100)} % of the ACKs before they queue, "
        f"so a flow has {tac('queue_packets') / k:.1f} there. RDG's access point answers within a "
        "station's "
        f"access, of which {rdg.said('failed_share', 0, 100)} % fail, with "
        f"{rdg.said('acks_per_ppdu', 0)} ACKs at a time: {rdg.said('queue_packets', 0)} packets "
        f"wait on average and {rdg.said('ack_loss_mean', 0, 100)} % find no room."
    )


def diff(v: View) -> str:
    """What a CWmin of 7 is worth."""
    k = v.stations[-1]
    agg, of = n(v, "agg", k), n(v, "diff", k)
    return (
        f"N = {k}, AGG / DIFF: the access point has {each('accesses_per_s_ap', (agg, of), 0)} "
        f"accesses per second, {each('failed_share_ap', (agg, of), 0, 100)} % of which fail, and "
        f"{each('ack_loss_mean', (agg, of), 0, 100)} % of the ACKs are lost all the same; "
        f"{each('rtos', (agg, of), 0)} timeouts."
    )


def diff_scale(v: View) -> str:
    """What it costs with many."""
    spots = counts(v, "diff")
    return (
        f"DIFF, {_ends(v)}: {each('failed_share', spots, 0, 100)} % of the stations' accesses "
        f"fail, collisions take {each('collision_share', spots, 0, 100)} % of the air; and ACKs "
        f"lost, {each('ack_loss_mean', spots, 0, 100)} %, come back with more stations."
    )


def constant(v: View) -> str:
    """What stays the same."""
    agg, tac = ([n(v, s, k) for k in (v.many[0], v.many[-1])] for s in ("agg", "tac"))
    return (
        f"N = {v.many[0]} / {v.many[-1]}: data take {each('data_share', agg, 0, 100)} % of the air "
        f"with AGG and {each('data_share', tac, 0, 100)} % with TAC, collisions "
        f"{each('collision_share', agg, 0, 100)} and {each('collision_share', tac, 0, 100)} %. "
        "Who waits for ACKs does not contend. With one station TAC's timer waits for an ACK that "
        f"cannot come: {n(v, 'tac', v.stations[0]).said('throughput_mbps')} Mbit/s."
    )


def contenders(v: View) -> str:
    """How many contend."""
    spots = [n(v, s, k) for s in ("agg", "tac") for k in (v.many[0], v.many[-1])]
    return (
        f"AGG and TAC, N = {v.many[0]} / {v.many[-1]} each: "
        f"{each('accesses_per_s', spots, 0)} accesses of stations per second, and ACKs wait "
        f"{each('queue_wait_ms', spots, 0)} ms. A station whose window is out does not contend."
    )


def rates_fall(v: View) -> str:
    """What DIFF and RDG lose, and why the level is not the paper's."""
    spots = [s for name in ("diff", "rdg") for s in counts(v, name)]
    return (
        f"DIFF and RDG, {_ends(v)} each: collisions take "
        f"{each('collision_share', spots, 0, 100)} % of the air, the time of a whole A-MPDU each, "
        f"and an access brings {each('packets_per_access', spots, 1)} packets. DIFF collides with "
        "a single station more often than AGG, as the access point draws from 0 to 7 "
        f"({each('failed_share', schemes_n(v, v.stations[0])[:2], 0, 100)} % of the accesses, "
        f"AGG / DIFF, N = {v.stations[0]})."
    )


def collisions(v: View) -> str:
    """What collides."""
    spots = _last(v)
    first = schemes_n(v, v.stations[0])
    return (
        f"{_NAMES}: {each('failed_share', first, 0, 100)} % of the stations' accesses fail with "
        f"N = {v.stations[0]}, {each('failed_share', spots, 0, 100)} % with N = {v.stations[-1]}; "
        f"contention takes {each('contention_share', spots, 0, 100)} % of the air then, ACKs "
        f"{each('transport_ack_share', spots, 0, 100)} %, collisions "
        f"{each('collision_share', spots, 0, 100)} %. With one station there is nobody but the "
        "access point to collide with."
    )


def eager(v: View) -> str:
    """DIFF's access point."""
    k = v.stations[-1]
    both = [n(v, s, k) for s in ("agg", "diff")]
    return (
        f"N = {k}, AGG / DIFF: the access point waits {each('access_delay_ap_ms', both, 2)} ms, "
        f"has {each('accesses_per_s_ap', both, 0)} accesses per second with "
        f"{each('acks_per_ppdu', both)} ACKs each, and {each('failed_share_ap', both, 0, 100)} % "
        "of them collide: it counts down from at most 7, stations from at most 15, so they meet "
        "more often."
    )


def always(v: View) -> str:
    """RDG's stations."""
    k = v.stations[-1]
    both = [n(v, s, k) for s in ("agg", "rdg")]
    return (
        f"N = {k}, AGG / RDG: ACKs wait {each('queue_wait_ms', both, 0)} ms in the access point, "
        f"which contends {each('accesses_per_s_ap', both, 0)} times a second itself; stations "
        f"have {each('accesses_per_s', both, 0)} accesses per second. Who was answered at once has "
        "data again at once."
    )


def gain(v: View) -> str:
    """What TAC saves of what DIFF and RDG spend."""
    spots = _last(v)
    return (
        f"{_NAMES}, N = {v.stations[-1]}: ACKs take {each('ack_airtime_ms_per_mb', spots)} ms of "
        f"air per MB, {each('transport_ack_share', spots, 1, 100)} % of the air, collisions "
        f"{each('collision_share', spots, 1, 100)} %: what TAC has more than DIFF and RDG is ACKs "
        "that it saves and collisions that they have."
    )


def both(v: View) -> str:
    """What TAC gives many and takes from one."""
    k = v.stations[-1]
    many, alone = ([n(v, s, m) for s in ("agg", "tac")] for m in (k, v.stations[0]))
    return (
        f"AGG / TAC, N = {k}: ACKs take {each('ack_airtime_ms_per_mb', many)} ms of air per MB, an "
        f"access of a station brings {each('packets_per_access', many)} packets, and "
        f"{each('rtos', many, 0)} timeouts cut windows. With {v.stations[0]} there are "
        f"{each('throughput_mbps', alone)} Mbit/s: a window of {WINDOW} packets is on the air for "
        f"{WINDOW * 8 * 1106 / 65e3:.0f} ms, and once it is out the timer waits 5 ms for an ACK "
        "that cannot come."
    )


def up_to(v: View) -> str:
    """Where the largest gain is."""
    rivals = [(s, k) for s in ("diff", "rdg") for k in v.stations]
    q = "throughput_mbps"
    s, k = max(rivals, key=lambda at: n(v, "tac", at[1])(q) / max(n(v, *at)(q), 1e-9))
    pair = [n(v, s, k), n(v, "tac", k)]
    return (
        f"Without bit errors the largest is over {s.upper()} at N = {k} "
        f"({each(q, pair)} Mbit/s): collisions take {each('collision_share', pair, 0, 100)} % of "
        f"the air, ACKs {each('transport_ack_share', pair, 0, 100)} %. At the same N AGG has "
        f"{n(v, 'agg', k).said(q)} Mbit/s and collides for "
        f"{n(v, 'agg', k).said('collision_share', 0, 100)} %."
    )
