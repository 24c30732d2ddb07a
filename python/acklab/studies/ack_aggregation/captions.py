"""Titles and captions of the figures that show mechanisms."""

from __future__ import annotations

TITLES = {
    "why-throughput": "Why the throughput is what it is: idle seconds of the bottleneck",
    "why-acks": "Why aggregation has an end: what the filter makes of the ACKs",
    "why-window": "Why windows grow as they do: CUBIC by the clock, NewReno by the ACK",
    "why-loss": "Why packets are lost: drops by phase, and what BBRv3 takes the link for",
    "why-bbr": "Why BBRv3 starts slowly, and what makes its rate and window swing",
    "why-vegas": "Why Vegas stops growing: the delay that it takes for its queue",
    "why-pairs": "Why one of two flows wins: rates of pairs over time",
    "why-runs": "How much alike: teeth of windows and variation of rates, over all seeds",
    "why-shares": "Who has more of a pair: differences of goodputs, over all seeds",
}
CAPTIONS = {
    "why-throughput": (
        "How long the bottleneck had nothing to send, by when: until the first data reached the "
        "receiver, from then until the link was first busy for half a second, and after that. One "
        "traced run per bar. In the inferred set-up the handshake costs 3 s whatever the "
        "controller, and BBRv3's start after it 12 s; as stated neither does, and only Vegas in "
        "ns-3's stack leaves the link idle. As stated 16:1 is the same run as 8:1."
    ),
    "why-acks": (
        "After the first 8 s, by controller and ratio: segments that an ACK at the sender stands "
        "for; the share of releases that were the timer's; packets that arrive at the bottleneck "
        "back to back, where packets were recorded; the longest time without any ACK, with the "
        "smallest retransmission timeout as a dotted line. As stated the timer ends aggregation at "
        "five or six segments. BBRv3's packets come singly, for it paces; the others answer each "
        "ACK with a burst of what it acknowledged. No silence "
        "reaches a timeout; the longest are BBRv3's, when it recovers or hardly sends."
    ),
    "why-window": (
        "Above, windows of an excerpt at 1:1 and 8:1. Below, against the ratio: mean time between "
        "overflows of the queue, growth between them, the lowest window (with the window that "
        "fills the link "
        "dotted), and how long the link idled after the first 8 s. CUBIC's cycle does not depend "
        "on "
        "the ratio; NewReno's does in ns-3, which counts ACKs, and not in Linux, which counts "
        "segments."
    ),
    "why-loss": (
        "Packets dropped at the bottleneck, by phase; note the scale of BBRv3's panels. To the "
        "right what BBRv3 measures: the share of its rate samples above what the link carries, and "
        "the queue that stands while it cruises (grey: other seeds). In ns-3's stack that queue "
        "grows as ACKs are "
        "aggregated, and each probe for bandwidth overflows it. In the inferred set-up few are "
        "dropped, and none at 16:1."
    ),
    "why-bbr": (
        "The start in the inferred set-up: with aggregation (2:1, 8:1) the handshake takes 3 s, "
        "BBRv3 takes that for the RTT and paces at a hundredth of the rate for 12 s. Then an "
        "excerpt as stated: bytes acknowledged, whose steps at 8:1 in ns-3's stack are repetitions "
        "lost and awaited for a second; and the window, which falls in PROBE_RTT every 5 s at any "
        "ratio."
    ),
    "why-vegas": (
        "Above, how far the RTT that Vegas is told lies above the smallest that it ever was told "
        "(line), and what the acknowledged segments waited at the bottleneck and in the filter "
        "(bars). Middle, the window, and where slow start was left. Below, the packets that it "
        "reckons queued, and those that stand (tenth percentile); grey is where Vegas rests, and "
        "ns-3 rounds up, so it rests from one on. In ns-3's stack the burst that each ACK releases "
        "queues behind itself and passes for congestion; where the base was taken from such "
        "bursts, "
        "the bars are higher than the line, and Vegas does not mind them."
    ),
    "why-pairs": (
        "Acknowledged rate of both flows of a pair, in bins of 3 s. As stated BBRv3 holds its "
        "window through "
        "losses that make CUBIC and NewReno cut theirs; CUBIC regrows by the clock, NewReno of "
        "ns-3 by the ACK; Vegas gives way. In the inferred set-up one flow's SYN-ACK is dropped "
        "for the other's, so it never starts, or starts late with another base RTT."
    ),
    "why-runs": (
        "Means over seeds with 95 % intervals. A tooth is a climb of the window, after the first "
        "8 s, from a trough to a peak behind which it falls by 15 % or more. The teeth of CUBIC "
        "and of NewReno are all alike, BBRv3's are not; Vegas has none, and at the highest ratios "
        "a run is too short for three periods of ns-3's NewReno. That climbs by the ACK, so more "
        "slowly as ACKs are aggregated, and CUBIC by the clock. To the right, how far the "
        "acknowledged rate varies in bins of half a second."
    ),
    "why-shares": (
        "Goodput of the first flow less that of the second, means over seeds with 95 % intervals. "
        "Above 0 the first has more; where the interval crosses 0 it is undecided. As stated "
        "all have more than Vegas and, where ACKs are aggregated, BBRv3 more than the loss-based "
        "ones; in the inferred set-up it is a matter of whose handshake was dropped."
    ),
}
