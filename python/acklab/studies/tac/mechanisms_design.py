"""Why it is so: section III, each with the numbers of its own cells."""

from __future__ import annotations

from functools import partial

from acklab.studies.tac.evidence import View, mean
from acklab.studies.tac.robust import DELAYED_TE_MS, ERRORS, alone, delayed, te
from acklab.studies.tac.spots import Spot, case, each, errors


def _pair(v: View, what: str) -> list[Spot]:
    return [case(v, f"{s}, {what}") for s in ("agg", "tac")]


def duplicates(v: View) -> str:
    """What becomes of duplicates, and of timeouts."""
    both = _pair(v, "lossy wire")
    tac = both[1]
    return (
        "A duplicate is not newer than the held ACK and passes it at once. But one that comes "
        "while none is held is held itself, and the next newer ACK takes its place; and the ACK "
        "that duplicates repeat is dropped when the hole is filled within Te. So of "
        f"{tac.said('duplicates_came', 0)} duplicates that came for two of the flows (as a sender "
        f"counts them) {tac.said('duplicates_dropped_share', 1, 100)} % did not go on. Timeouts in "
        f"a run, AGG / TAC: {each('rtos', both, 0)}, since TAC loses no other ACK."
    )


def repaired(v: View) -> str:
    """Where TAC's timeouts come from, if no ACK is lost."""
    first, last = errors(v, "tac")
    return (
        "No ACK is lost for good: the MAC repeats it "
        f"({each('retries_share_ap', [first, last], 0, 100)} % of the access point's MPDUs at "
        f"{v.sizes[0]} / {v.sizes[-1]} KB, after collisions and bit errors), and it waits "
        f"{each('queue_wait_ms', [first, last], 0)} ms there. Timeouts come from elsewhere: "
        f"stations wait up to {each('access_delay_max_ms', [first, last], 0)} ms for the medium."
    )


def in_order(v: View) -> str:
    """What the MAC delivers."""
    first, last = errors(v, "tac")
    return (
        f"At {v.sizes[0]} / {v.sizes[-1]} KB {each('retries_share', [first, last], 0, 100)} % of "
        "the stations' MPDUs are sent again. The receiver's window holds what came after a gap "
        "until it is closed, so TCP sees packets in order, in bursts of up to "
        f"{each('mpdus_per_ppdu', [first, last], 1)} (MPDUs of an A-MPDU); out of order are only "
        "those that a timeout sent twice "
        f"({each('duplicate_share', [first, last], 2, 100)} % duplicates)."
    )


def repeats(v: View) -> str:
    """How long a repetition takes."""
    spots = errors(v, "tac")
    return (
        f"At {v.sizes[0]} / {v.sizes[-1]} KB the access point waits "
        f"{each('access_delay_ap_ms', spots)} ms for the medium on average and at most "
        f"{each('access_delay_max_ap_ms', spots, 0)} ms; {each('failed_share_ap', spots, 0, 100)} "
        "% of its accesses fail, and each failure doubles the window it draws from."
    )


def sizes_of_subframes(v: View) -> str:
    """What the sizes say."""
    return (
        f"1 - (1 - 1e-5)^(8 L) is {_per(1102):.2%} for a data MPDU of 1102 B and {_per(78):.2%} "
        f"for an ACK's of 78 B: {_per(1102) / _per(78):.1f} times as many errors, "
        f"{1102 / 78:.1f} times as many bytes. Collisions spoil "
        f"{100 * mean(v.robust('collided_share_ap', ERRORS, 1)):.1f} % of the access point's MPDUs "
        f"besides, and {100 * mean(v.n('retries_share_ap', 'agg', 1)):.1f} % without bit errors: "
        "with them A-MPDUs have other lengths and other partners, so the one cannot be subtracted "
        "from the other."
    )


def _per(size: int) -> float:
    return 1 - (1 - 1e-5) ** (8 * size)


def downloads(v: View) -> str:
    """Who gets the room that TAC makes."""
    both = _pair(v, "downloads")
    return (
        "Downloads and ACKs share the queue of 200. TAC takes ACKs out before they join, so that "
        f"data find room there: AGG / TAC, downloads get {each('downloads_mbps', both)} Mbit/s, of "
        f"what comes down {each('ack_loss_mean', both, 1, 100)} % is lost, and the access point, "
        f"which now has {each('accesses_per_s_ap', both, 0)} accesses per second with data in "
        f"them, leaves uploads {each('uploads_mbps', both)} Mbit/s. Their {each('rtos', both, 0)} "
        "timeouts in a run (both directions) fall on small windows, which grow by ACKs: TAC leaves "
        f"{100 - 100 * both[1]('filtered_share'):.0f} % of those."
    )


def zero(v: View) -> str:
    """Nothing is held."""
    held = case(v, te(0))
    return (
        "With a timer of zero nothing is held: the filter drops "
        f"{held.said('filtered_share', 0, 100)} % of the ACKs, "
        f"{held.said('ack_loss_mean', 1, 100)} % find no room as with AGG "
        f"({case(v, 'agg').said('ack_loss_mean', 1, 100)} %), and the runs are the same to the "
        "byte."
    )


def _timers(v: View) -> str:
    spots = [case(v, te(ms)) for ms in _present(v)]
    names = " / ".join(map(str, _present(v)))
    return (
        f"Te {names} ms: TAC drops {each('filtered_share', spots, 1, 100)} % of the ACKs, the "
        f"others wait {each('queue_wait_ms', spots, 0)} ms in the queue behind it, RTT "
        f"{each('rtt_mean_ms', spots, 0)} ms"
    )


def _present(v: View) -> list[int]:
    return [ms for ms in (0, 1, 5, 20, 50) if v.robust("jain", te(ms))]


def early(v: View) -> str:
    """What a short timer sends on."""
    return (
        f"{_timers(v)}. Within an A-MPDU ACKs come {8 * 1106 / 65e3:.2f} ms apart, the time of an "
        "MPDU at 65 Mbit/s, so that 1 ms is enough for a burst; what longer timers find is the "
        "next burst."
    )


def late(v: View) -> str:
    """What a long timer costs."""
    return (
        f"Te {' / '.join(map(str, DELAYED_TE_MS))} ms: a RACK that is held so long then waits in "
        f"the queue for {_then(v)}. What waits in the filter does not wait in the queue, which is "
        f"to be set against the {DELAYED_TE_MS[-1] - DELAYED_TE_MS[0]} ms more of the timer: with "
        "few stations the queue has not so much to give."
    )


def _then(v: View) -> str:
    """How long it waits in the queue with each number of stations."""

    def wait(ms: int, n: int) -> str:
        return f"{mean(v.robust('queue_wait_ms', delayed(ms), n)):.1f}"

    counts = v.counts(delayed(DELAYED_TE_MS[0]))
    told = (f"{' / '.join(wait(ms, n) for ms in DELAYED_TE_MS)} ms (N = {n})" for n in counts)
    return ", ".join(told)


def _single(v: View) -> str:
    """What a station on its own has of it."""
    spots = [Spot(alone(ms), partial(v.robust, case=alone(ms), stations=1)) for ms in _present(v)]
    return (
        f"a single station, Te {' / '.join(map(str, _present(v)))} ms: the air is idle for "
        f"{each('idle_share', spots, 0, 100)} % of the time, since nobody else sends while it "
        "waits for the ACK of a whole window"
    )


def harmless(v: View) -> str:
    """What the timer does to timeouts."""
    spots = [case(v, te(ms)) for ms in _present(v)]
    return (
        f"{_timers(v)}; timeouts in a run {each('rtos', spots, 0)}, against which Te does nothing; "
        f"{_single(v)}."
    )


def guideline(v: View) -> str:
    """Over which range the timer matters."""
    spots = [case(v, te(ms)) for ms in _present(v) if ms]
    return (
        f"Te from {min(m for m in _present(v) if m)} to {max(_present(v))} ms with "
        f"20 stations (index {each('jain', spots, 3)}): the end of a burst is found by any of "
        "them, and others use the air while it waits. What may keep the index down are "
        f"{each('rtos', spots, 0)} timeouts in a run. Of {_single(v)}."
    )
