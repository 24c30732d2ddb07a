"""Scenarios from Python: small values that become the mapping `acklab.load` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Block = str | Mapping[str, Any]


@dataclass(frozen=True)
class Flow:
    """A flow; what is `None` is left to the scenario language's defaults."""

    cc: Block = "cubic"
    ack: Block | None = None
    app: Block | None = None
    name: str | None = None
    src: str | None = None
    dst: str | None = None
    start: str | None = None
    start_jitter: str | None = None
    count: int | None = None
    tcp: Mapping[str, Any] = field(default_factory=dict)
    #: TCP unless another one is named; `cc`, `ack` and `tcp` are TCP's alone.
    transport: Block | None = None

    def spec(self) -> dict[str, Any]:
        """The flow in the scenario language."""
        renamed = {"from": self.src, "to": self.dst}
        names = ("name", "transport", "cc", "ack", "app", "start", "start_jitter", "count")
        keys = {n: getattr(self, n) for n in names} | renamed
        if self.transport not in (None, "tcp"):
            del keys["cc"]
        return _given(keys) | ({"tcp": dict(self.tcp)} if self.tcp else {})


@dataclass(frozen=True)
class Link:
    """A link, or one of a preset network. `reverse` has what differs on the way back."""

    rate: str | None = None
    delay: str | None = None
    queue: str | None = None
    qdisc: Block | None = None
    device_queue: int | None = None
    overhead: str | None = None
    ack_filter: Block | None = None
    loss: float | Mapping[str, Any] | None = None
    jitter: Block | None = None
    pauses: Mapping[str, str] | None = None
    a: str | None = None
    b: str | None = None
    name: str | None = None
    reverse: Mapping[str, Any] = field(default_factory=dict)

    def spec(self) -> dict[str, Any]:
        """The link in the scenario language."""
        names = ["name", "a", "b", "rate", "delay", "queue", "qdisc", "device_queue"]
        names += ["overhead", "ack_filter", "loss", "jitter", "pauses"]
        keys = _given({n: getattr(self, n) for n in names})
        return keys | ({"reverse": dict(self.reverse)} if self.reverse else {})


def describe(
    name: str,
    *,
    duration: str,
    links: Sequence[Link],
    flows: Sequence[Flow],
    **more: Any,
) -> dict[str, Any]:
    """A scenario from links between named nodes; `more` are further top-level keys."""
    nodes = sorted({n for link in links for n in (link.a, link.b) if n is not None})
    return {
        "name": name,
        "duration": duration,
        "node": [{"name": n} for n in nodes],
        "link": [link.spec() for link in links],
        "flow": [flow.spec() for flow in flows],
        **more,
    }


def dumbbell(
    name: str,
    *,
    duration: str,
    access: Link,
    bottleneck: Link,
    flows: Sequence[Flow],
    pairs: int = 1,
    **more: Any,
) -> dict[str, Any]:
    """A scenario with the preset dumbbell; `more` are further top-level keys."""
    return {
        "name": name,
        "duration": duration,
        "topology": {
            "preset": "dumbbell",
            "pairs": pairs,
            "access": access.spec(),
            "bottleneck": bottleneck.spec(),
        },
        "flow": [flow.spec() for flow in flows],
        **more,
    }


def _given(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in keys.items() if v is not None}
