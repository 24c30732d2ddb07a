"""The wireless dumbbell of the thesis (Fig. 1b, section 4.2).

As stated there: a wired sender, 100 Mbit/s and 2 ms, a station, 802.11n at 5 GHz, 20 MHz,
65 Mbit/s, an access point, the same wire to the receiver; 500,000 packets, from 2 s to 62 s.
Aggregation is off or at ns-3's maximum: A-MSDU 7935 bytes, A-MPDU 65,535 bytes.

Set-ups bear the names of the wired part. `ns3` and `linux` take segments of 1448 B by the word;
`ns3` has what the reference runs of ns-3 have and the thesis does not state: delayed ACKs of two
segments and socket buffers of 128 KiB. `thesis` is the wired part's inferred set-up *unchanged*:
segments of 536 B, delayed ACKs, 128 KiB. It was chosen by Table 1, over a wire; Tables 4 and 5
had no part in that, so here it is put to a test and not fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from acklab.build import Link
from acklab.stacks import STACKS
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS, SETUPS, START_S, Setup
from acklab.studies.study import Cell, Effort

DURATION_S = 60
QUICK_DURATION_S = 4
#: What a flow has to send, bytes.
VOLUME = 500_000 * 1448

#: The keys of `[wifi]` for each way of aggregating that Table 4 has, in the order of its gains.
AGGREGATIONS: Mapping[str, Mapping[str, str]] = {
    "none": {"ampdu": "off", "amsdu": "off"},
    "amsdu": {"ampdu": "off", "amsdu": "7935 B"},
    "ampdu": {"ampdu": "65535 B", "amsdu": "off"},
    "both": {"ampdu": "65535 B", "amsdu": "7935 B"},
}
#: The limits of Table 5, KB, as what ns-3 is given.
SIZES: Mapping[int, str] = {4: "4096 B", 8: "8192 B", 16: "16384 B", 32: "32768 B", 64: "65535 B"}
#: Of Table 4 there are series over time, Figures 5 and 6.
SAMPLED = {"sample_every": "100 ms"}
#: The channel as it is stated.
CHANNEL = {"standard": "n", "band": "5 GHz", "width": "20 MHz", "rate": "65 Mbit/s"}
#: Where ns-3 does otherwise than the standard: how long a PPDU is, when silence is noticed, how
#: often a BlockAckReq is sent.
AS_NS3 = {
    "durations": "ns3",
    "after_silence": "timeout",
    "block_ack_request_limit": "none",
}
#: ns-3 puts a whole A-MSDU into an A-MPDU of 802.11n; the standard's MPDUs there end at 4095 B.
BOTH = {True: {"max_mpdu": "7965 B"}, False: {"amsdu": "4065 B"}}


@dataclass(frozen=True)
class Wireless:
    """What the thesis leaves open, decided: a stack, and keys of `[wifi]`."""

    stack: Setup
    #: `None` leaves a key out that is stated.
    channel: Mapping[str, Any] = field(default_factory=dict)
    #: By how much the flow starts after the 2 s that are stated, us.
    late_us: int = 0

    @property
    def as_ns3(self) -> bool:
        """Whether the channel is ns-3's too."""
        return self.stack.stack == "ns3"

    def wifi(self, aggregation: Mapping[str, str]) -> dict[str, Any]:
        """The scenario's `wifi` table."""
        two_levels = "off" not in aggregation.values()
        keys = {
            **CHANNEL,
            **(AS_NS3 if self.as_ns3 else {}),
            **aggregation,
            **(BOTH[self.as_ns3] if two_levels else {}),
            **self.channel,
        }
        return {key: value for key, value in keys.items() if value is not None}


SETTINGS = {
    "linux": Wireless(SETUPS["linux"]),
    "ns3": Wireless(replace(SETUPS["ns3"], segments_per_ack=2, buffers="128 KiB")),
    "thesis": Wireless(SETUPS["thesis"]),
}


def duration(effort: Effort) -> int:
    """Seconds of a run."""
    return QUICK_DURATION_S if effort.quick else DURATION_S


def aggregation_cells(effort: Effort) -> list[Cell]:
    """Table 4: every set-up, controller and way of aggregating."""
    return [
        Cell(
            {"stack": name, "cc": cc, "aggregation": how},
            scenario(setting, cc, keys, duration(effort)) | SAMPLED,
        )
        for name, setting in SETTINGS.items()
        for cc in PAPER_CONTROLLERS
        for how, keys in AGGREGATIONS.items()
    ]


def size_cells(effort: Effort) -> list[Cell]:
    """Table 5: every set-up, controller and limit of the A-MPDU; 64 KB are Table 4's runs."""
    return [
        Cell(
            {"stack": name, "cc": cc, "kilobytes": size},
            scenario(setting, cc, keys, seconds) | (SAMPLED if size == 64 else {}),
        )
        for seconds in (duration(effort),)
        for name, setting in SETTINGS.items()
        for cc in PAPER_CONTROLLERS
        for size, keys in sizes().items()
    ]


def sizes() -> dict[int, dict[str, str]]:
    """The keys of `[wifi]` for each limit of the A-MPDU."""
    return {size: {"ampdu": limit, "amsdu": "off"} for size, limit in SIZES.items()}


def varied() -> list[tuple[str, str | int, Mapping[str, str]]]:
    """The different cells of a controller in Tables 4 and 5: key of the cell, its value, and the
    keys of `[wifi]`: the A-MPDU of 64 KB is in both."""
    limits = {size: keys for size, keys in sizes().items() if size != 64}
    found: list[tuple[str, str | int, Mapping[str, str]]] = []
    found += [("aggregation", how, keys) for how, keys in AGGREGATIONS.items()]
    found += [("kilobytes", size, keys) for size, keys in limits.items()]
    return found


def scenario(
    setting: Wireless, cc: str, aggregation: Mapping[str, str], seconds: int
) -> dict[str, Any]:
    """One flow with controller `cc` over the wireless dumbbell."""
    stack = setting.stack
    overhead = STACKS["linux" if stack.stack == "rfc" else stack.stack].overhead
    app = {"kind": "bulk", "packets": -(-VOLUME // stack.segment)}
    return {
        "name": f"ack-aggregation-wifi-{stack.stack}-{cc}",
        "start": f"{START_S * 1_000_000 + setting.late_us} us",
        "duration": f"{seconds} s",
        "topology": {
            "preset": "wifi-dumbbell",
            "access": Link(rate="100 Mbit/s", delay="2 ms", overhead=overhead).spec(),
        },
        "wifi": setting.wifi(aggregation),
        "flow": [replace(stack.flow(cc), app=app).spec()],
        "tcp": stack.tcp(),
    }
