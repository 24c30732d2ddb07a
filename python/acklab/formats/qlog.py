"""qlog: one JSON text sequence per flow."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.folder import write_atomically
from acklab.formats.ends import Ends, ends_of, needs_packets_everywhere
from acklab.formats.tamed import estimate_events, tamed_events
from acklab.formats.transmissions import Event, packet_events

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: draft-ietf-quic-qlog-main-schema-02, draft-ietf-quic-qlog-quic-events-01.
VERSION = "0.3"

#: Before each JSON text of a sequence (RFC 7464).
RECORD_SEPARATOR = "\x1e"


#: Suffix of the file of a TACK receiver, behind the name of the flow.
OF_RECEIVER = ".receiver"


@dataclass(frozen=True)
class _View:
    """One file: a flow as one of its ends sees it."""

    ends: Ends
    protocol: str
    stem: str
    node: str
    is_sender: bool

    @property
    def is_client(self) -> bool:
        return self.node == self.ends.source


def write_qlog(result: Result, folder: str | os.PathLike[str]) -> list[Path]:
    """Writes `FLOW.sqlog` for every flow, as seen by its sender; returns their paths.

    A flow of TACK has `FLOW.receiver.sqlog` as well: its receiver finds losses and measures rate
    and delay. A flow of UDP at a constant rate has no file: there is nothing in its packets that
    a transport would tell.

    A live run has the files of those ends that were recorded.

    The sender of requests and responses is who responds, as everywhere in acklab.

    TCP has no packet numbers, so every transmission gets the next one: a retransmission another
    than what it repeats. An ACK is a received packet whose ack frame has the transmissions that
    it newly acknowledges, by its number or by SACK: of bytes sent repeatedly, the latest. A
    transmission is lost when the sender sends its bytes again, unless as a probe.

    Packets of TCP are numbered per direction; received ones as they arrive. Those of TACK have
    their own numbers and frames (`docs/schema/tack-qlog.cddl`). Metrics are the samples of
    `record.every`, and `min_rtt` is the smallest of these.
    """
    result.needs("packets", "events", "series")
    needs_packets_everywhere(result)
    views = _views(result)
    if any(view.protocol == "tack" for view in views):
        result.needs("acks")
    target = Path(folder)
    written = []
    for view in views:
        events = sorted(_events(result, view), key=lambda event: event[0])
        texts = [_header(result, view), *(_text(*event) for event in events)]
        sequence = "".join(f"{RECORD_SEPARATOR}{text}\n" for text in texts)
        written.append(target / f"{view.stem}.sqlog")
        write_atomically(written[-1], sequence)
    return written


def _views(result: Result) -> list[_View]:
    views = []
    protocols = result.flows["transport"]
    for ends, protocol, stem in zip(ends_of(result), protocols, _stems(result), strict=True):
        if protocol == "cbr":
            continue
        views.append(_View(ends, protocol, stem, ends.sender, True))
        if protocol == "tack":
            views.append(_View(ends, protocol, stem + OF_RECEIVER, ends.receiver, False))
    return [view for view in views if result.saw(view.ends.flow, view.node)]


def _stems(result: Result) -> list[str]:
    """Of each flow its name, without what file systems may object to."""
    stems: list[str] = []
    taken: set[str] = set()
    for flow in result.flows["flow"]:
        stem = re.sub(r"[^\w.-]", "_", flow)
        while {stem, stem + OF_RECEIVER} & taken:
            stem += "_"
        taken |= {stem, stem + OF_RECEIVER}
        stems.append(stem)
    return stems


def _header(result: Result, view: _View) -> str:
    protocol = view.protocol.upper()
    about = {
        "qlog_version": VERSION,
        "qlog_format": "JSON-SEQ",
        "title": f"{result.scenario.name}: {view.ends.flow}",
        "description": f"{protocol}, {result.origin}",
        "trace": {
            "title": view.ends.flow,
            "vantage_point": {
                "name": view.node,
                "type": "client" if view.is_client else "server",
            },
            "configuration": {"time_offset": 0.0, "original_uris": []},
            "common_fields": {
                "time_format": "relative",
                "reference_time": result.reference_ms,
                "protocol_type": [protocol],
            },
        },
    }
    return json.dumps(about, separators=(",", ":"))


def _text(time_ns: int, name: str, data: dict[str, Any]) -> str:
    """Times are milliseconds."""
    event = {"time": time_ns / 1e6, "name": name, "data": data}
    return json.dumps(event, separators=(",", ":"))


def _events(result: Result, view: _View) -> Iterator[Event]:
    import polars as pl

    mine = pl.col("flow") == view.ends.flow
    # Events and samples are the sender's.
    told = result.events.filter(mine & view.is_sender).with_columns(time_ns=_nanoseconds())
    packets = result.packets.filter(mine)
    if view.protocol == "tack":
        reports = result.reports.filter(mine).with_columns(time_ns=_nanoseconds())
        yield from tamed_events(_with_contents(result, packets, reports, view), told, view.node)
        if not view.is_sender:
            yield from estimate_events(reports)
    else:
        yield from packet_events(packets, told, view.ends)
    # Of the same moment first: readers draw states at the height of the window.
    yield from _metrics(result.series.filter(mine & view.is_sender))
    yield from _states(told)


def _with_contents(
    result: Result, packets: pl.DataFrame, reports: pl.DataFrame, view: _View
) -> pl.DataFrame:
    """Packets of TACK with what is in them, and why those with a report were sent."""
    import polars as pl

    backwards = pl.lit("forward" if view.ends.responds else "reverse")
    why = reports.select(
        number="report_number", direction=backwards, feedback=pl.lit(1, pl.UInt8), trigger="reason"
    )
    contents = result.tack_contents.drop("flow")
    rows = packets.join(contents, on="packet", how="left", maintain_order="left")
    keys = ["number", "direction", "feedback"]
    return rows.join(why, on=keys, how="left", maintain_order="left")


def _nanoseconds() -> pl.Expr:
    """Times in seconds were whole nanoseconds once."""
    import polars as pl

    return (pl.col("time_s") * 1e9).round().cast(pl.Int64)


def _states(told: pl.DataFrame) -> Iterator[Event]:
    """The controller's states, with "recovery" from its start to the next change or its end."""
    shown: str | None = None
    own = ""
    entered = -1
    for row in told.iter_rows(named=True):
        time, event = row["time_ns"], row["event"]
        if event == "state":
            own = row["cause"]
            # The controller's answer to the loss is not the end of the recovery.
            state = shown if time == entered else own
        elif event == "recovery_enter":
            state, entered = "recovery", time
        elif event == "recovery_exit":
            state, entered = own, -1
        else:
            continue
        if state and state != shown:
            old = {} if shown is None else {"old": shown}
            yield time, "recovery:congestion_state_updated", old | {"new": state}
            shown = state


def _metrics(series: pl.DataFrame) -> Iterator[Event]:
    """The values that changed since the last sample."""
    import polars as pl

    table = series.select(
        time_ns=_nanoseconds(),
        min_rtt=pl.col("rtt_ms").cum_min(),
        smoothed_rtt=pl.col("srtt_ms"),
        latest_rtt=pl.col("rtt_ms"),
        congestion_window=pl.col("cwnd_bytes").cast(pl.Int64),
        bytes_in_flight=pl.col("inflight_bytes").cast(pl.Int64),
        ssthresh=pl.col("ssthresh_bytes").cast(pl.Int64),
        pacing_rate=(pl.col("pacing_mbps") * 1e6).round().cast(pl.Int64),
    )
    last: dict[str, Any] = {}
    for row in table.iter_rows(named=True):
        time = row.pop("time_ns")
        changed = {k: v for k, v in row.items() if v is not None and v != last.get(k)}
        if changed:
            last |= changed
            yield time, "recovery:metrics_updated", changed
