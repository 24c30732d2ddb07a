"""The TCPs and the schemes of the study, as tables of a scenario.

`ns2` is ns-2's one-way TCP (`Agent/TCP/Newreno` and `Agent/TCPSink` of ns-2.35 with its defaults):
it counts packets, has neither SACK nor timestamps, opens its window by one ACK's worth per ACK
however much that acknowledges, and its sink acknowledges each packet. Its clock ticks every 10 ms,
it times one packet of each window, its timeout is at least 200 ms, and it begins with two packets.
`linux` is Linux's TCP with the paper's packets and windows. `ns3` is that of the reference runs of
ns-3.44. `today` is that of a station of today: CUBIC, windows that the kernel tunes, full segments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from acklab.stacks import NS3

#: Payload bytes of a packet, and the paper's "size of maximum CWND", packets.
SEGMENT, WINDOW = 1024, 50
#: Bytes of Linux's receive buffer for each byte of its window: it counts the memory around the
#: payload (`tcp_win_from_space`; 160 of 256 are payload once segments are full).
_LINUX_ROOM = 256 / 160


@dataclass(frozen=True)
class Stack:
    """A TCP: tables of the scenario and keys of its flows."""

    tcp: Mapping[str, Any]
    flow: Mapping[str, Any]
    wifi: Mapping[str, Any] = field(default_factory=dict)


_NS2_TCP: Mapping[str, Any] = {
    "profile": "rfc",
    "segment": SEGMENT,
    "timestamps": False,
    "sack": False,
    "dsack": False,
    "ecn": "off",
    "initial_window": 2,
    "loss_detection": "dupack",
    "reduction": "classic",
    "limited_transmit": True,
    "tlp": False,
    "frto": False,
    "undo": False,
    "nagle": False,
    "cwnd_validation": False,
    "idle_restart": False,
    "pacing": "never",
    "min_rto": "200 ms",
    # Its timers are exact: only timeouts count in ticks of its clock.
    "jiffy": "0 s",
    "initial_rto": "3 s",
    "rtt_granularity": "10 ms",
    "rtt_estimator": {"kind": "rfc6298", "granularity": "10 ms", "samples": "one-per-window"},
    "recv_buffer": f"{WINDOW * SEGMENT} B",
}
#: Linux's receiver never fills a packet of its window, hence one more.
_LINUX_TCP: Mapping[str, Any] = {
    "profile": "linux",
    "segment": SEGMENT,
    "recv_buffer": f"{ceil((WINDOW + 1) * SEGMENT * _LINUX_ROOM)} B",
}
_NS3_TCP: Mapping[str, Any] = {
    "profile": NS3.profile,
    "segment": SEGMENT,
    "send_buffer": "131072 B",
    "recv_buffer": f"{WINDOW * SEGMENT} B",
}
DELAYED: Mapping[str, Any] = {"name": "delayed", "segments": 2, "count": "segments"}

STACKS: Mapping[str, Stack] = {
    "ns2": Stack(_NS2_TCP, {"cc": {"name": "newreno", "growth": "ns2"}, "ack": "per-packet"}),
    "linux": Stack(_LINUX_TCP, {"cc": "newreno"}),
    "ns3": Stack(_NS3_TCP, {"cc": NS3.cc("newreno"), "ack": DELAYED}),
    # The longest A-MPDU of 802.11n; the lifetime is ns-3's `MaxDelay`, without which a driver
    # would keep packets for ever.
    "today": Stack(
        {"profile": "linux", "segment": 1448},
        {"cc": "cubic"},
        {"ampdu": "65535 B", "lifetime": "500 ms"},
    ),
}
#: The set-ups: the first is nearest to the paper's.
SETUPS = ("ns2", "linux")


def timer(name: str, milliseconds: int) -> dict[str, Any]:
    """Keys of `[wifi]`: TAC with this timer in front of the access point's queue."""
    return {"down": {"ack_filter": {"name": name, "timeout": f"{milliseconds} ms"}}}


#: The paper's four schemes: keys of `[wifi]`.
PAPER: Mapping[str, Mapping[str, Any]] = {
    "agg": {},
    "diff": {"down": {"edca": {"cw_min": 7}}, "up": {"edca": {"cw_min": 15}}},
    "rdg": {"up": {"reverse_grant": True}},
    "tac": timer("tac-paper", 5),
}
_CAKE = {"down": {"ack_filter": {"name": "cake", "mode": "conservative"}}}
_QUEUES = {"down": {"qdisc": "per-station", "queue": None}}
#: Remedies that an access point of today can have.
REMEDIES: Mapping[str, Mapping[str, Any]] = {
    "nothing": {},
    "tac": timer("tac", 5),
    "cake": _CAKE,
    "queues": _QUEUES,
    "cake-queues": {"down": {**_CAKE["down"], **_QUEUES["down"]}},
}
