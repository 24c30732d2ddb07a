"""The cells: every way on radio links, three kinds of paths, and in failures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acklab.studies.ack_compression.cells import over
from acklab.studies.ack_compression.setup import laid_over
from acklab.studies.feedback.ways import SPARSE, TCP, WAYS, WIRED
from acklab.studies.study import Effort

CONTROLLERS = ("bbr1", "cubic")
#: ms, of radio links and wires; the satellite's is `SPACE_MS`.
RTT_MS, SPACE_MS = 40, 600
#: s, from the start of a run to what is measured.
WARMUP = 5
#: Of the radio: 802.11n, 20 MHz, one stream, 65 Mbit/s.
RADIO: Mapping[str, Any] = {"standard": "n", "band": "5 GHz", "mcs": 7}
#: The queue of the access point and of each station, packets.
QUEUE = 200
SINGLE: Mapping[str, Any] = {"ampdu": "off", "amsdu": "off"}
#: Bytes on a wire of a full data packet and of an ACK with timestamps.
DATA, ACK = 1514, 66
#: A line like a cellular one; `traces/README.md` says how the file was made.
CELLULAR = Path(__file__).parent / "traces" / "cellular.up"
#: The failures: when each begins and ends, s.
FAILS, HEALS = 15, 17
#: Long enough for an estimate of ten seconds to expire after the failure.
AFTER = 25


def _seconds(effort: Effort, whole: int) -> int:
    return max(whole // 6, 3) if effort.quick else whole


def _run(effort: Effort, name: str, whole: int, **more: Any) -> dict[str, Any]:
    length = _seconds(effort, whole)
    return {
        "name": f"feedback-{name}",
        "start": "0 s",
        "duration": f"{length} s",
        "warmup": f"{min(WARMUP, length / 2):g} s",
        **more,
    }


def _radio(
    effort: Effort, name: str, way: str, cc: str, stations: int, wifi: Mapping[str, Any], whole: int
) -> dict[str, Any]:
    """Uploads: ACKs come down from the access point, where a filter may thin them."""
    w = WAYS[way]
    channel = laid_over({**RADIO, "queue": f"{QUEUE} packets"}, wifi)
    if w.ack_filter != "none":
        channel["down"] = {"ack_filter": w.ack_filter}
    if w.hack:
        channel = laid_over(channel, {"up": {"hack": True}})
    flow = {"name": "upload", "count": stations, "start_jitter": "100 ms", **w.flow(cc)}
    return _run(
        effort,
        name,
        whole,
        topology={
            "preset": "wlan",
            "stations": stations,
            "wire": {"rate": "1 Gbit/s", "delay": f"{RTT_MS / 2:g} ms"},
        },
        wifi=channel,
        tcp={**TCP, **w.tcp},
        flow=[flow],
        record={"delays": True},
    )


def _wifi(effort: Effort, frames: str, cc: str, way: str) -> dict[str, Any]:
    """One upload, with a packet in a frame, or with the longest A-MPDUs of 802.11n."""
    wifi = SINGLE if frames == "single" else {}
    return _radio(effort, "wifi", way, cc, 1, wifi, 30)


def _many(effort: Effort, stations: int, way: str) -> dict[str, Any]:
    """So many uploads with A-MPDUs and CUBIC."""
    return _radio(effort, "many", way, "cubic", stations, {}, 30)


def _wire(
    effort: Effort, name: str, way: str, cc: str, link: Mapping[str, Any], whole: int, **more: Any
) -> dict[str, Any]:
    """One download over a bottleneck; the filter stands in front of the queue back."""
    w = WAYS[way]
    back = {"queue": "1000 packets", **link.get("reverse", {})}
    if w.ack_filter != "none":
        back["ack_filter"] = w.ack_filter
    return _run(
        effort,
        name,
        whole,
        topology={
            "preset": "dumbbell",
            "bottleneck": {"delay": f"{RTT_MS / 2:g} ms", **link, "reverse": back},
        },
        tcp={**TCP, **w.tcp},
        flow=[{"name": "download", **w.flow(cc)}],
        **more,
    )


def _asymmetric(effort: Effort, k: int, cc: str, way: str) -> dict[str, Any]:
    """RFC 3449, section 2.1: k is the ratio of the rates over the ratio of the packet sizes."""
    mbits = 50
    back = {"rate": f"{mbits * 1e6 * ACK / DATA / k:.0f} bit/s", "queue": "20 packets"}
    link = {"rate": f"{mbits} Mbit/s", "queue": "1 BDP", "reverse": back}
    return _wire(effort, "asymmetric", way, cc, link, 30)


def _satellite(effort: Effort, loss: float, cc: str, way: str) -> dict[str, Any]:
    """600 ms; so many percent of the packets are lost, each way."""
    link = {
        "rate": "20 Mbit/s",
        "delay": f"{SPACE_MS / 2:g} ms",
        "queue": "1 BDP",
        "loss": loss / 100,
        "reverse": {"loss": loss / 100},
    }
    found = _wire(effort, "satellite", way, cc, link, 60)
    # Slow start takes ten round trips.
    return {**found, "warmup": f"{_seconds(effort, 60) // 3} s"}


def _cellular(effort: Effort, cc: str, way: str) -> dict[str, Any]:
    """A rate that fades; a tenth of its mean for the way back, which does not."""
    link = {
        "rate": {"trace": str(CELLULAR)},
        "queue": "250 packets",
        "reverse": {"rate": "1 Mbit/s", "overhead": "0 B"},
    }
    return _wire(effort, "cellular", way, cc, link, 60, record={"delays": True})


#: A tenth of the time. In time, not in packets: sparse feedback would be silent for ten of these.
_BURSTS = {"kind": "outage", "from": "1 s", "length": "30 ms", "every": "300 ms"}
#: A path of 20 Mbit/s and 40 ms with one fault: keys of the bottleneck.
FAULTS: Mapping[str, Mapping[str, Any]] = {
    "none": {},
    "blackout": {"reverse": {"loss": {"kind": "outage", "from": f"{FAILS} s", "length": "2 s"}}},
    "bursts": {"reverse": {"loss": _BURSTS}},
    "longer": {"detour": {"from": f"{FAILS} s", "delay": "360 ms"}},
    "shorter": {"detour": {"from": "0 s", "length": f"{FAILS} s", "delay": "360 ms"}},
}


def _fault(effort: Effort, fault: str, cc: str, way: str) -> dict[str, Any]:
    link = {"rate": "20 Mbit/s", "queue": "200 packets", **FAULTS[fault]}
    whole = FAILS + AFTER
    found = _wire(effort, f"{fault}", way, cc, link, whole, record={"every": "100 ms"})
    # Also a quick run has to see the failure and what comes after it.
    return {**found, "duration": f"{whole} s", "warmup": f"{WARMUP} s"}


_ALL = tuple(w for w in WAYS if w != SPARSE)
#: With many stations: one of each kind.
_FEW = ("delayed", "paced", "l16", "ack-frequency", "tac", "cake", "hack", "tack")
GROUPS = {
    "wifi": over(_wifi, frames=("single", "ampdu"), cc=CONTROLLERS, way=_ALL),
    "many": over(_many, 5, stations=(10, 30, 100), way=_FEW),
    "asymmetric": over(_asymmetric, k=(1, 4, 16, 64), cc=CONTROLLERS, way=(*WIRED, SPARSE)),
    "satellite": over(_satellite, loss=(0, 0.1, 1), cc=CONTROLLERS, way=WIRED),
    "cellular": over(_cellular, cc=CONTROLLERS, way=WIRED),
    "fault": over(_fault, fault=tuple(FAULTS), cc=CONTROLLERS, way=WIRED),
}
