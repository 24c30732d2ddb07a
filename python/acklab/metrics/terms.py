"""Words that are used like a column and are none: what they are here, or which are meant."""

from __future__ import annotations

#: Columns that tell the rows of many runs apart.
KEYS = {
    "run": "Number of the run within its sweep, from 0, in the order of cells and then of seeds. "
    "The first column of every table of a sweep.",
    "cell": "Number of the combination of values in a sweep's grid, from 0; the columns after it "
    "are the swept keys, one each. All its runs differ in the seed only.",
    "seed": "What the run's random draws come from; the same scenario and seed give the same "
    "result. A column of every table of a sweep. A scenario that draws nothing is the same for "
    "every seed: give its flows a start_jitter.",
    "result": "Name of the result folder that a row of a comparison comes from.",
}

#: Everyday words, and the columns or metrics that they may mean, the likeliest first.
MEANT = {
    "throughput": ("sent_mbps", "throughput_mbps", "goodput_mbps"),
    "goodput": ("goodput_mbps", "goodput_warm_mbps", "acked_mbps"),
    "rate": ("goodput_mbps", "sent_mbps", "pacing_mbps"),
    "latency": ("owd_mean_ms", "rtt_mean_ms", "sojourn_mean_ms"),
    "delay": ("owd_mean_ms", "rtt_mean_ms", "ack_delay_mean_ms"),
    "rtt": ("rtt_mean_ms", "srtt_mean_ms", "rtt_min_ms"),
    "cwnd": ("cwnd_mean_packets", "cwnd_packets"),
    "loss": ("dropped", "lost_segments", "retransmissions"),
    "jitter": ("jitter_ms",),
    "fairness": ("jain", "rtt_fairness", "harm"),
    "convergence": ("convergence_time",),
    "p50": ("percentile", "rtt_p50_ms", "owd_p50_ms", "sojourn_p50_ms"),
    "p95": ("percentile", "rtt_p95_ms", "owd_p95_ms", "sojourn_p95_ms"),
    "p99": ("percentile", "rtt_p99_ms", "owd_p99_ms", "sojourn_p99_ms"),
    "acks_merged": ("acks_dropped", "drops_ack_thinned", "what"),
    "acks": ("acks_sent", "acks_received", "acks_per_s"),
}
