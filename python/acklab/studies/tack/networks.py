"""The paper's links and paths as scenarios, and what it leaves open, decided.

Figure 7 has the radio links. The reasons for the choices are in `text/readings.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acklab.studies.study import Effort

#: Figure 7: PHY capacities of 11, 54, 300 and 866.7 Mbit/s.
STANDARDS: Mapping[str, Mapping[str, Any]] = {
    "b": {"standard": "b", "rate": "11 Mbit/s"},
    "b-short": {"standard": "b", "rate": "11 Mbit/s", "preamble": "short"},
    "g": {"standard": "g", "rate": "54 Mbit/s"},
    "n": {"standard": "n", "width": "40 MHz", "guard_interval": "400 ns", "mcs": 15},
    "ac": {
        "standard": "ac",
        "width": "80 MHz",
        "guard_interval": "400 ns",
        "mcs": 9,
        "streams": 2,
    },
}
#: Mbit/s that no link carries over UDP.
FLOOD: Mapping[str, int] = {"b": 15, "b-short": 15, "g": 60, "n": 400, "ac": 1200}
#: Bits that are wrong on the air. With these, UDP has Figure 7's 26 and 210 Mbit/s, and 11 and 14 %
#: of the frames of 1518 B are lost. (IEEE 802.11 states sensitivity for a loss of 10 %.)
NOISE: Mapping[str, float] = {"g": 9.7e-6, "n": 1.25e-5}
#: With and without aggregation, over one hop and two.
SETUPS = ("ampdu", "relay", "single", "single-relay")
ONE_HOP = ("ampdu", "single")
#: No buffer of a host limits a flow: 600 Mbit/s over 200 ms are 15 MB.
BUFFER = 64 << 20
#: Packets that the access point or a station can hold.
QUEUE = 1000
#: s, from a flow's start to what is measured.
WARMUP = 5

TCP: Mapping[str, Any] = {
    "profile": "linux",
    "segment": 1448,
    "send_buffer": {"initial": "85 KiB", "max": "64 MiB"},
    "recv_buffer": {"initial": "128 KiB", "max": "64 MiB"},
}
#: A byte counter without the fixes: no pacing, losses by duplicate ACKs. ABC is part of `cc`.
STOCK: Mapping[str, Any] = {"pacing": "never", "loss_detection": "dupack"}


def tack(cc: str | Mapping[str, Any] = "bbr1", **parameters: Any) -> dict[str, Any]:
    """A flow of TACK whose buffers limit nothing."""
    transport = {"name": "tack", "send_buffer": BUFFER, "recv_buffer": BUFFER, **parameters}
    return {"name": "tack", "transport": transport, "cc": cc}


def tcp(cc: str = "bbr1", every: int | None = None) -> dict[str, Any]:
    """A flow of TCP, with Linux's receiver or one that acknowledges every `every`-th packet."""
    ack = {} if every is None else {"ack": {"name": "byte-counting", "l": every}}
    return {"name": "tcp", "cc": cc, **ack}


def udp(standard: str, every: int = 0, rate: float | None = None) -> dict[str, Any]:
    """The paper's tool (section 3.2): packets of 1518 B, one of 64 B for every `every`-th."""
    transport = {
        "name": "cbr",
        "rate": f"{rate or FLOOD[standard]:g} Mbit/s",
        "size": 1518,
        "feedback": {"every": every, "size": 64},
    }
    return {"name": "udp", "transport": transport}


def seconds(effort: Effort, whole: int) -> int:
    """Of a run; a tenth in a quick one, but not below two."""
    return max(whole // 10, 2) if effort.quick else whole


def radio(
    effort: Effort,
    flow: Mapping[str, Any],
    standard: str = "n",
    setup: str = "ampdu",
    rtt_ms: float = 0.2,
    length: int = 10,
    wire: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A flow from a server to a station; on a relay from one station to another."""
    aggregation = {"ampdu": "off", "amsdu": "off"} if "single" in setup else {}
    relay = "relay" in setup
    settled = seconds(effort, length)
    ends = {"from": "sta0", "to": "sta1"} if relay else {}
    return {
        "name": f"tack-{standard}_{rtt_ms * 1000:.0f}_{settled}",
        "duration": f"{settled} s",
        "warmup": f"{min(WARMUP, settled / 2):g} s",
        "topology": {
            "preset": "wlan",
            "stations": 2 if relay else 1,
            "direction": "down",
            "wire": {"rate": "10 Gbit/s", "delay": f"{rtt_ms / 2:g} ms", **(wire or {})},
        },
        "wifi": {
            **STANDARDS[standard],
            "queue": f"{QUEUE} packets",
            **(aggregation if standard in ("n", "ac") else {}),
        },
        "tcp": {**TCP},
        "flow": [{**flow, **ends}],
        **more,
    }


def path(
    effort: Effort,
    flows: list[dict[str, Any]],
    mbits: float,
    rtt_ms: float,
    bdp: float = 1,
    loss: float = 0,
    ack_loss: float = 0,
    length: int = 30,
    **more: Any,
) -> dict[str, Any]:
    """A wired bottleneck; loss is random and falls behind the queue, as in an emulator."""
    settled = seconds(effort, length)
    told = "_".join(f"{1000 * n:.0f}" for n in (mbits, rtt_ms, ack_loss, bdp))
    return {
        "name": f"tack_{told}_{settled}",
        "duration": f"{settled} s",
        "warmup": f"{min(WARMUP, settled / 2):g} s",
        "topology": {
            "preset": "dumbbell",
            "pairs": len(flows),
            "bottleneck": {
                "rate": f"{mbits:g} Mbit/s",
                "delay": f"{rtt_ms / 2:g} ms",
                "queue": f"{bdp:g} BDP",
                "loss": loss,
                "reverse": {"queue": "1000 packets", "loss": ack_loss},
            },
        },
        "tcp": {**TCP},
        "flow": flows,
        **more,
    }
