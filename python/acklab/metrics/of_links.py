"""The columns of `links` and `link_series`."""

from __future__ import annotations

from acklab.metrics.definition import column

_LEFT = "by packets that left the queue from start + warmup to the end"
_AQM = "RFC 7567"
_SOJOURN = "RFC 8289"

LINKS = (
    column("links link_series acks", "link", "", "Name of the direction of a link."),
    column(
        "links",
        "utilisation",
        "",
        "Share of the run in which the "
        "transmitter was busy; of a way over a radio channel, in which its data were on the air.",
    ),
    column("links", "packets_in", "", "Packets that arrived at the near end."),
    column("links", "packets_out", "", "Packets that reached the far end."),
    column("links", "bytes_out", "B", "Bytes of IP packets that reached the far end."),
    column("links link_series", "dropped", "", "Packets dropped so far, for whatever reason."),
    column("links stations", "drops_queue_full", "", "Packets refused by a full queue.", _AQM),
    column("links stations", "drops_random_loss", "", "Packets lost at random on the line."),
    column(
        "links stations",
        "drops_ack_thinned",
        "",
        "ACKs that an ACK filter dropped because another ACK makes them superfluous.",
        "RFC 3449 section 5.2.1",
    ),
    column("links stations", "drops_filter_full", "", "ACKs that found no room in an ACK filter."),
    column(
        "links stations",
        "drops_retry_limit",
        "",
        "Packets whose frames reached the limit of transmissions.",
    ),
    column(
        "links stations",
        "drops_lifetime_expired",
        "",
        "Packets that waited longer than their lifetime.",
    ),
    column(
        "links stations",
        "drops_aqm",
        "",
        "Packets that active queue management dropped: the queue was too long for too long.",
        "RFC 8289, RFC 8290",
    ),
    column(
        "links stations",
        "drops_unresolved",
        "",
        "Packets for a neighbour whose address was not known: too many waited, or no station "
        "answered.",
        "RFC 826",
    ),
    column(
        "links link_series",
        "marks",
        "",
        "Packets that this link marked with CE so far.",
        "RFC 3168 section 5",
    ),
    column("links", "duplicated", "", "Copies made by the line."),
    column("links", "reordered", "", "Packets held back so that others could overtake."),
    column("links", "queue_max_packets", "packets", "Most packets that waited at once."),
    column("links", "queue_max_bytes", "B", "Most bytes that waited at once."),
    column("links", "wait_mean_ms", "ms", "Mean time spent waiting, over the whole run."),
    column("links", "wait_max_ms", "ms", "Longest time spent waiting."),
    column(
        "links",
        "acks_seen",
        "",
        "Pure ACKs that arrived at the ACK filter (of two filters, at the first).",
    ),
    column(
        "links",
        "acks_passed",
        "",
        "Pure ACKs that the ACK filter passed (of two filters, the last).",
    ),
    column(
        "links",
        "acks_dropped",
        "",
        "Pure ACKs that the ACK filter dropped (of two filters, both together).",
    ),
    column(
        "links",
        "acks_dropped_queued",
        "",
        "Those of acks_dropped that the filter removed from the queue.",
    ),
    column("links", "acks_by_timer", "", "Releases by the ACK filter's timer."),
    column("links link_series", "acks_held", "", "ACKs in the ACK filter at that moment."),
    column(
        "links",
        "sojourn_mean_ms",
        "ms",
        f"Mean time spent in the queue {_LEFT}.",
        _SOJOURN,
        "queues",
    ),
    column(
        "links",
        "sojourn_p50_ms",
        "ms",
        f"Median time spent in the queue {_LEFT}.",
        _SOJOURN,
        "queues",
    ),
    column(
        "links",
        "sojourn_p95_ms",
        "ms",
        f"95th percentile of the time spent in the queue {_LEFT}.",
        _SOJOURN,
        "queues",
    ),
    column(
        "links",
        "sojourn_p99_ms",
        "ms",
        f"99th percentile of the time spent in the queue {_LEFT}.",
        _SOJOURN,
        "queues",
    ),
    column(
        "link_series",
        "queue_packets",
        "packets",
        "Packets waiting, without the one in service. Of "
        "a way over a radio channel those in its sender's interface queue, of all ways from there.",
    ),
    column("link_series", "queue_bytes", "B", "Bytes waiting, without the packet in service."),
    column(
        "link_series",
        "sojourn_ms",
        "ms",
        "Time that the packet which left the queue last had spent in it.",
        _SOJOURN,
        "queues",
    ),
)
