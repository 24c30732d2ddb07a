"""The wireless dumbbell of the thesis (Fig. 1b, section 4.2), as stated and as inferred.

As stated there: a wired sender, 100 Mbit/s and 2 ms, a station, 802.11n at 5 GHz, 20 MHz,
65 Mbit/s, an access point, the same wire to the receiver; 500,000 packets, from 2 s to 62 s.
Aggregation is off or at ns-3's maximum: A-MSDU 7935 bytes, A-MPDU 65,535 bytes.

Set-ups bear the names of the wired part. `ns3` and `linux` take segments of 1448 B by the word.
`ns3` has what ns-3 has and the thesis does not state: delayed ACKs of two segments, socket buffers
of 128 KiB, and ARP before the handshake. `thesis` is the wired part's inferred set-up, unchanged
but for ARP, which a wire between two hosts does not need: segments of 536 B. It was chosen by
Table 1; Tables 4 and 5 had no part in that, so here it is put to a test and not fitted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acklab.build import Flow, Link
from acklab.stacks import STACKS

CONTROLLERS = ("bbr3", "cubic", "newreno", "vegas")
START_S = 2
#: Payload of a flow, bytes.
VOLUME = 500_000 * 1448
SAMPLED = {"sample_every": "100 ms"}

#: The channel as it is stated.
CHANNEL = {"standard": "n", "band": "5 GHz", "width": "20 MHz", "rate": "65 Mbit/s"}
#: Where ns-3 does otherwise than the standard: how long a PPDU is, when silence is noticed, how
#: often a BlockAckReq is sent. Its hosts ask for addresses before they send.
AS_NS3 = {
    "durations": "ns3",
    "after_silence": "timeout",
    "block_ack_request_limit": "none",
    "arp": True,
}
#: The keys of `[wifi]` for each way of aggregating that Table 4 has, in the order of its gains.
AGGREGATIONS: Mapping[str, Mapping[str, str]] = {
    "none": {"ampdu": "off", "amsdu": "off"},
    "amsdu": {"ampdu": "off", "amsdu": "7935 B"},
    "ampdu": {"ampdu": "65535 B", "amsdu": "off"},
    "both": {"ampdu": "65535 B", "amsdu": "7935 B"},
}
#: ns-3 puts a whole A-MSDU into an A-MPDU of 802.11n; the standard's MPDUs there end at 4095 B.
BOTH = {True: {"max_mpdu": "7965 B"}, False: {"amsdu": "4065 B"}}
#: The limits of Table 5, KB, as what ns-3 is given.
SIZES: Mapping[int, Mapping[str, str]] = {
    kb: {"ampdu": limit, "amsdu": "off"}
    for kb, limit in {
        4: "4096 B",
        8: "8192 B",
        16: "16384 B",
        32: "32768 B",
        64: "65535 B",
    }.items()
}


@dataclass(frozen=True)
class Air:
    """A choice where the thesis leaves one open: a stack, and keys of `[wifi]`."""

    stack: str = "linux"
    segment: int = 1448
    #: Segments per ACK of the receiver; `None`: what the stack does.
    segments_per_ack: int | None = None
    #: Send and receive buffers; `None`: what the stack does.
    buffers: str | None = None
    bbr3: str = "draft"
    start_jitter: str = "100 ms"
    #: `None` leaves a key out that is stated.
    channel: Mapping[str, Any] = field(default_factory=dict)
    #: By how much the flow starts after the 2 s that are stated, us.
    late_us: int = 0

    def wifi(self, aggregation: Mapping[str, Any]) -> dict[str, Any]:
        """The scenario's `wifi` table."""
        ns3 = self.stack == "ns3"
        two_levels = "off" not in (aggregation.get("ampdu"), aggregation.get("amsdu"))
        keys = {**CHANNEL, **(AS_NS3 if ns3 else {}), **aggregation}
        keys |= {**(BOTH[ns3] if two_levels else {}), **self.channel}
        return {key: value for key, value in keys.items() if value is not None}

    def flow(self, cc: str, **more: Any) -> dict[str, Any]:
        """A flow with controller `cc`."""
        name = {"name": "bbr3", "source": self.bbr3} if cc == "bbr3" else STACKS[self.stack].cc(cc)
        each = self.segments_per_ack
        ack = {"name": "delayed", "segments": each, "count": "segments"} if each else None
        return Flow(cc=name, ack=ack, start_jitter=self.start_jitter, **more).spec()

    def tcp(self) -> dict[str, Any]:
        """The scenario's `tcp` table."""
        own = {"send_buffer": self.buffers, "recv_buffer": self.buffers} if self.buffers else {}
        return {"profile": self.stack, "segment": self.segment, **own}

    def wire(self, **more: Any) -> dict[str, Any]:
        """A wire of 100 Mbit/s and 2 ms."""
        overhead = STACKS[self.stack].overhead
        return Link(rate="100 Mbit/s", delay="2 ms", overhead=overhead, **more).spec()


SETUPS = {
    "ns3": Air("ns3", segments_per_ack=2, buffers="128 KiB"),
    "linux": Air(),
    "thesis": Air(
        "ns3",
        segment=536,
        segments_per_ack=2,
        buffers="128 KiB",
        bbr3="ns3port",
        start_jitter="1 ms",
    ),
}


def dumbbell(
    setup: Air, cc: str, aggregation: Mapping[str, Any], seconds: float, **wire: Any
) -> dict[str, Any]:
    """One flow with controller `cc` over the wireless dumbbell."""
    app = {"kind": "bulk", "packets": -(-VOLUME // setup.segment)}
    return {
        "name": f"aggregation-air-{setup.stack}-{cc}",
        "start": f"{START_S * 1_000_000 + setup.late_us} us",
        "duration": f"{seconds:g} s",
        "topology": {"preset": "wifi-dumbbell", "access": setup.wire(**wire)},
        "wifi": setup.wifi(aggregation),
        "flow": [setup.flow(cc, app=app)],
        "tcp": setup.tcp(),
    }


def uploads(
    controllers: Sequence[str],
    channel: Mapping[str, Any],
    seconds: float,
    stations: int | None = None,
    sampled: bool = False,
) -> dict[str, Any]:
    """Uploads to a server behind a wire, each from a station of its own or all over `stations`.

    Linux's TCP: its buffers grow, so that the network limits a flow and not a socket buffer.
    """
    setup = SETUPS["linux"]
    place = {} if stations is None else {"src": "sta0", "dst": "server"}
    return {
        "name": "aggregation-uploads",
        "start": f"{START_S} s",
        "duration": f"{seconds:g} s",
        "topology": {
            "preset": "wlan",
            "stations": stations or len(controllers),
            "wire": setup.wire(),
        },
        "wifi": setup.wifi(channel),
        "flow": [setup.flow(cc, app="bulk", **place) for cc in controllers],
        "tcp": setup.tcp(),
        **(SAMPLED if sampled else {}),
    }
