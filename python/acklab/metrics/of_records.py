"""The columns of `series`, `events`, `acks`, `reports` and `packets`."""

from __future__ import annotations

from acklab.metrics.definition import ECN, ONE_WAY, RTO, SACK, TCP, TIMESTAMPS, column

SERIES = (
    column(
        "series link_series events acks reports", "time_s", "s", "Time since the start of the run."
    ),
    column("series", "cwnd_packets", "packets", "Congestion window in segments.", "RFC 5681"),
    column("series", "cwnd_bytes", "B", "Congestion window.", "RFC 5681"),
    column("series", "ssthresh_bytes", "B", "Slow-start threshold; null = none.", "RFC 5681"),
    column("series", "inflight_bytes", "B", "Bytes in flight.", "RFC 6675 section 4"),
    column("series", "srtt_ms", "ms", "Smoothed RTT.", RTO),
    column("series", "rtt_ms", "ms", "Latest RTT sample.", RTO),
    column("series", "acked_bytes", "B", "Payload acknowledged cumulatively so far."),
    column("series", "pacing_mbps", "Mbit/s", "Pacing rate; null = not paced."),
    column(
        "series",
        "delivery_mbps",
        "Mbit/s",
        "Latest delivery rate sample.",
        "draft-cheng-iccrg-delivery-rate-estimation",
    ),
    column(
        "series",
        "throughput_mbps",
        "Mbit/s",
        "IP packets that the sender sent since the sample before, retransmissions included.",
        "RFC 5166",
    ),
    column(
        "series",
        "owd_ms",
        "ms",
        "One-way delay of the data packet that arrived last.",
        ONE_WAY,
        "delays",
    ),
    column("series", "state", "", "The controller's state, by the name its source gives it."),
)

EVENTS = (
    column(
        "events",
        "event",
        "",
        "What happened to the sender of the flow's data: state (the controller's), "
        "recovery_enter, recovery_exit, undo, rto, tlp, loss_detected, retransmit, spurious, "
        "ecn_reduce. If one ACK enters and leaves several states, only the last has a row.",
    ),
    column(
        "events",
        "cause",
        "",
        "state: the new one; recovery_*: fast or timeout; undo: eifel, dsack or frto; "
        "loss_detected: ack, timer or rto; retransmit: rack, dupack, tlp or rto; spurious: dsack.",
        "RFC 6675, RFC 8985, RFC 3522, RFC 3708, RFC 5682",
    ),
    column(
        "events",
        "value",
        "",
        "loss_detected, spurious: segments; retransmit: payload bytes; otherwise the congestion "
        "window in bytes.",
    ),
)

ACKS = (
    column(
        "acks packets",
        "what",
        "",
        "acks: sent, received at the ends of the flow; held, released, merged (dropped because "
        "another makes it superfluous), dropped on the way. packets: sent, delivered at hosts; "
        "queued, left (its transmission began), marked, dropped, delivered (at the far end) at "
        "links.",
    ),
    column(
        "acks reports packets",
        "reason",
        "",
        "Of an ACK sent, why the receiver acknowledged; of one released, why the filter released "
        "it; of a drop, why; otherwise null.",
    ),
    column(
        "acks reports",
        "ack_bytes",
        "B",
        "Payload that the ACK acknowledges, from the start of the stream.",
        TCP,
    ),
    column(
        "acks",
        "segments",
        "",
        "Full segments that it newly acknowledges, rounded up, as against ACKs sent (or received) "
        "before; 0 at links. The plot segments-per-ack is of these; the column segments_per_ack of "
        "flows counts segments sent, retransmissions included, per ACK instead.",
    ),
    column(
        "acks",
        "delay_s",
        "s",
        "sent: since the first byte that it newly acknowledges came in order; held ACKs when they "
        "are released, merged or dropped: since they came to the filter; received: since it was "
        "sent.",
        "RFC 1122 section 4.2.3.2",
    ),
)

TACK = "Li et al., TACK: Improving Wireless Transport Performance, SIGCOMM 2020"

REPORTS = tuple(
    column("reports", name, unit, text, TACK)
    for name, unit, text in (
        ("report_number", "", "The packet's number among those of feedback."),
        ("largest_pkt_seq", "", "Largest PKT.SEQ that has arrived."),
        (
            "settled_pkt_seq",
            "",
            "Everything missing up to this PKT.SEQ was reported as lost; null without a TACK.",
        ),
        ("packets_arrived", "", "Packets with a PKT.SEQ that have arrived, each counted once."),
        (
            "interval_expected",
            "",
            "Packets that should have arrived since the TACK before; null without a TACK.",
        ),
        ("interval_lost", "", "Of these, lost; null without a TACK."),
        ("sample_mbps", "Mbit/s", "Delivery rate since the last sample; null = no sample."),
        (
            "fastest_hold_ms",
            "ms",
            "Time since the packet with the least one-way delay of the interval arrived.",
        ),
        ("acked_blocks", "B", "Acked list: first offset and end of each block, largest first."),
        ("unacked_blocks", "B", "Unacked list: the same of each gap, smallest first."),
        ("lost_between", "", "PKT.SEQ before and behind what each loss IACK in it calls lost."),
        (
            "bw_mbps",
            "Mbit/s",
            "The receiver's bw: the largest delivery rate over about 10 RTT_min.",
        ),
        ("rho", "", "Loss rate of the data path in the latest interval, as the receiver knows it."),
        (
            "rho_ack",
            "",
            "Loss rate of the ACK path (rho'), as the sender reported it to the receiver.",
        ),
        ("known_rtt_min_ms", "ms", "RTT_min, as the handshake or the sender's SYNC reported it."),
        ("tack_interval_ms", "ms", "Least time between two TACKs: RTT_min/beta within its bounds."),
        ("tack_hz", "Hz", "TACKs per second that Eq. 3 asks for: min(bw/(L MSS), beta/RTT_min)."),
        ("start_up", "", "1 while every packet, or every L-th, is acknowledged as in start-up."),
    )
)

PACKETS = (
    column(
        "packets ppdus", "time_ns", "ns", "Time since the start of the run, in whole nanoseconds."
    ),
    column("packets", "point", "", "Where: the node of the flow's end, or the link's direction."),
    column("packets", "packet", "", "Number of the packet; copies made by a link share it."),
    column("packets", "direction", "", "forward: from the flow's source; reverse: to it."),
    column("packets", "size", "B", "Length of the IP packet.", "RFC 791 section 3.1"),
    column("packets", "seq", "", "Sequence number on the wire.", TCP),
    column("packets", "ack", "", "Acknowledgement number on the wire.", TCP),
    column("packets", "len", "B", "Payload.", TCP),
    column(
        "packets", "flags", "", "The TCP header's flags as a byte: FIN 1, SYN 2 ... CWR 128.", TCP
    ),
    column("packets", "window", "", "Window field, before scaling.", TCP),
    column(
        "reports packets", "window_bytes", "B", "The window that is offered, scaled.", TIMESTAMPS
    ),
    column("packets", "ecn", "", "Codepoint at that moment: Not-ECT, ECT(0), ECT(1), CE.", ECN),
    column("packets", "ts_val", "", "Timestamp; null without the option.", TIMESTAMPS),
    column("packets", "ts_ecr", "", "Timestamp echoed; null without the option.", TIMESTAMPS),
    column("packets", "sack", "", "SACK blocks: left and right edge of each in turn.", SACK),
)
