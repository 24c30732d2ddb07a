"""The paper's network (Fig. 1, section IV.1), and what it leaves open, decided.

As stated there: N stations with an upload each through one access point, 65 Mbit/s for all,
wires of 100 Mbit/s, packets of 1024 B, windows of 50 packets at most, an interface queue of 200
packets in the access point (or 10,000), A-MPDUs of up to Lmax with block ack and delivery in order.
The choices where it says nothing, and their reasons, are in `text/method.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acklab.studies.ack_compression.stacks import STACKS
from acklab.studies.study import Effort

#: When the first flow may start, s.
START_S = 1
#: Longest MPDU with a packet of 1024 B: 40 B of TCP and IP, 12 B of timestamps, 8 B LLC, 26 B of
#: MAC header, 4 B HT control for a reverse grant, 4 B FCS; with the delimiter, filled up to 4 B.
MPDU_BYTES = 1124
#: Section IV.3: "the moderate bit error rate".
BIT_ERROR_RATE = 1e-5
CHANNEL: Mapping[str, Any] = {
    "standard": "n",
    "band": "5 GHz",
    "width": "20 MHz",
    "rate": "65 Mbit/s",
    "queue_counts": "waiting",
    "lifetime": "none",
}


def seconds(effort: Effort, at_most: int = 60) -> int:
    """Of a run; those that are watched closely are shorter."""
    return 3 if effort.quick else at_most


def scenario(
    effort: Effort,
    stack: str = "ns2",
    scheme: Mapping[str, Any] | None = None,
    stations: int = 20,
    kilobytes: int = 16,
    buffer: int = 200,
    errors: bool = False,
    at_most: int = 60,
    flow: Mapping[str, Any] | None = None,
    over: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A run: `scheme` are keys of `[wifi]`, `flow` of the flows, `over` is laid over the whole."""
    tcp = STACKS[stack]
    channel = {
        **CHANNEL,
        "ampdu": f"{kilobytes * MPDU_BYTES} B",
        "down": {"queue": f"{buffer} packets"},
        **({"bit_error_rate": BIT_ERROR_RATE} if errors else {}),
    }
    whole = {
        "name": f"tac-{stations}-{kilobytes}",
        "start": f"{START_S} s",
        "duration": f"{seconds(effort, at_most)} s",
        "topology": {
            "preset": "wlan",
            "stations": stations,
            "wire": {"rate": "100 Mbit/s", "delay": "2 ms"},
        },
        "wifi": laid_over(laid_over(channel, tcp.wifi), scheme or {}),
        "tcp": dict(tcp.tcp),
        "flow": [{**uploads(stack, stations), **(flow or {})}],
    }
    return laid_over(whole, over or {})


def uploads(stack: str, count: int) -> dict[str, Any]:
    """So many uploads, started within 100 ms."""
    return {"name": "upload", "count": count, "start_jitter": "100 ms", **STACKS[stack].flow}


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`below` with the keys of `above`, table within table; `None` takes a key away."""
    out = dict(below)
    for key, value in above.items():
        mine = out.get(key)
        if value is None:
            out.pop(key, None)
        elif isinstance(mine, Mapping) and isinstance(value, Mapping):
            out[key] = laid_over(mine, value)
        else:
            out[key] = value
    return out
