"""The columns of `queue_classes`: CAKE, its tins and classes of HTB, as `tc -s` prints them."""

from __future__ import annotations

from acklab.metrics.definition import Definition, column

_CAKE = "Linux net/sched/sch_cake.c, tc-cake(8)"
_HTB = "Linux net/sched/sch_htb.c, tc-htb(8)"


def _both(name: str, unit: str, text: str) -> Definition:
    return column("queue_classes", name, unit, text, "tc(8)")


def _tin(name: str, unit: str, text: str) -> Definition:
    return column("queue_classes", name, unit, f"Of a tin of CAKE: {text}", _CAKE)


def _whole(name: str, unit: str, text: str) -> Definition:
    return column("queue_classes", name, unit, f"Of a CAKE: {text}", _CAKE)


def _sent(name: str, unit: str, text: str) -> Definition:
    return _both(name, unit, f"Of a CAKE or a class: {text}")


def _class(name: str, unit: str, text: str) -> Definition:
    return column("queue_classes", name, unit, f"Of a class of HTB: {text}", _HTB)


CLASSES = (
    _both(
        "place",
        "",
        "Where the queue discipline stands: a direction of a link, or channel/station/access "
        "category.",
    ),
    _both(
        "class",
        "",
        "Name of the tin or class, `cake` of a whole CAKE; behind the names of the classes that "
        "its discipline stands in.",
    ),
    _both(
        "part",
        "",
        "What the row is about: a whole CAKE (qdisc), a tin of it, or a class of HTB or a queue "
        "tree.",
    ),
    _tin("threshold_mbps", "Mbit/s", "up to this rate it goes first; null without a shaper."),
    _tin("target_ms", "ms", "the waiting time that its control law aims at."),
    _tin("interval_ms", "ms", "how long its control law waits before it acts."),
    _tin(
        "pk_delay_ms",
        "ms",
        "a moving mean of waiting times that rises fast: a longer wait counts 1/4, a shorter one "
        "1/256.",
    ),
    _tin("av_delay_ms", "ms", "a moving mean of waiting times; each counts 1/256."),
    _tin(
        "sp_delay_ms",
        "ms",
        "a moving mean of waiting times that falls fast: a shorter wait counts 1/4, a longer one "
        "1/256.",
    ),
    _tin("pkts_arrived", "", "packets that joined it."),
    _tin("bytes_arrived", "B", "bytes of these packets."),
    _tin("way_inds", "", "packets whose flow has another queue than its hash says."),
    _tin("way_miss", "", "packets that took a queue that was free."),
    _tin("way_cols", "", "packets that found no free queue and share one with another flow."),
    _tin("ack_drop", "", "ACKs that the ACK filter took out of it."),
    _tin("sp_flows", "", "sparse flows at the end of the run, those that fade out included."),
    _tin("bk_flows", "", "bulk flows at the end of the run."),
    _tin("un_flows", "", "flows that BLUE drops at random at the end of the run."),
    _tin("max_len", "B", "the longest packet that joined it."),
    _tin("ecn_marks", "", "packets that it marked (tc: marks)."),
    _class("level", "", "0 of a leaf, more of the classes above it."),
    _class("prio", "", "its priority; null of classes in which no packets wait."),
    _class("rate_mbps", "Mbit/s", "the rate that it has for itself."),
    _class("ceil_mbps", "Mbit/s", "the rate that it may borrow up to."),
    _sent("pkts_sent", "", "packets that left through it."),
    _sent("bytes_sent", "B", "their bytes; of a class with what `overhead` adds."),
    _sent(
        "overlimits",
        "",
        "of a CAKE times that its shaper held a packet back; of a class times that it came into "
        "the mode in which it may not send.",
    ),
    _class(
        "lended", "", "packets that left on its own tokens, those of the classes below included."
    ),
    _class("borrowed", "", "packets that left through it on the tokens of a class above."),
    _whole("memory_used_bytes", "B", "the most memory that its packets took, as Linux counts it."),
    _whole("memory_limit_bytes", "B", "the memory that they may take."),
    _whole(
        "capacity_mbps",
        "Mbit/s",
        "the rate at which packets arrive, as `autorate_ingress` estimates it; without it the "
        "rate of the shaper, null without one.",
    ),
    _whole("min_network_size", "B", "its smallest IP packet."),
    _whole("max_network_size", "B", "its largest IP packet."),
    _whole("min_adj_size", "B", "what a packet counted for at least, with framing and overhead."),
    _whole("max_adj_size", "B", "what a packet counted for at most, with framing and overhead."),
    _both(
        "drops",
        "",
        "Packets dropped: of a tin by the control law and for want of memory; of a CAKE those of "
        "its tins and of the ACK filter; of a class those that its discipline refused on arrival.",
    ),
    _both("backlog_bytes", "B", "Bytes that wait at the end of the run."),
    _sent("backlog_packets", "", "packets that wait at the end of the run."),
    _both(
        "quantum_bytes",
        "B",
        "Bytes that a flow of the tin, or the class, may send in its turn; null of a whole CAKE, "
        "and of classes in which no packets wait.",
    ),
)
