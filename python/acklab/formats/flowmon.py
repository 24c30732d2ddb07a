"""FlowMonitor's XML, as ns-3 writes it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from acklab.folder import write_atomically
from acklab.formats.ends import Ends, ends_of, needs_packets_everywhere

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: `Ipv4FlowProbe::DropReason` of ns-3.44. It knows nothing of packets lost on a wire: those have
#: its fallback. An ACK filter sits where ns-3 has queue discs.
DROP_REASONS = {
    "queue_full": 3,
    "ack_thinned": 4,
    "filter_full": 4,
    "aqm": 4,
    "random_loss": 8,
    "retry_limit": 8,
    "lifetime_expired": 8,
}

#: `Time::Max()`, which FlowMonitor leaves as the smallest delay of a flow that received nothing.
NEVER = (1 << 63) - 1

#: Protocol number of TCP.
TCP = 6

_FLOW = ["flow", "direction"]


def write_flowmon(result: Result, path: str | os.PathLike[str]) -> Path:
    """Writes what FlowMonitor would have: `FlowMonitor::SerializeToXmlFile`, without histograms.

    As in ns-3, either direction of a connection is a flow, every IP packet counts (handshake and
    acknowledgements, too), sizes are of IP packets, jitter is the sum of the differences between
    the delays of successive packets, and of a duplicate the first arrival counts.
    """
    needs_packets_everywhere(result)
    ends = {e.flow: e for e in ends_of(result)}
    flows = _statistics(
        result.packets, [n for e in ends.values() for n in (e.source, e.destination)]
    )
    root = ET.Element("FlowMonitor")
    stats = ET.SubElement(root, "FlowStats")
    classifier = ET.SubElement(root, "Ipv4FlowClassifier")
    for number, row in enumerate(flows, start=1):
        _flow_stats(stats, number, row)
        _classified(classifier, number, row, ends[row["flow"]])
    ET.indent(root)
    target = Path(path)
    text = ET.tostring(root, encoding="unicode")
    write_atomically(target, f'<?xml version="1.0" ?>\n{text}\n')
    return target


def _statistics(packets: pl.DataFrame, hosts: list[str]) -> list[dict[str, Any]]:
    """A row per direction of a flow, in the order in which their first packets were sent."""
    import polars as pl

    at_hosts = packets.filter(pl.col("point").is_in(sorted(set(hosts))))
    sent = at_hosts.filter(pl.col("what") == "sent")
    received = (
        at_hosts.filter(pl.col("what") == "delivered")
        .unique([*_FLOW, "packet"], keep="first", maintain_order=True)
        .join(sent.select(*_FLOW, "packet", sent_ns="time_ns"), on=[*_FLOW, "packet"])
        .join(_hops(packets), on=[*_FLOW, "packet"])
        .sort("time_ns", maintain_order=True)
        .with_columns(delay=(pl.col("time_ns") - pl.col("sent_ns")).cast(pl.Int64))
    )
    dropped = packets.filter(pl.col("what") == "dropped")
    parts = [_transmitted(sent), _arrived(received), _dropped(dropped)]
    table = parts[0]
    for part in parts[1:]:
        table = table.join(part, on=_FLOW, how="left", maintain_order="left")
    return table.to_dicts()


def _transmitted(sent: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return sent.group_by(_FLOW, maintain_order=True).agg(
        timeFirstTxPacket=pl.col("time_ns").first(),
        timeLastTxPacket=pl.col("time_ns").last(),
        txBytes=pl.col("size").cast(pl.UInt64).sum(),
        txPackets=pl.len(),
    )


def _arrived(received: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return received.group_by(_FLOW, maintain_order=True).agg(
        timeFirstRxPacket=pl.col("time_ns").first(),
        timeLastRxPacket=pl.col("time_ns").last(),
        delaySum=pl.col("delay").sum(),
        jitterSum=pl.col("delay").diff().abs().sum(),
        lastDelay=pl.col("delay").last(),
        maxDelay=pl.col("delay").max(),
        minDelay=pl.col("delay").min(),
        rxBytes=pl.col("size").cast(pl.UInt64).sum(),
        rxPackets=pl.len(),
        timesForwarded=pl.col("forwarded").cast(pl.UInt64).sum(),
    )


def _hops(packets: pl.DataFrame) -> pl.DataFrame:
    """How many nodes forwarded a packet: one less than the links that it crossed."""
    import polars as pl

    crossed = packets.filter(pl.col("what") == "left")
    return crossed.group_by(*_FLOW, "packet").agg(forwarded=pl.col("point").n_unique() - 1)


def _dropped(dropped: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    code = pl.col("reason").replace_strict(DROP_REASONS, return_dtype=pl.Int64)
    by_reason = dropped.group_by(*_FLOW, code=code).agg(
        packets=pl.len(), bytes=pl.col("size").cast(pl.UInt64).sum()
    )
    return by_reason.group_by(_FLOW).agg(pl.struct("code", "packets", "bytes").alias("drops"))


def _flow_stats(parent: ET.Element, number: int, row: dict[str, Any]) -> None:
    drops = {d["code"]: d for d in row["drops"] or []}
    times = {
        name: f"+{row[name] or 0}.0ns"
        for name in (
            "timeFirstTxPacket",
            "timeFirstRxPacket",
            "timeLastTxPacket",
            "timeLastRxPacket",
            "delaySum",
            "jitterSum",
            "lastDelay",
            "maxDelay",
        )
    }
    times["minDelay"] = f"+{NEVER if row['minDelay'] is None else row['minDelay']}.0ns"
    counts = {n: row[n] or 0 for n in ("txBytes", "rxBytes", "txPackets", "rxPackets")}
    counts["lostPackets"] = sum(d["packets"] for d in drops.values())
    counts["timesForwarded"] = row["timesForwarded"] or 0
    words = times | {name: str(count) for name, count in counts.items()}
    flow = ET.SubElement(parent, "Flow", {"flowId": str(number)} | words)
    for tag, attribute, key in (
        ("packetsDropped", "number", "packets"),
        ("bytesDropped", "bytes", "bytes"),
    ):
        for code in range(max(drops, default=-1) + 1):
            value = drops[code][key] if code in drops else 0
            ET.SubElement(flow, tag, {"reasonCode": str(code), attribute: str(value)})


def _classified(parent: ET.Element, number: int, row: dict[str, Any], ends: Ends) -> None:
    there = (ends.source_address, ends.source_port)
    back = (ends.destination_address, ends.destination_port)
    if row["direction"] == "reverse":
        there, back = back, there
    flow = ET.SubElement(
        parent,
        "Flow",
        {
            "flowId": str(number),
            "sourceAddress": there[0],
            "destinationAddress": back[0],
            "protocol": str(TCP),
            "sourcePort": str(there[1]),
            "destinationPort": str(back[1]),
        },
    )
    ET.SubElement(flow, "Dscp", {"value": "0x0", "packets": str(row["txPackets"])})
