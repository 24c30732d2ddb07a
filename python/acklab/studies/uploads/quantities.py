"""The quantities of a run: throughput, fairness and delay, and where ACKs and packets wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from statistics import fmean
from typing import TYPE_CHECKING, Any

from acklab.studies.ack_compression.quantities import access, air, flows, losses, queue
from acklab.studies.kit.vocabulary import Quantity

if TYPE_CHECKING:
    from acklab.results import Result


def _lost(r: Result) -> dict[str, float]:
    """The part of ACKs for which the access point's queue had no room."""
    return {"ack_loss": fmean(losses(r))}


def _stations(r: Result) -> dict[str, float]:
    """How long a packet waits in its own station, by packets."""
    links = r.columns("links")
    up = [i for i, way in enumerate(links["link"]) if way.endswith("->ap") and way[:3] == "sta"]
    sent = [float(links["packets_out"][i]) for i in up]
    waits = [float(links["wait_mean_ms"][i] or 0.0) for i in up]
    waited = sum(n * w for n, w in zip(sent, waits, strict=True) if n)
    return {"station_wait": waited / max(sum(sent), 1)}


#: By what measures them: name, unit, digits, meaning.
_TABLE: Mapping[Callable[[Any], Mapping[str, float]], Sequence[tuple[str, str, int, str]]] = {
    flows: (
        ("throughput", "Mbit/s", 1, "Payload of all uploads that arrived"),
        ("jain", "", 2, "Jain's index of the uploads' goodputs"),
        ("rtt_median", "ms", 0, "Median round-trip time, mean over uploads"),
        ("worst_share", "of an even share", 2, "Goodput of the upload with least"),
        ("starved", "uploads", 0, "Uploads with less than a quarter of an even share"),
        ("timeouts", "timeouts", 0, "Timeouts of all uploads in a run"),
    ),
    _lost: (("ack_loss", "", 3, "ACKs for which the access point's queue had no room"),),
    queue: (
        ("ap_wait", "ms", 0, "Mean wait of an ACK in the access point's queue"),
        ("filtered", "", 3, "ACKs that a filter took out, of all"),
    ),
    _stations: (("station_wait", "ms", 0, "Mean wait of a packet in its station's queue"),),
    access: (
        ("failed", "", 3, "Stations' accesses that fail, of all"),
        ("ack_airtime", "ms per MB", 1, "Airtime of transport ACKs for payload"),
        ("mpdus_per_ppdu", "packets", 1, "Packets in a frame of a station"),
    ),
    air: (("collision", "", 3, "Share of the air that collisions take"),),
}
#: Where a measure has another name.
_THEIRS = {"ap_wait": "queue_wait"}


def _one(of: Callable[[Any], Mapping[str, float]], name: str) -> Callable[[Any], Any]:
    return lambda r: of(r).get(_THEIRS.get(name, name))


QUANTITIES = tuple(
    Quantity(name, unit, text, _one(of, name), (), digits, most=1 if name == "jain" else inf)
    for of, rows in _TABLE.items()
    for name, unit, digits, text in rows
)
