"""Why MAC aggregation does what it does, in numbers from the air; made when the study runs."""

from __future__ import annotations

from statistics import fmean

from acklab.studies.ack_aggregation.findings import NAMES, ORDER, RATIOS
from acklab.studies.ack_aggregation.why import shown
from acklab.studies.ack_aggregation.wireless.cells import AGGREGATIONS
from acklab.studies.ack_aggregation.wireless.evidence import GOODPUT, Evidence, View
from acklab.studies.runs import mean, scatter


def _each(e: Evidence, of: str, cc: str, digits: int = 2, sizes: bool = False) -> str:
    """A quantity in every set-up."""

    def text(v: View) -> str:
        return v.sizes(of, cc, digits) if sizes else v.row(of, cc, digits)

    return "; ".join(f"{text(e.view(s))} ({NAMES[s]})" for s in ORDER)


def overhead(e: Evidence) -> str:
    """What an access costs, whatever it carries."""
    stated, inferred = (e.view(s).at("us_per_segment", "cubic", "none") for s in ("ns3", "thesis"))
    return (
        "An access costs preamble, interframe spaces, backoff and a MAC ACK whatever it carries. "
        "Share of the air for data (none / A-MSDU / A-MPDU / both, CUBIC): "
        f"{_each(e, 'data_share', 'cubic')}; for contention: "
        f"{_each(e, 'contention_share', 'cubic')}. Without aggregation a segment costs "
        f"{stated:.0f} us as stated, and {inferred:.0f} us if it has 536 B: 37 % of the payload "
        f"for {100 * inferred / stated:.0f} % of the air."
    )


def gains(e: Evidence) -> str:
    """What a gain depends on."""
    return (
        "Segments per access (none / A-MSDU / A-MPDU / both, CUBIC; repetitions count as accesses)"
        f": {_each(e, 'segments_per_access', 'cubic', 1)}. 7935 B take 5 segments of 1448 B and 12 "
        "of 536 B, so small segments gain three times from A-MSDU where those as stated gain less "
        "than two."
    )


def two_levels(e: Evidence) -> str:
    """What A-MPDU and both have in common, and what bounds them."""
    return (
        "Shares of the air, none / A-MSDU / A-MPDU / both. Contention: "
        f"{_each(e, 'contention_share', 'cubic')}; with an A-MPDU there is little left of it to "
        f"gain. TCP's ACKs: {_each(e, 'transport_ack_share', 'cubic')}. Collisions with them, each "
        f"of which costs a whole A-MPDU: {_each(e, 'collision_share', 'cubic')}. Both levels "
        "together save MAC headers and delimiters, and not accesses: segments per access are "
        f"{_each(e, 'segments_per_access', 'cubic', 1)}."
    )


def two_levels_of_all(e: Evidence) -> str:
    """The same, and the one controller that has nothing to fill two levels with."""
    return (
        f"{two_levels(e)} Vegas has nothing to fill them with: segments per access "
        f"{_each(e, 'segments_per_access', 'vegas')}, air idle {_each(e, 'idle_share', 'vegas')}."
    )


def vegas_window(e: Evidence) -> str:
    """Vegas keeps the queue empty, and aggregation lives on the queue."""
    return (
        "Vegas keeps a few segments queued, and a station can aggregate only what is queued: "
        "segments per access (none / A-MSDU / A-MPDU / both) "
        f"{_each(e, 'segments_per_access', 'vegas')}, while the air is idle for "
        f"{_each(e, 'idle_share', 'vegas')}. Its mean RTT, of which the wires take 8 ms, is "
        f"{_each(e, 'rtt_mean_ms', 'vegas')} ms, its window "
        f"{_each(e, 'window_late_packets', 'vegas', 1)} packets. So the rate is a window over an "
        f"RTT, whatever the MAC could do. {vegas_start(e)}"
    )


def vegas_start(e: Evidence) -> str:
    """What the start does to Vegas in ns-3's stack."""
    runs = [(rate, rtt) for how, _, rate, rtt in e.starts if how == "ampdu"]
    high = [(rate, rtt) for rate, rtt in runs if rate > 14]
    low = [(rate, rtt) for rate, rtt in runs if rate <= 14]
    text = (
        "Which window that is in ns-3, the start decides: RTTs are whole ms there, the difference "
        "is cut to whole segments, and the base is the smallest smoothed RTT. With A-MPDU "
        f"{len(high)} of {len(runs)} starts between two ticks of the clock (inferred set-up) rest "
        "above 14 Mbit/s, where the thesis has 16.52"
    )
    return f"{text}; {_starts(high)}, the others {_starts(low)}."


def _starts(runs: list[tuple[float, float]]) -> str:
    if not runs:
        return "none"
    return (
        f"{fmean(r for r, _ in runs):.1f} Mbit/s with a smallest RTT of "
        f"{fmean(rtt for _, rtt in runs):.2f} ms"
    )


def vegas_variance(e: Evidence) -> str:
    """RTTs that Vegas sees."""
    return (
        "A burst can be no larger than what Vegas keeps queued: segments per access (none / A-MSDU "
        f"/ A-MPDU / both) {_each(e, 'segments_per_access', 'vegas')}, of CUBIC "
        f"{_each(e, 'segments_per_access', 'cubic', 0)}. Its RTT: mean "
        f"{_each(e, 'rtt_mean_ms', 'vegas')} ms, smallest {_each(e, 'rtt_min_ms', 'vegas')} ms; "
        "standard deviation of its samples in the second half, in ns-3's stack of whole ms: "
        f"{_deviations(e)} ms."
    )


def _deviations(e: Evidence) -> str:
    """Of the RTT of Vegas, mean over seeds."""

    def row(stack: str) -> str:
        values = (mean(e.runs.at("rtt_deviation_ms", stack, "vegas", how)) for how in AGGREGATIONS)
        return " / ".join(shown(v, 2) for v in values)

    return "; ".join(f"{row(s)} ({NAMES[s]})" for s in ORDER)


def vegas_felt(e: Evidence) -> str:
    """What a larger limit does to Vegas's bursts and RTTs."""
    return (
        "What Vegas sends at once is what it has queued. MPDUs at once by limit, 4 to 64 KB: "
        f"{_each(e, 'mpdus_per_ppdu', 'vegas', 2, sizes=True)}; its mean RTT: "
        f"{_each(e, 'rtt_mean_ms', 'vegas', 2, sizes=True)} ms; its mean window: "
        f"{_each(e, 'cwnd_mean_packets', 'vegas', 1, sizes=True)} packets; repetitions: "
        f"{_each(e, 'retransmissions', 'vegas', 0, sizes=True)}. No buffer is overloaded where "
        "nothing is repeated. Where the throughput differs between limits it is the window's rest "
        f"that does. {vegas_start(e)}"
    )


def vegas_benefit(e: Evidence) -> str:
    """Why Vegas has less of a larger limit."""
    return (
        "What decides is how much waits to be aggregated. MPDUs sent at once by limit, 4 to 64 KB, "
        f"CUBIC: {_each(e, 'mpdus_per_ppdu', 'cubic', 1, sizes=True)}, as its window keeps the "
        "station's queue filled; Vegas: "
        f"{_each(e, 'mpdus_per_ppdu', 'vegas', 1, sizes=True)}, while the air is idle for "
        f"{_each(e, 'idle_share', 'vegas', 2, sizes=True)}. A sender that keeps no queue gains "
        "nothing from room for one, whether its RTTs vary or not: mean RTT of Vegas "
        f"{_each(e, 'rtt_mean_ms', 'vegas', 1, sizes=True)} ms."
    )


def vegas_scatter(e: Evidence) -> str:
    """Where runs that differ in the start alone differ in the result."""

    def range_of(stack: str, how: str) -> str:
        sample = e.runs.at(GOODPUT, stack, "vegas", how).values()
        return f"{min(sample):.1f} to {max(sample):.1f}" if sample else "-"

    air = "; ".join(
        f"{' / '.join(range_of(s, how) for how in AGGREGATIONS)} ({NAMES[s]})" for s in ORDER
    )
    wire = "; ".join(
        " / ".join(f"{scatter(e.wired.at('mbps', s, 'vegas', r)):.2f}" for r in RATIOS)
        + f" ({NAMES[s]})"
        for s in ORDER
    )
    return (
        "Runs of a cell differ in the instant of the start and, over the air, in backoff. Vegas on "
        f"the wire, variation of the throughput over runs by ratio: {wire}; over the air, lowest "
        f"to highest Mbit/s, none / A-MSDU / A-MPDU / both: {air}. Where it scatters it is by the "
        "base RTT that the start leaves behind, in ns-3's clock of whole ms; a cell whose starts "
        "all leave the same one is as predictable as any other controller. "
        f"{vegas_start(e)}"
    )


def vegas_sizes(e: Evidence) -> str:
    """Vegas and the limit of the A-MPDU."""
    return (
        "MPDUs that Vegas sends at once, by limit from 4 to 64 KB: "
        f"{_each(e, 'mpdus_per_ppdu', 'vegas', 2, sizes=True)}; RTT, 95th percentile: "
        f"{_each(e, 'rtt_p95_ms', 'vegas', 1, sizes=True)} ms. A limit far above what is "
        "sent at once changes nothing but, by chance, the instants; in ns-3's arithmetic those "
        "decide where the window rests."
    )


def swings(e: Evidence) -> str:
    """Fluctuation of the rate, run by run."""
    return (
        "Variation of the rate in bins of 0.5 s, second half, none / A-MSDU / A-MPDU / both: "
        f"BBRv3 {_each(e, 'rate_swing', 'bbr3', 3)}; CUBIC {_each(e, 'rate_swing', 'cubic', 3)}; "
        f"NewReno {_each(e, 'rate_swing', 'newreno', 3)}. In ns-3's set-ups 128 KiB of buffer, not "
        "a loss, ends the growth, so there are no teeth; the rest is the air's contention. BBRv3 "
        "adds PROBE_RTT every 5 s."
    )


def windows(e: Evidence) -> str:
    """Who limits the window."""
    return (
        "Losses: retransmissions of CUBIC (none / A-MSDU / A-MPDU / both) "
        f"{_each(e, 'retransmissions', 'cubic', 1)}. In ns-3's set-ups nothing is lost, with "
        "aggregation or without: the socket buffer of 128 KiB stops CUBIC, which grows only while "
        f"it uses its window, at {_each(e, 'window_late_packets', 'cubic', 1)} packets. Fewer "
        "losses cannot be the reason for a larger window there; Linux, whose buffers grow, fills "
        "the station's queue of 500 packets."
    )


def newreno_growth(e: Evidence) -> str:
    """A window that nobody uses grows by the ACK."""
    return (
        "ns-3's NewReno grows with every ACK, whether the window is used or not, and here the "
        "buffer of 128 KiB is what is used. More throughput is more ACKs, hence the slope: "
        f"{_each(e, 'window_growth_packets_per_s', 'newreno', 1)} packets/s (none / A-MSDU / "
        "A-MPDU / both). Growth in the last third over that in the second, 1 for a straight line: "
        f"{_each(e, 'window_bend', 'newreno')}. Retransmissions: "
        f"{_each(e, 'retransmissions', 'newreno', 1)}; where there are none, losses have no part "
        "in it, and where there are, the window has teeth."
    )


def bbr_window(e: Evidence) -> str:
    """BBRv3's window."""
    return (
        "Variation of BBRv3's window, means of 0.5 s, second half: "
        f"{_each(e, 'window_swing', 'bbr3')}: PROBE_RTT every 5 s, and the bandwidth that its "
        "samples see, which aggregation makes "
        f"uneven; mean {_each(e, 'window_late_packets', 'bbr3', 0)} packets."
    )


def sizes(e: Evidence) -> str:
    """Table 5's curve."""
    return (
        "MPDUs that CUBIC sends at once, by limit from 4 to 64 KB: "
        f"{_each(e, 'mpdus_per_ppdu', 'cubic', 1, sizes=True)}; contention: "
        f"{_each(e, 'contention_share', 'cubic', 2, sizes=True)}; data: "
        f"{_each(e, 'data_share', 'cubic', 2, sizes=True)}. With 536 B the 64 MPDUs that a "
        "block ack can cover are 40 KB, so a limit of 64 KB gives hardly more than one of 32 KB."
    )


def newreno_8(e: Evidence) -> str:
    """A cell that looks copied."""
    return (
        "At 8 KB it is the limit, not the controller, that ends an A-MPDU (NewReno / CUBIC / "
        f"BBRv3): {_at_8(e, 'mpdus_per_ppdu')} MPDUs at once, {_at_8(e, GOODPUT)} Mbit/s. The "
        "thesis's 38.46 is to the digit its value at 16 KB, and 4 Mbit/s above CUBIC's and "
        "BBRv3's at 8 KB."
    )


def _at_8(e: Evidence, quantity: str) -> str:
    return "; ".join(
        " / ".join(f"{e.view(s).at(quantity, cc, 8):.2f}" for cc in ("newreno", "cubic", "bbr3"))
        + f" ({NAMES[s]})"
        for s in ORDER
    )
