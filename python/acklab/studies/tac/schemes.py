"""What an access point, or its stations, may do about lost ACKs: keys of `[wifi]` and of flows.

The paper's four are `agg`, `diff`, `rdg` and `tac`; the others are what one can have instead.
Schemes combine unless they set the same key to different values; filters make a list, of which
the loader says whether they can stand at one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from acklab.errors import AcklabError


@dataclass(frozen=True)
class Scheme:
    """A scheme under its name: what it changes in the scenario."""

    title: str
    #: Keys of `[wifi]`.
    wifi: Mapping[str, Any] = field(default_factory=dict)
    #: Keys of the flows.
    flow: Mapping[str, Any] = field(default_factory=dict)
    #: Keys of `[tcp]`.
    tcp: Mapping[str, Any] = field(default_factory=dict)

    def with_also(self, other: Scheme) -> Scheme:
        """Both at once."""
        return Scheme(
            f"{self.title} and {other.title}",
            merged(self.wifi, other.wifi, "wifi"),
            merged(self.flow, other.flow, "flow"),
            merged(self.tcp, other.tcp, "tcp"),
        )


def merged(a: Mapping[str, Any], b: Mapping[str, Any], at: str) -> dict[str, Any]:
    """Both tables, and tables within them; an error where they differ about a key."""
    out = dict(a)
    for key, value in b.items():
        mine = out.get(key, value)
        if key == "ack_filter" and mine != value:
            out[key] = stacked(mine, value)
        elif isinstance(mine, Mapping) and isinstance(value, Mapping) and "name" not in value:
            out[key] = merged(mine, value, f"{at}.{key}")
        elif mine != value:
            raise AcklabError(
                f"these schemes do not combine: one has {at}.{key} = {mine!r}, another {value!r}"
            )
        else:
            out[key] = value
    return out


#: Filters that look into the queue stand below those that decide before it.
LOOKS_INTO_THE_QUEUE = ("cake", "android-replace")


def stacked(*filters: Any) -> list[Any]:
    """Filters at one place, in the order in which an ACK meets them."""
    each = [one for f in filters for one in (f if isinstance(f, list) else [f])]
    return sorted(each, key=lambda one: one["name"] in LOOKS_INTO_THE_QUEUE)


def filtered(name: str, **parameters: Any) -> dict[str, Any]:
    """Keys of `[wifi]`: an ACK filter in front of the access point's queue."""
    return {"down": {"ack_filter": {"name": name, **parameters}}}


#: The paper's Te.
TE = "5 ms"

SCHEMES: Mapping[str, Scheme] = {
    "agg": Scheme("AGG"),
    "diff": Scheme("DIFF", {"down": {"edca": {"cw_min": 7}}, "up": {"edca": {"cw_min": 15}}}),
    "rdg": Scheme("RDG", {"up": {"reverse_grant": True}}),
    "tac": Scheme("TAC", filtered("tac-paper", timeout=TE)),
    "tac-guarded": Scheme("TAC, guarded", filtered("tac", timeout=TE)),
    "cake": Scheme("CAKE ack-filter", filtered("cake", mode="conservative")),
    "cake-aggressive": Scheme("CAKE, aggressive", filtered("cake", mode="aggressive")),
    # The driver's table of four flows is a telephone's, not an access point's.
    "android-thin": Scheme("Android's one of three", filtered("android-thin", flows=4096)),
    "android-replace": Scheme("Android's replacing", filtered("android-replace", flows=4096)),
    # Linux's own limit, 8192 packets, goes with it.
    "per-station": Scheme("per-station queues", {"down": {"qdisc": "per-station", "queue": None}}),
    "deep": Scheme("10,000 packets", {"down": {"queue": "10000 packets"}}),
    "rts": Scheme("RTS/CTS", {"rts": "always"}),
    "hack": Scheme("HACK", {"up": {"hack": True}}),
    "delayed": Scheme(
        "delayed ACKs", flow={"ack": {"name": "delayed", "segments": 2, "count": "segments"}}
    ),
    "byte-counting": Scheme(
        "byte-counting, L = 8", flow={"ack": {"name": "byte-counting", "l": 8}}
    ),
}
PAPER = ("agg", "diff", "rdg", "tac")


def together(names: Iterable[str]) -> Scheme:
    """Several schemes at once; of none it is AGG."""
    scheme = SCHEMES["agg"]
    for name in names:
        other = SCHEMES[name]
        scheme = other if scheme == SCHEMES["agg"] else scheme.with_also(other)
    return scheme
