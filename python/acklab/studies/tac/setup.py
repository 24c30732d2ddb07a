"""The paper's network (Fig. 1, section IV.1), and what it leaves open, decided.

As stated there: N stations with an upload each through one access point, 65 Mbit/s for all,
wires of 100 Mbit/s, packets of 1024 B, windows of 50 packets at most, an interface queue of 200
packets in the access point (or 10,000), A-MPDUs of up to Lmax with block ack and delivery in order.

Not stated there, and chosen here:

* **Wire**: one, 2 ms, as in the reference runs of ns-3.
* **Lmax counts packets**: 16 KB are 16 data packets. The paper calls 1 KB "no aggregation", so
  that a packet of 1 KB fits, and its error rates of subframes (8 % and 0.3 % at 1e-5) are those
  of 1064 and 40 bytes, without a MAC header. Of ACKs as many fit as the bytes allow.
* **B counts packets that were never sent**, as ns-2's interface queue above the MAC does.
* **Nothing expires** and the MAC repeats until it succeeds: the paper has losses at full queues
  only.
* **EDCA** of best effort (AIFSN 3, CWmin 15), no RTS, MAC ACKs at 24 Mbit/s.
* Flows start within 100 ms, drawn from the seed; throughput counts from the first start on.

Each of these is a reading (`readings.py`), so that it can be seen what hangs on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acklab.studies.study import Cell, Effort
from acklab.studies.tac.schemes import together
from acklab.studies.tac.stacks import DEFAULT, STACKS

DURATION_S = 60
QUICK_DURATION_S = 3
#: When the first flow may start.
START_S = 1
#: Of Figures 2, 3 and 6, KB; of Figure 5, stations.
KILOBYTES = (1, 2, 4, 8, 16, 32)
STATIONS = (1, 2, 3, 5, 8, 10, 15, 20, 25, 30)
QUICK_KILOBYTES = (1, 16)
QUICK_STATIONS = (1, 30)
BUFFERS = (200, 10_000)
#: Longest MPDU with a packet of 1024 B: 40 B of TCP and IP, 12 B of timestamps, 8 B LLC, 26 B of
#: MAC header, 4 B HT control for a reverse grant, 4 B FCS; with the delimiter, filled up to 4 B.
MPDU_BYTES = 1124

CHANNEL: Mapping[str, Any] = {
    "standard": "n",
    "band": "5 GHz",
    "width": "20 MHz",
    "rate": "65 Mbit/s",
    "queue_counts": "waiting",
    "lifetime": "none",
}


@dataclass(frozen=True)
class Setting:
    """A point of the study."""

    schemes: Sequence[str] = ("agg",)
    stations: int = 20
    kilobytes: int = 16
    buffer: int = 200
    stack: str = DEFAULT
    bit_error_rate: float = 0.0
    #: Tables laid over the scenario, and keys that its flows have instead.
    over: Mapping[str, Any] = field(default_factory=dict)
    flow: Mapping[str, Any] = field(default_factory=dict)

    def scenario(self, seconds: int) -> dict[str, Any]:
        """The scenario as a mapping."""
        stack, scheme = STACKS[self.stack], together(self.schemes)
        channel = {
            **CHANNEL,
            "ampdu": f"{self.kilobytes * MPDU_BYTES} B",
            "down": {"queue": f"{self.buffer} packets"},
        }
        if self.bit_error_rate:
            channel["bit_error_rate"] = self.bit_error_rate
        whole = {
            "name": f"tac-{'-'.join(self.schemes)}-{self.stations}-{self.kilobytes}",
            "start": f"{START_S} s",
            "duration": f"{seconds} s",
            "topology": {
                "preset": "wlan",
                "stations": self.stations,
                "wire": {"rate": "100 Mbit/s", "delay": "2 ms"},
            },
            "wifi": laid_over(laid_over(channel, stack.wifi), scheme.wifi),
            "tcp": {**stack.tcp, **scheme.tcp},
            "flow": [{**stack.flow(self.stations), **scheme.flow, **self.flow}],
        }
        return laid_over(whole, self.over)


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


def duration(effort: Effort) -> int:
    """Seconds of a run."""
    return QUICK_DURATION_S if effort.quick else DURATION_S


def cell(setting: Setting, effort: Effort, seeds: int | None = None, **more: Any) -> Cell:
    """A cell with the keys that all tables of the study have; `more` are scenario tables."""
    keys: dict[str, str | int] = {
        "stack": setting.stack,
        "scheme": "+".join(setting.schemes),
        "stations": setting.stations,
        "kilobytes": setting.kilobytes,
        "buffer": setting.buffer,
    }
    return Cell(keys, {**setting.scenario(duration(effort)), **more}, seeds)
