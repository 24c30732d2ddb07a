"""Why it is so: sentences with the runs' own numbers, for the claims."""

from __future__ import annotations

from acklab.studies.tac.evidence import View, mean


def overflow(v: View) -> str:
    """Who fills the queue."""
    first, last = v.sizes[0], v.sizes[-1]
    sent = [mean(v.lmax("packets_per_access", k)) for k in (first, last)]
    wins = [mean(v.lmax("accesses_per_s_ap", k)) for k in (first, last)]
    lost = [100 * mean(v.lmax("ack_loss_mean", k)) for k in (first, last)]
    return (
        "All windows together are 1000 packets, and what is not on its way waits where the "
        "bottleneck "
        f"is. At {first} KB a station brings {sent[0]:.1f} packets per access and one access of "
        "the "
        "access point takes the ACKs of many, so stations are the bottleneck and packets wait "
        "there; at "
        f"{last} KB a station brings {sent[1]:.1f}, the access point wins {wins[1]:.0f} accesses "
        "per "
        f"second ({wins[0]:.0f} at {first} KB), one contender among others, and the ACKs of all "
        "wait in its queue of 200: "
        f"{lost[1]:.1f} % find no room ({lost[0]:.1f} %)."
    )


def no_overflow(v: View) -> str:
    """With room for all windows."""
    k = v.sizes[-1]
    waits = [mean(v.lmax("queue_wait_ms", k, b)) for b in (200, 10_000)]
    rtts = [mean(v.lmax("rtt_mean_ms", k, b)) for b in (200, 10_000)]
    return (
        f"At {k} KB nothing is lost with 10,000 packets "
        f"({100 * mean(v.lmax('ack_loss_mean', k, 10_000)):.2f} %): every window stays at its "
        "limit, and "
        f"ACKs wait {waits[1]:.0f} ms instead of {waits[0]:.0f}, an RTT of {rtts[1]:.0f} ms "
        "instead of "
        f"{rtts[0]:.0f}. Same losses (none), same windows, same shares."
    )


def fewer_contend(v: View) -> str:
    """Why losses of ACKs raise throughput, if they do."""
    k = v.sizes[-1]
    failed = [100 * mean(v.lmax("failed_share", k, b)) for b in (200, 10_000)]
    sent = [mean(v.lmax("packets_per_access", k, b)) for b in (200, 10_000)]
    return (
        f"At {k} KB the air is never idle for long ({100 * mean(v.lmax('idle_share', k)):.1f} % "
        "and "
        f"{100 * mean(v.lmax('idle_share', k, 10_000)):.1f} %), so that the RTT as such limits "
        "nobody; what differs is how many "
        f"packets go per access ({sent[0]:.1f} with 200, {sent[1]:.1f} with 10,000), how many "
        "accesses "
        f"fail ({failed[0]:.1f} % and {failed[1]:.1f} %), and ACKs that are dropped need no air "
        f"({mean(v.lmax('ack_airtime_ms_per_mb', k)):.1f} and "
        f"{mean(v.lmax('ack_airtime_ms_per_mb', k, 10_000)):.1f} ms per MB)."
    )


def cumulative(v: View) -> str:
    """Who suffers from a lost ACK."""
    k = 16 if 16 in v.sizes else v.sizes[-1]
    return (
        f"A lost ACK does no harm where a later one says more. At {k} KB a flow's goodput and its "
        "ACK "
        f"loss rate have a correlation of {mean(v.lmax('loss_goodput_correlation', k)):.2f}, and "
        "the "
        f"poorer half of the flows has {100 * mean(v.lmax('rtos_of_poorer_half', k)):.0f} % of the "
        f"{mean(v.lmax('rtos', k)):.0f} timeouts; windows differ by "
        f"{mean(v.lmax('window_sd_packets', k)):.1f} "
        "packets (standard deviation over flows), by "
        f"{mean(v.lmax('window_sd_packets', v.sizes[0])):.1f} at "
        f"{v.sizes[0]} KB. A flow that has lost all ACKs of a window waits for its timer, begins "
        "anew with one packet, "
        "whose only ACK must find room."
    )


def schemes(v: View) -> str:
    """How each scheme keeps the queue short, with the most stations."""
    n = v.stations[-1]
    of = {s: mean(v.n("ack_loss_mean", s, n)) for s in ("agg", "diff", "rdg", "tac")}
    lost = ", ".join(f"{s.upper()} {100 * value:.2f} %" for s, value in of.items())
    return (
        f"N = {n}, ACKs lost: {lost}. DIFF gives the access point "
        f"{mean(v.n('accesses_per_s_ap', 'diff', n)):.0f} "
        f"accesses per second (AGG {mean(v.n('accesses_per_s_ap', 'agg', n)):.0f}); RDG lets it "
        "answer within "
        f"accesses of others; TAC drops {100 * mean(v.n('filtered_share', 'tac', n)):.0f} % of "
        "the ACKs "
        "before they queue, so that those of all flows fit."
    )


def collisions(v: View) -> str:
    """What collisions cost each scheme."""
    first, last = v.stations[0], v.stations[-1]
    parts = [
        f"{s.upper()} {100 * mean(v.n('failed_share', s, first)):.1f} to "
        f"{100 * mean(v.n('failed_share', s, last)):.1f} % "
        f"({100 * mean(v.n('collision_share', s, last)):.1f} % of the air)"
        for s in ("agg", "diff", "rdg", "tac")
    ]
    return (
        f"Accesses of stations that fail, N = {first} to {last}, and air that collisions take "
        "then: " + ", ".join(parts) + "."
    )


def saved(v: View) -> str:
    """What TAC saves, and what that is worth."""
    n = v.stations[-1]
    ms = [mean(v.n("ack_airtime_ms_per_mb", s, n)) for s in ("agg", "tac")]
    sent = [mean(v.n("packets_per_access", s, n)) for s in ("agg", "tac")]
    failed = [100 * mean(v.n("failed_share", s, n)) for s in ("agg", "tac")]
    return (
        f"N = {n}: ACKs take {ms[0]:.1f} ms of air per MB without and {ms[1]:.1f} with TAC; "
        f"a station sends {sent[0]:.1f} and {sent[1]:.1f} packets per access, and {failed[0]:.1f} "
        "and "
        f"{failed[1]:.1f} % of the accesses fail. An A-MPDU of 30 ACKs is hardly longer than one "
        "of a "
        "single ACK (the preamble, the access and the block ACK are the same), so what TAC saves "
        "per "
        "access is little."
    )


def by_errors(v: View) -> str:
    """What Lmax does where bits fail."""
    first, last = v.sizes[0], v.sizes[-1]
    parts = [
        f"{s.upper()} {mean(v.ber('packets_per_access', s, first)):.1f} to "
        f"{mean(v.ber('packets_per_access', s, last)):.1f} packets per access, "
        f"{100 * mean(v.ber('failed_share', s, last)):.0f} % of accesses failed at {last} KB"
        for s in ("agg", "diff", "rdg", "tac")
    ]
    return (
        "The cost of an access is spread over more packets: " + "; ".join(parts) + f". TAC drops "
        f"{100 * mean(v.ber('filtered_share', 'tac', first)):.0f} % of ACKs at {first} KB and "
        f"{100 * mean(v.ber('filtered_share', 'tac', last)):.0f} % at {last} KB."
    )


def timer(v: View) -> str:
    """What Te does."""
    return (
        "The timer starts anew with each ACK, so what waits for it is the end of a burst: ACKs of "
        "one A-MPDU are "
        "0.1 ms apart at 100 Mbit/s. "
        f"Of all ACKs TAC drops {100 * mean(v.robust('filtered_share', 'tac, Te 5 ms')):.0f} % "
        "with 5 ms and "
        f"{100 * mean(v.robust('filtered_share', 'tac, Te 50 ms')):.0f} % with 50 ms, at RTTs of "
        f"{mean(v.robust('rtt_mean_ms', 'tac, Te 5 ms')):.0f} and "
        f"{mean(v.robust('rtt_mean_ms', 'tac, Te 50 ms')):.0f} ms."
    )
