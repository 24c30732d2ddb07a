"""Sentences of the paper that state a finding again, with the claims that judge it.

With the claims' own they are all of the paper's that say what was found. Not among them are how
TAC and the runs are set up, what others' schemes do that the paper does not run, and that TAC
needs a change of the access point alone.
"""

from __future__ import annotations

from collections.abc import Sequence

#: Sentence, section, claims.
REPEATED: Sequence[tuple[str, str, tuple[str, ...]]] = (
    (
        "TCP ACKs tend to be accumulated in the AP's downlink buffer",
        "abstract",
        ("F5-agg-why",),
    ),
    (
        "increases TCP ACK losses in the AP and leads to the serious unfair operation of TCP "
        "congestion control",
        "abstract",
        ("II-loss", "F2-severe"),
    ),
    (
        "TAC enhances the channel efficiency by not transmitting unnecessary TCP ACKs",
        "abstract",
        ("V-throughput",),
    ),
    (
        "TAC tightly assures fairness under various network conditions while increasing the "
        "aggregate throughput, compared to the existing schemes",
        "abstract",
        ("F5-both", "F6-outperforms"),
    ),
    (
        "This bottleneck for the TCP ACKs in AP's downlink buffer eventually results in ACK loss "
        "due to buffer overflow",
        "I",
        ("F5-agg-why",),
    ),
    (
        "affects the behavior of TCP flows in an asymmetric way and leads to the unfairness "
        "problem among uplink TCP flows",
        "I",
        ("II-tolerate", "F3-reason"),
    ),
    (
        "the aggregate throughput may be decreased, because the prioritized channel access by the "
        "AP increases the probability of collision with STAs",
        "I",
        ("F5-diff-why", "F5-collisions"),
    ),
    (
        "so as to enhance throughput by reducing the channel access overheads",
        "I",
        ("F6-rises",),
    ),
    (
        "the unfairness problem becomes remarkably exacerbated due to an unintended interaction "
        "between MAC frame aggregation and TCP congestion control",
        "I",
        ("F2-severe",),
    ),
    (
        "TCP ACK loss due to buffer overflow, which is the primary reason of unfairness",
        "I",
        ("F2-infinite",),
    ),
    (
        "TAC mitigates the unfairness problem by reducing the queue occupancy and it also "
        "increases the total throughput by not transmitting the unnecessary TCP ACKs",
        "I",
        ("A-occupancy", "V-throughput"),
    ),
    (
        "it makes a negative effect on the fairness among uplink TCP flows",
        "II",
        ("F2-tradeoff",),
    ),
    (
        "the corresponding TCP ACKs will also be generated and arrive to the AP in bursts",
        "II",
        ("III-order", "III-gap-link"),
    ),
    (
        "the frame aggregation exacerbates the unfairness problem among uplink TCP flows",
        "II; V",
        ("F2-severe",),
    ),
    (
        "The results in Fig. 3 reconfirm the reason of unfairness problem",
        "II",
        ("F3-reason",),
    ),
    (
        "In these cases, the unfairness problem hardly happens, as already shown in Fig. 2",
        "II",
        ("F2-small",),
    ),
    (
        "RACK can also be corrupted due to wireless channel error or collision, but this can be "
        "recovered by the MAC-layer retransmission",
        "III.2.2",
        ("III-rack",),
    ),
    (
        "TAC increases the overall throughput, as well as achieving fairness",
        "IV.3",
        ("V-throughput", "F6-outperforms"),
    ),
    (
        "TAC outperforms the conventional approaches in terms of both fairness and aggregate "
        "throughput under various network configurations",
        "V",
        ("F6-outperforms",),
    ),
)
