"""The columns of `flows`."""

from __future__ import annotations

from acklab.metrics.definition import (
    DOBRIAN,
    DSACK,
    ECN,
    JITTER,
    ONE_WAY,
    RACK,
    RTO,
    RTP,
    TCP,
    column,
)

#: `start` and `warmup` are the scenario's keys, not when a flow began.
_SAMPLES = (
    "over samples 100 ms apart, from the scenario's start + warmup to the end, while the flow has "
    "an RTT and is not complete"
)
_WARM = "from the scenario's start + warmup to the end"
_WHOLE = "from the scenario's start to its end"

FLOWS = (
    column("flows series events acks reports packets", "flow", "", "Name of the flow."),
    column("flows", "transport", "", "Name of the transport: tcp, tack, cbr, rtp."),
    column(
        "flows",
        "cc",
        "",
        "Name of the congestion controller; of cbr and rtp that of the transport.",
    ),
    column("flows", "start_s", "s", "When the connection was opened, jitter included."),
    column(
        "flows",
        "completion_s",
        "s",
        "From the connection's opening until everything had arrived; null if never.",
    ),
    column(
        "flows series",
        "goodput_mbps",
        "Mbit/s",
        "In-order payload that the receiving application read: from the scenario's start to its "
        "end in flows, since the sample before in series. A flow that starts late or ends early "
        "is divided by the same time as all others: over its own life take acked_mbps, from its "
        "start to the end, or received_bytes / completion_s.",
        "RFC 2647 section 3.17",
    ),
    column(
        "flows", "goodput_warm_mbps", "Mbit/s", f"goodput_mbps {_WARM}.", "RFC 2647 section 3.17"
    ),
    column("flows", "acked_mbps", "Mbit/s", "Payload acknowledged, since the flow's own start."),
    column(
        "flows",
        "sent_mbps",
        "Mbit/s",
        "Throughput: IP packets that the sender sent, retransmissions included, "
        f"{_WHOLE}. Goodput counts useful payload only.",
        "RFC 5166",
    ),
    column("flows", "received_bytes", "B", "Payload that the receiving application read."),
    column("flows", "data_segments", "", "Segments with payload sent, retransmissions included."),
    column(
        "flows series", "retransmissions", "", "Retransmitted segments so far, whatever the cause."
    ),
    column(
        "flows",
        "retransmissions_rack",
        "",
        "Segments retransmitted after RACK's time rule declared them lost.",
        RACK,
    ),
    column(
        "flows",
        "retransmissions_dupack",
        "",
        "Segments retransmitted after duplicate ACKs or the SACK rule declared them lost.",
        "RFC 5681 section 3.2, RFC 6675",
    ),
    column(
        "flows",
        "retransmissions_tlp",
        "",
        "Segments retransmitted as tail loss probes.",
        "RFC 8985 section 7",
    ),
    column("flows", "retransmissions_rto", "", "Segments retransmitted after a timeout.", RTO),
    column(
        "flows",
        "spurious_retransmissions",
        "",
        "Retransmitted segments that DSACKs reported as superfluous, at most as many as were "
        "retransmitted. This is what the sender knows; duplicate_segments is the true number.",
        DSACK,
    ),
    column("flows", "retransmitted_bytes", "B", "Retransmitted payload."),
    column("flows", "rtos", "", "Retransmission timeouts.", RTO),
    column(
        "flows",
        "undos",
        "",
        "Window reductions undone as spurious.",
        "RFC 4015, RFC 3708, RFC 5682",
    ),
    column("flows", "recoveries", "", "Fast recoveries entered.", "RFC 6675 section 5"),
    column("flows", "tlps", "", "Tail loss probes, of new data or old.", "RFC 8985 section 7"),
    column("flows", "lost_segments", "", "Segments that the sender marked lost.", RACK),
    column(
        "flows",
        "ecn_reductions",
        "",
        "How often ECN echoes put the sender into CWR. Reno, CUBIC and Vegas then reduce the "
        "window; BBR decides for itself and may go on as before.",
        ECN,
    ),
    column(
        "flows",
        "out_of_order_segments",
        "",
        "Segments with payload that arrived above a gap.",
        "RFC 4737",
    ),
    column(
        "flows",
        "duplicate_segments",
        "",
        "Segments with payload that arrived and contained nothing new: needless retransmissions "
        "and copies made by the network.",
        TCP,
    ),
    column("flows", "cwnd_mean_packets", "packets", f"Mean congestion window {_SAMPLES}."),
    column(
        "flows",
        "cwnd_mean_time_packets",
        "packets",
        "Mean congestion window weighted by time, since the flow's start.",
    ),
    column("flows", "cwnd_min_packets", "packets", f"Smallest window {_SAMPLES}."),
    column("flows", "cwnd_max_packets", "packets", f"Largest window {_SAMPLES}."),
    column("flows", "rtt_mean_ms", "ms", f"Mean of the sender's latest RTT {_SAMPLES}.", RTO),
    column("flows", "rtt_p50_ms", "ms", f"Median of the latest RTT {_SAMPLES}.", RTO),
    column("flows", "rtt_p95_ms", "ms", f"95th percentile of the latest RTT {_SAMPLES}.", RTO),
    column("flows", "rtt_p99_ms", "ms", f"99th percentile of the latest RTT {_SAMPLES}.", RTO),
    column("flows", "srtt_mean_ms", "ms", f"Mean smoothed RTT {_SAMPLES}.", RTO),
    column("flows", "srtt_p50_ms", "ms", f"Median of the smoothed RTT {_SAMPLES}.", RTO),
    column("flows", "rtt_min_ms", "ms", "Smallest RTT sample of the run.", RTO),
    column(
        "flows",
        "acks_sent",
        "",
        "Pure ACKs that the receiver of the data sent: packets with nothing but feedback, whatever "
        "the transport. TACK's TACKs and IACKs count alike.",
    ),
    column(
        "flows",
        "iacks_sent",
        "",
        "Of acks_sent those that TACK sent for an event between two TACKs (IACKs); null for other "
        "transports.",
        "Li et al. 2020 (TACK) section 4.4",
    ),
    column(
        "flows",
        "feedback_airtime_ms",
        "ms",
        "Time on the air of radio PPDUs that held nothing but ACKs, with preambles, whether they "
        "arrived or not. If a PPDU has ACKs of several flows, this flow's share of its bytes "
        "counts. Interframe spaces, backoff, and the frames that announce and answer such a PPDU "
        "do not count. Null without radio.",
    ),
    column("flows", "acks_received", "", "Pure ACKs that reached the sender of the data."),
    column(
        "flows",
        "segments_per_ack",
        "",
        "Data segments sent, retransmissions included, per pure ACK that reached the sender, over "
        "the whole run. The plot segments-per-ack shows instead what each ACK newly acknowledges, "
        "which leaves retransmissions out: see `segments`.",
        "RFC 5690",
    ),
    column(
        "flows",
        "acks_per_s",
        "1/s",
        f"Pure ACKs that reached the sender, {_WHOLE}, for every flow alike. One that "
        "starts late is divided by the same time as all others: over its own life take "
        "acks_received / (the run's end - start_s).",
    ),
    column(
        "flows",
        "acks_per_rtt",
        "",
        "Pure ACKs that reached the sender per smoothed RTT: acks_per_s, which is "
        f"{_WHOLE}, times srtt_mean_ms, which leaves the warm-up out. That is their number per RTT "
        "for a flow that sends from the scenario's start to its end. Of one that starts late or "
        "ends early count the rows `received` of acks in its own time (--record acks), divide by "
        "that time, and take srtt_mean_ms times that.",
        "Li et al. 2020 (TACK)",
    ),
    column(
        "flows",
        "ack_delay_mean_ms",
        "ms",
        "Mean, over ACKs that acknowledge something new, of the time from the arrival in order of "
        f"the first byte that is new to the sending of the ACK, {_WARM}.",
        "RFC 1122 section 4.2.3.2",
        "acks",
    ),
    column(
        "flows",
        "owd_mean_ms",
        "ms",
        "Mean one-way delay of data packets, from the sender's transport to the receiver's, of "
        f"those that arrived {_WARM}.",
        ONE_WAY,
        "delays",
    ),
    column(
        "flows",
        "owd_p50_ms",
        "ms",
        f"Median one-way delay of data packets, to 100 ns, {_WARM}.",
        ONE_WAY,
        "delays",
    ),
    column(
        "flows",
        "owd_p95_ms",
        "ms",
        f"95th percentile of the one-way delay of data packets, {_WARM}.",
        ONE_WAY,
        "delays",
    ),
    column(
        "flows",
        "owd_p99_ms",
        "ms",
        f"99th percentile of the one-way delay of data packets, {_WARM}.",
        ONE_WAY,
        "delays",
    ),
    column(
        "flows series",
        "jitter_ms",
        "ms",
        "Interarrival jitter of data packets, J += (|D| - J) / 16, D being the difference of the "
        "transit times of two packets that arrive one after the other. In series the estimate; in "
        f"flows its mean over the data packets that arrived {_WARM}.",
        JITTER,
        "delays",
    ),
    column(
        "flows",
        "app_dropped_bytes",
        "B",
        'Payload that an on-off application with when_full = "drop" lost because the send buffer '
        "was full; null for applications that keep it.",
    ),
    column("flows", "exchanges", "", "Exchanges of request and response completed."),
    column("flows", "exchange_mean_ms", "ms", "Mean time from request to the end of the response."),
    column(
        "flows", "exchange_max_ms", "ms", "Longest time from request to the end of the response."
    ),
    column(
        "flows",
        "datagrams_received",
        "",
        "Data packets of a flow that repeats nothing (transport cbr or rtp) that arrived. Like the "
        "other columns of datagrams null for TCP.",
    ),
    column(
        "flows",
        "datagrams_lost",
        "",
        "Data packets that did not arrive, of those up to the last one that did: highest number "
        "+ 1 - packets that arrived.",
        RTP,
    ),
    column(
        "flows",
        "datagrams_reordered",
        "",
        "Data packets that arrived after one that was sent later.",
    ),
    column(
        "flows",
        "datagram_loss",
        "",
        "Share of data packets lost, from the scenario's start to its end: lost / (lost + "
        "arrived); null if none arrived.",
        RTP,
    ),
    column(
        "flows",
        "video_startup_ms",
        "ms",
        "Start-up delay of a video: from the opening of the flow to the first picture; null "
        "without one. The columns of video are null for other applications.",
    ),
    column(
        "flows",
        "video_rebuffering",
        "",
        "Rebuffering ratio: time in which the picture was frozen / (time in which it moved + time "
        "in which it was frozen), start-up not counted; null before the first picture.",
        DOBRIAN,
    ),
    column("flows", "video_stalls", "", "Times that the picture froze.", DOBRIAN),
    column("flows", "video_played_s", "s", "Time in which the picture moved."),
    column(
        "flows", "video_stalled_s", "s", "Time in which the picture was frozen after its start."
    ),
    column(
        "flows",
        "video_frames",
        "",
        "Frames that were due: shown or, over rtp, given up.",
    ),
    column(
        "flows",
        "video_frame_loss",
        "",
        "Part of video_frames that was not complete at its time. Zero over a stream, which waits.",
    ),
    column(
        "flows",
        "video_macroblock_loss",
        "",
        "Damaged part of the picture, averaged over video_frames: missing packets of the frame, "
        "and damage of the frames before since the last I frame.",
    ),
    column(
        "flows",
        "video_delay_p50_ms",
        "ms",
        "Median time from the capture of a frame to the arrival of its last byte, of complete "
        "frames (over rtp those that were so in time).",
    ),
    column("flows", "video_delay_p95_ms", "ms", "95th percentile of the same."),
    column(
        "flows",
        "video_latency_mean_ms",
        "ms",
        "Live latency: mean time from the capture of a frame to its time on the screen.",
    ),
    column("flows", "video_latency_p95_ms", "ms", "95th percentile of the same."),
)
