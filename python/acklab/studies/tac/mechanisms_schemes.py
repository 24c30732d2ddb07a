"""Why it is so: DIFF's and RDG's ways to return ACKs, with the numbers of their own cells."""

from __future__ import annotations

from acklab.studies.tac.evidence import View, mean
from acklab.studies.tac.robust import GRANTS
from acklab.studies.tac.spots import ber, each, n


def wasted(v: View) -> str:
    """Why there is nothing to send back."""
    counts = v.counts(GRANTS)
    packets = " / ".join(f"{mean(v.robust('packets_per_access', GRANTS, k)):.1f}" for k in counts)
    waits = " / ".join(f"{mean(v.robust('queue_wait_ms', GRANTS, k)):.1f}" for k in counts)
    return (
        f"RDG, N = {' / '.join(map(str, counts))}: an access brings {packets} packets, whose ACKs "
        "come a round trip of the wire (4 ms) later; what the access point can send back at once "
        f"are those of accesses before. They wait {waits} ms on average. An opportunity is wasted "
        "if they have not come yet, or have gone in an access of the access point's own."
    )


def suitable(v: View) -> str:
    """What fails with aggregation."""
    last, k = v.stations[-1], v.sizes[-1]
    many = [n(v, s, last) for s in ("agg", "diff", "rdg")]
    large = [ber(v, s, k) for s in ("agg", "diff", "rdg")]
    return (
        f"AGG / DIFF / RDG, N = {last}: {each('failed_share', many, 0, 100)} % of the accesses "
        f"fail, and each failure costs an A-MPDU: {each('collision_share', many, 0, 100)} % of the "
        f"air; at {k} KB with bit errors {each('collision_share', large, 0, 100)} %. "
        f"{each('rtos', many, 0)} and {each('rtos', large, 0)} timeouts in a run."
    )


def diff_loses(v: View) -> str:
    """What more accesses are worth."""
    k = v.stations[-1]
    pair = [n(v, s, k) for s in ("agg", "diff")]
    return (
        f"N = {k}, AGG / DIFF: the access point wins {each('accesses_per_s_ap', pair, 0)} accesses "
        f"a second and sends {each('acks_per_ppdu', pair)} ACKs in each, of which "
        f"{each('failed_share_ap', pair, 0, 100)} % fail; {each('queue_packets', pair, 0)} packets "
        "wait on average."
    )


def rdg_answers(v: View) -> str:
    """What the reverse direction returns."""
    k = v.stations[-1]
    pair = [n(v, s, k) for s in ("agg", "rdg")]
    return (
        f"N = {k}, AGG / RDG: the access point contends {each('accesses_per_s_ap', pair, 0)} times "
        f"a second and wins after {each('access_delay_ap_ms', pair, 2)} ms; with RDG it also "
        f"answers within stations' accesses. {each('queue_packets', pair, 0)} packets wait."
    )
