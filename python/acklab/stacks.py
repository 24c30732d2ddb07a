"""Two stacks to compare with: what each of their controllers is called here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Fixed socket buffers that never limit a flow on the links of the references.
AMPLE = "4 MiB"


@dataclass(frozen=True)
class Stack:
    """A TCP implementation as acklab imitates it."""

    #: The profile of the scenario language.
    profile: str
    #: Its controllers, by the names that its results use.
    controllers: Mapping[str, Mapping[str, Any] | str]
    #: Link-layer bytes that its point-to-point links add.
    overhead: str

    def cc(self, name: str) -> Mapping[str, Any] | str:
        """The controller that this stack calls `name`."""
        return self.controllers[name]


#: BBRv1 whose PROBE_RTT counts no ticks: ns-3's clock has none.
_EXACT_BBR = {"name": "bbr1", "tick": "0 s"}

#: ns-3.44: its own arithmetic for the loss- and delay-based ones; BBR as published.
NS3 = Stack(
    profile="ns3",
    overhead="2 B",
    controllers={
        "bbr3": "bbr3",
        "bbr1": _EXACT_BBR,
        "bbr": _EXACT_BBR,
        "cubic": {"name": "cubic", "variant": "ns3"},
        "newreno": {"name": "newreno", "growth": "ns3"},
        "linuxreno": {"name": "newreno", "growth": "ns3-linux"},
        "vegas": {"name": "vegas", "variant": "ns3"},
    },
)

#: Linux 6.12 to 6.18.
LINUX = Stack(
    profile="linux",
    overhead="0 B",
    controllers={
        "bbr3": "bbr3",
        "bbr1": "bbr1",
        "bbr": "bbr1",
        "cubic": "cubic",
        "newreno": "newreno",
        "reno": "newreno",
        "vegas": "vegas",
    },
)

#: The default profile first.
STACKS: Mapping[str, Stack] = {"linux": LINUX, "ns3": NS3}


def thinner(ratio: int, timeout: str = "5 ms", sack: str = "thin") -> dict[str, Any] | None:
    """The references' ACK thinner: the newest of `ratio` ACKs goes on, or what there is in time."""
    if ratio <= 1:
        return None
    return {"name": "aggregate", "ratio": ratio, "timeout": timeout, "sack": sack}
