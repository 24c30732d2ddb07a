"""Why it is so: sentences with the runs' own numbers, for the claims."""

from __future__ import annotations

from acklab.studies.tac.evidence import View, mean


def overflow(v: View) -> str:
    """Who fills the queue, and why losing ACKs does not empty it."""
    first, last = v.sizes[0], v.sizes[-1]

    def at(k: int) -> str:
        wins, tries = (mean(v.lmax(q, k)) for q in ("accesses_per_s_ap", "accesses_per_s"))
        return (
            f"at {k} KB the access point has {wins:.0f} accesses per second among "
            f"{wins + tries:.0f}, with {mean(v.lmax('acks_per_ppdu', k)):.1f} ACKs each, and "
            f"{100 * mean(v.lmax('ack_loss_mean', k)):.1f} % find no room"
        )

    return (
        "All windows together are 1000 packets, the queue holds 200. ACKs are cumulative: one that "
        "survives opens a whole window, so the loss of the others slows nobody down, and stations "
        f"go on contending with the access point whatever Lmax is: {at(first)}; {at(last)}. Where "
        "the paper has no losses at 1 KB its access point must have got more of the air than one "
        "contender's share, or stations less than windows of 50 packets."
    )


def no_overflow(v: View) -> str:
    """With room for all windows."""
    k = v.sizes[-1]
    waits = [mean(v.lmax("queue_wait_ms", k, b)) for b in (200, 10_000)]
    rtts = [mean(v.lmax("rtt_mean_ms", k, b)) for b in (200, 10_000)]
    return (
        f"At {k} KB nothing is lost with 10,000 packets; ACKs wait {waits[1]:.0f} ms instead of "
        f"{waits[0]:.0f}, an RTT of {rtts[1]:.0f} ms instead of {rtts[0]:.0f}. What is left of "
        f"unfairness comes from {mean(v.lmax('rtos', k, 10_000)):.0f} timeouts in a run, all of "
        "them spurious, since nothing was lost: now and then a station waits longer for the "
        "medium than its timer."
    )


def fewer_contend(v: View) -> str:
    """Why losses of ACKs raise throughput, if they do."""
    k = v.sizes[-1]

    def both(quantity: str, digits: int = 1, scale: float = 1.0) -> str:
        few, many = (scale * mean(v.lmax(quantity, k, b)) for b in (200, 10_000))
        return f"{few:.{digits}f} and {many:.{digits}f}"

    return (
        f"At {k} KB the air is idle for {both('idle_share', 1, 100)} % of the time (200 and 10,000 "
        "packets), so the RTT as such limits nobody. What differs: ACKs that are dropped need no "
        f"air ({both('ack_airtime_ms_per_mb')} ms per MB), {both('failed_share', 1, 100)} % of the "
        f"accesses fail, and {both('duplicate_share', 1, 100)} % of the segments arrive twice "
        "after timeouts."
    )


def cumulative(v: View) -> str:
    """Who suffers from a lost ACK."""
    k = 16 if 16 in v.sizes else v.sizes[-1]
    related = mean(v.lmax("loss_goodput_correlation", k))
    meaning = (
        "who sends much loses many ACKs and does not mind, for a later one says more; what hurts "
        "is "
        "the loss of the few ACKs of a small window"
        if related > 0
        else "who loses more has less"
    )
    return (
        f"At {k} KB a flow's goodput and its ACK loss rate have a correlation of {related:+.2f}: "
        f"{meaning}. The poorer half of the flows has "
        f"{100 * mean(v.lmax('rtos_of_poorer_half', k)):.0f} % of the "
        f"{mean(v.lmax('rtos', k)):.0f} timeouts ({mean(v.lmax('rtos', v.sizes[0])):.0f} at "
        f"{v.sizes[0]} KB), after each of which it has one packet on its way, whose only ACK must "
        f"find room; what flows have in flight differs by "
        f"{mean(v.lmax('window_sd_packets', k)):.1f} packets (standard deviation)."
    )


def schemes(v: View) -> str:
    """How each scheme keeps the queue short, and what timeouts have to do with it."""
    n = v.stations[-1]

    def of(quantity: str, digits: int = 0, scale: float = 1.0) -> str:
        values = (scale * mean(v.n(quantity, s, n)) for s in ("agg", "diff", "rdg", "tac"))
        return " / ".join(f"{value:.{digits}f}" for value in values)

    return (
        f"N = {n}, AGG / DIFF / RDG / TAC: ACKs lost {of('ack_loss_mean', 1, 100)} %; accesses of "
        f"the access point {of('accesses_per_s_ap')} per second; timeouts in a run {of('rtos')}. "
        f"TAC drops {100 * mean(v.n('filtered_share', 'tac', n)):.0f} % of the ACKs before they "
        "queue, and none is lost. Its timeouts are spurious all the same, as are RDG's where "
        f"nothing is lost: ACKs wait {of('queue_wait_ms')} ms in the access point on average, "
        f"and a station up to {of('access_delay_max_ms')} ms for the medium, together now and then "
        "longer than a timeout of 200 ms or more. A window that was cut grows by ACKs, of which "
        "TAC leaves few, so it stays small for long. With timeouts of 1 s "
        "at least, or Linux's undo, TAC is as fair as the paper says (readings)."
    )


def collisions(v: View) -> str:
    """What collisions cost each scheme."""
    first, last = v.stations[0], v.stations[-1]

    def of(scheme: str) -> str:
        few, many = (100 * mean(v.n("failed_share", scheme, n)) for n in (first, last))
        air = 100 * mean(v.n("collision_share", scheme, last))
        return f"{scheme.upper()} {few:.1f} to {many:.1f} % ({air:.1f} % of the air)"

    parts = ", ".join(of(s) for s in ("agg", "diff", "rdg", "tac"))
    return (
        f"Accesses of stations that fail, N = {first} to {last}, and the air that collisions take "
        f"then: {parts}. An access point with CWmin 7 collides with the first station that counts "
        "down as fast, even with a single one; with RDG stations always have something to send."
    )


def saved(v: View) -> str:
    """What TAC saves, and what that is worth."""
    n = v.stations[-1]

    def both(quantity: str, scale: float = 1.0) -> str:
        without, with_it = (scale * mean(v.n(quantity, s, n)) for s in ("agg", "tac"))
        return f"{without:.1f} and {with_it:.1f}"

    alone = [mean(v.n("throughput_mbps", s, v.stations[0])) for s in ("agg", "tac")]
    return (
        f"N = {n}, without TAC and with it: ACKs take {both('ack_airtime_ms_per_mb')} ms of air "
        f"per MB, an access of a station brings {both('packets_per_access')} packets, "
        f"{both('failed_share', 100)} % of the accesses fail. With one station TAC costs: "
        f"{alone[1]:.1f} instead of {alone[0]:.1f} Mbit/s, since a window of 50 packets is out in "
        "7 ms, and then the timer waits 5 ms for an ACK that cannot come."
    )


def by_errors(v: View) -> str:
    """What Lmax does where bits fail."""
    first, last = v.sizes[0], v.sizes[-1]

    def of(scheme: str) -> str:
        few, many = (mean(v.ber("packets_per_access", scheme, k)) for k in (first, last))
        failed = 100 * mean(v.ber("failed_share", scheme, last))
        return f"{scheme.upper()} {few:.1f} to {many:.1f} ({failed:.0f} % of accesses fail then)"

    dropped = [100 * mean(v.ber("filtered_share", "tac", k)) for k in (first, last)]
    return (
        f"Packets per access from {first} to {last} KB: "
        + ", ".join(of(s) for s in ("agg", "diff", "rdg", "tac"))
        + f". TAC drops {dropped[0]:.0f} % of the ACKs at {first} KB and {dropped[1]:.0f} % at "
        f"{last} KB."
    )


def timer(v: View) -> str:
    """What Te does."""

    def of(ms: int) -> str:
        name = f"tac, Te {ms} ms"
        dropped = 100 * mean(v.robust("filtered_share", name))
        return f"{dropped:.0f} % ({mean(v.robust('rtt_mean_ms', name)):.0f} ms RTT)"

    return (
        "The timer starts anew with each ACK, so what waits for it is the end of a burst; within "
        "an "
        "A-MPDU ACKs come 0.1 ms apart. TAC drops "
        f"{of(5)} of the ACKs with 5 ms and {of(50)} with 50 ms. With 20 stations others send "
        "while it waits, so it costs nothing; a station on its own waits for it."
    )
