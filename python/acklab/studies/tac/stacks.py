"""The TCPs that the study runs: like that of ns-2, which the paper used, and modern ones.

ns-2's one-way TCP (`Agent/TCP/Newreno` and `Agent/TCPSink` of ns-2.35 with its defaults) counts
packets, has neither SACK nor timestamps on the wire, opens its window by one ACK's worth per ACK
however much it acknowledges, and its sink acknowledges each packet. Its clock ticks every 10 ms,
it times one packet of each window, its timeout is 200 ms at least, and it begins with two packets.

`linux` is Linux's TCP with the paper's packets and windows. `today` is that of a station of today,
with its MAC: CUBIC, windows that the kernel tunes itself, full segments, the longest A-MPDUs, and
a lifetime of packets, without which a driver would keep them for ever. `today-bbr3` has BBRv3.

`ns3` is what the reference runs of ns-3.44 have: for like-for-like comparison only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from acklab.stacks import NS3

#: Payload bytes of a packet, and the paper's "size of maximum CWND", packets.
SEGMENT = 1024
WINDOW = 50


@dataclass(frozen=True)
class Stack:
    """A TCP: how it is told in the scenario language."""

    title: str
    tcp: Mapping[str, Any]
    cc: Mapping[str, Any] | str = "newreno"
    ack: Mapping[str, Any] | str | None = None
    #: The same controllers by name, where the study runs other ones.
    controllers: Mapping[str, Mapping[str, Any] | str] = field(default_factory=dict)
    #: Keys of `[wifi]` that go with it.
    wifi: Mapping[str, Any] = field(default_factory=dict)

    @property
    def segment(self) -> int:
        """Payload bytes of a packet."""
        return int(self.tcp["segment"])

    def flow(self, count: int, cc: str | None = None) -> dict[str, Any]:
        """`count` uploads, started within 100 ms."""
        chosen = self.cc if cc is None else self.controllers.get(cc, cc)
        ack = {} if self.ack is None else {"ack": self.ack}
        return {"name": "upload", "count": count, "cc": chosen, "start_jitter": "100 ms", **ack}


def window(packets: int = WINDOW) -> dict[str, Any]:
    """The receive buffer that lets so many packets be in flight."""
    return {"recv_buffer": f"{packets * SEGMENT} B"}


#: Bytes of Linux's receive buffer for each byte of its window: it counts the memory around the
#: payload (`tcp_win_from_space`; 160 of 256 are payload once segments are full).
_LINUX_ROOM = 256 / 160


def linux_window(packets: int = WINDOW) -> dict[str, Any]:
    """The same with Linux's receiver, of whose window a packet is never filled."""
    return {"recv_buffer": f"{ceil((packets + 1) * SEGMENT * _LINUX_ROOM)} B"}


#: What `Agent/TCP/Newreno` does unless told otherwise.
NS2_TCP: Mapping[str, Any] = {
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
    "initial_rto": "3 s",
    "rtt_granularity": "10 ms",
    # It times one packet of a window.
    "rtt_estimator": {
        "kind": "rfc6298",
        "granularity": "10 ms",
        "samples": "one-per-window",
    },
}

#: A segment of Ethernet's 1500 B with timestamps.
FULL_SEGMENT = 1448
#: The longest A-MPDU of 802.11n, and acklab's own lifetime of a packet, which is ns-3's `MaxDelay`.
_TODAYS_WIFI: Mapping[str, Any] = {"ampdu": "65535 B", "lifetime": "500 ms"}
_TODAYS_TCP: Mapping[str, Any] = {"profile": "linux", "segment": FULL_SEGMENT}

STACKS: Mapping[str, Stack] = {
    "ns2": Stack(
        "like ns-2: no SACK, an ACK per packet",
        {**NS2_TCP, **window()},
        # One ACK's worth per ACK, as ns-2's `opencwnd`.
        cc={"name": "newreno", "growth": "ns2"},
        ack="per-packet",
        controllers={"newreno": {"name": "newreno", "growth": "ns2"}},
    ),
    "linux": Stack(
        "Linux: SACK, RACK, delayed ACKs",
        {"profile": "linux", "segment": SEGMENT, **linux_window()},
    ),
    "today": Stack("today's: CUBIC, autotuned", _TODAYS_TCP, cc="cubic", wifi=_TODAYS_WIFI),
    "today-bbr3": Stack("today's with BBRv3", _TODAYS_TCP, cc="bbr3", wifi=_TODAYS_WIFI),
    "ns3": Stack(
        "ns-3.44, as the reference runs",
        {
            "profile": NS3.profile,
            "segment": SEGMENT,
            "send_buffer": "131072 B",
            **window(),
        },
        cc=NS3.cc("newreno"),
        ack={"name": "delayed", "segments": 2, "count": "segments"},
    ),
}
#: The paper's, as far as it says so.
DEFAULT = "ns2"
#: The same windows with Linux's TCP.
MODERN = "linux"
#: What a station has that nobody restrains, and the same with another controller.
TODAY, TODAY_BBR = "today", "today-bbr3"
#: Lmax of these, KB, as tables call it.
TODAYS_KB = 64
