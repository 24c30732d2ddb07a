"""The ways to send less feedback: what each changes of a flow, of TCP, of a filter, of radio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: No buffer of a host limits a flow: 20 Mbit/s over 600 ms are 1.5 MB.
BUFFER = 16 << 20
TCP: Mapping[str, Any] = {
    "profile": "linux",
    "segment": 1448,
    "send_buffer": {"initial": "85 KiB", "max": "16 MiB"},
    "recv_buffer": {"initial": "128 KiB", "max": "16 MiB"},
}
#: Without what makes up for few ACKs: no pacing, losses found by three duplicate ACKs.
STOCK: Mapping[str, Any] = {"pacing": "never", "loss_detection": "dupack"}
#: ACKs that a sender asks for per round trip; as many as TACK sends.
PER_RTT = 4


@dataclass(frozen=True)
class Way:
    """One change against TCP with delayed ACKs."""

    ack: Mapping[str, Any] | str = "delayed"
    tcp: Mapping[str, Any] = field(default_factory=dict)
    #: In front of the queue in which ACKs wait: in the network.
    ack_filter: Mapping[str, Any] | str = "none"
    #: Block Acks carry ACKs; over radio only.
    hack: bool = False
    tack: bool = False
    #: Parameters of TACK.
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def flow(self, cc: str) -> dict[str, Any]:
        """Keys of a flow."""
        if self.tack:
            buffers = {"send_buffer": BUFFER, "recv_buffer": BUFFER}
            transport = {"name": "tack", **buffers, **self.parameters}
            return {"cc": cc, "transport": transport}
        return {"cc": cc, "ack": self.ack}


def _counting(every: int, tcp: Mapping[str, Any] | None = None) -> Way:
    return Way({"name": "byte-counting", "l": every}, tcp or {})


def _asking(name: str) -> Way:
    return Way({"name": name, "rule": "window", "per_rtt": PER_RTT})


WAYS: Mapping[str, Way] = {
    "delayed": Way(),
    # Nothing but the pacing that TACK has as well.
    "paced": Way(tcp={"pacing": "always"}),
    "l4": _counting(4),
    "l8": _counting(8),
    "l16": _counting(16),
    "l16-stock": _counting(16, STOCK),
    "tarr": _asking("tarr"),
    "ack-frequency": _asking("ack-frequency"),
    "agg": Way(ack_filter={"name": "aggregate", "ratio": 8, "timeout": "5 ms"}),
    "tac": Way(ack_filter={"name": "tac", "timeout": "5 ms"}),
    "cake": Way(ack_filter={"name": "cake", "mode": "conservative"}),
    "cake-hard": Way(ack_filter={"name": "cake", "mode": "aggressive"}),
    "hack": Way(hack=True),
    "tack": Way(tack=True),
    # TACKs and IACKs must not wait for each other: two TACKs in a round trip that includes their
    # wait, and gaps wait for them.
    "tack-sparse": Way(tack=True, parameters={"alpha": "smoothed-rtt", "beta": 2, "iack": False}),
}
#: Only where the way back is slow.
SPARSE = "tack-sparse"
#: HACK needs Block Acks.
WIRED = tuple(w for w in WAYS if w not in ("hack", SPARSE))
