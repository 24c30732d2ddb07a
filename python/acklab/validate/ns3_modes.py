"""ns-3 by mode: a TCP flow between a station and its access point, and saturated UDP, also of two
stations that may not hear each other and of up to fifty that contend."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import groupby
from statistics import fmean
from typing import Any

from acklab.places import packaged
from acklab.stacks import NS3
from acklab.validate.criteria import NS3_MODES
from acklab.validate.measures import all_flows
from acklab.validate.reference import Reference
from acklab.validate.wifi_models import Cell, Part

#: The names of these sources.
SOURCE, SATURATED = "ns3-modes", "ns3-saturated"
#: Bytes of UDP payload in a packet of 1500.
_PACKET, _PAYLOAD = 1500, 1472
_HEADERS = _PACKET - _PAYLOAD
#: Bytes of a segment's payload, and of both buffers of a connection (validation/README.md).
_SEGMENT, _BUFFER = 1448, 262_144
#: Seconds of our saturated runs, and from where on two stations do not hear each other: with 16 dBm
#: a preamble reaches 51 m above -82 dBm.
_SECONDS: dict[str, int] = {
    "modes": 2,
    "hidden stations": 10,
    "stations": 10,
    "downlink OFDMA": 5,
    "uplink OFDMA": 10,
}
_HEARING_M = 51
#: Settings for behaviour of ns-3.44 that is not in the standard (`acklab.validate.ns3_wifi`).
_AS_NS3 = {
    "amsdu": "off",
    "durations": "ns3",
    "after_silence": "timeout",
    "block_ack_request_limit": "none",
}


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (packaged("validation") / "ns3" / name).open() as f:
        yield from csv.DictReader(f)


def _name(row: dict[str, str]) -> str:
    """The mode in words."""
    return f"{row['std']} MCS {row['mcs']} {row['width_mhz']} MHz {row['gi_ns']} ns"


def _channel(row: dict[str, str]) -> dict[str, Any]:
    return {
        **_AS_NS3,
        "standard": row["std"],
        "mcs": int(row["mcs"]),
        "width": f"{row['width_mhz']} MHz",
        "guard_interval": f"{row['gi_ns']} ns",
        "ampdu": "65535 B",
        "block_ack_window": int(row["mpdu_buf"]),
    }


def rows() -> list[Reference]:
    """TCP, by mode and direction."""
    return [_tcp(row) for row in _rows("wifi_modes.csv") if row["proto"] == "tcp"]


def _tcp(row: dict[str, str]) -> Reference:
    ways = {"up": ("sta0", "ap"), "down": ("ap", "sta0")}
    sender, receiver = ways[row["dir"]]
    scenario = {
        "name": f"ns3-{_name(row)}-{row['dir']}".replace(" ", "-").lower(),
        "start": "1 s",
        "duration": "4 s",
        "topology": {"preset": "wlan", "stations": 1},
        "wifi": _channel(row),
        "tcp": {
            "profile": NS3.profile,
            "segment": _SEGMENT,
            "send_buffer": f"{_BUFFER} B",
            "recv_buffer": f"{_BUFFER} B",
        },
        "flow": [
            {
                "from": sender,
                "to": receiver,
                "cc": NS3.cc("newreno"),
                "ack": {"name": "delayed", "segments": 2, "count": "segments"},
            }
        ],
    }
    return Reference(
        source=SOURCE,
        keys={"mode": _name(row), "direction": row["dir"]},
        values={"goodput": [float(row["goodput_mbps"])]},
        measures={"goodput": all_flows("goodput_mbps")},
        criteria=NS3_MODES,
        scenarios=[scenario],
    )


def saturated() -> list[Cell]:
    """UDP: by mode, of stations that may not hear each other, and of many that do."""
    udp = [*_rows("wifi_saturated.csv"), *_rows("wifi_modes.csv")]
    modes = [
        _saturated("modes", _name(row), 1, _channel(row), float(row["goodput_mbps"]))
        for row in udp
        if row["proto"] == "udp"
    ]
    return [*modes, *_hidden(), *_contending(), *_several()]


def _contending() -> Iterator[Cell]:
    """The setting of ns-3's own example of Bianchi's model: packets of 1500 B, one at a time."""
    for row in _rows("wifi_contention.csv"):
        mode = {"rate": row["rate"]} if row["rate"] else {"mcs": int(row["mcs"])}
        eifs = row["eifs"] == "1"
        wifi = {
            **_AS_NS3,
            **mode,
            "standard": row["std"],
            "ampdu": "off",
            "eifs": eifs,
            # It gives nothing up, and drops nothing that is old.
            "retry_limit": 255,
            "lifetime": "none",
        }
        n = int(row["stations"])
        rate = row["rate"] or f"HE MCS {row['mcs']}"
        name = f"{n} stations, {rate}, {'EIFS' if eifs else 'DIFS'} after collisions"
        yield _saturated("stations", name, n, wifi, float(row["mbps"]), payload=_PACKET)


def _hidden() -> Iterator[Cell]:
    def key(row: dict[str, str]) -> tuple[str, ...]:
        return row["ampdu"], row["dist_m"], row["rts"]

    for (ampdu, metres, rts), runs in groupby(_rows("wifi_hidden.csv"), key):
        apart = 2 * float(metres) > _HEARING_M
        wifi = {
            **_AS_NS3,
            "standard": "n",
            "mcs": 3,
            "ampdu": f"{ampdu} B" if int(ampdu) else "off",
            "rts": "always" if int(rts) else "off",
            "hidden": [["sta0", "sta1"]] if apart else [],
        }
        words = [
            "hidden" if apart else "heard",
            "RTS" if int(rts) else "no RTS",
            f"A-MPDU {ampdu} B" if int(ampdu) else "no aggregation",
        ]
        mean = fmean(float(run["sum_mbps"]) for run in runs)
        yield _saturated("hidden stations", ", ".join(words), 2, wifi, mean)


def _several() -> Iterator[Cell]:
    """OFDMA: HE MU PPDUs for several stations, and HE TB PPDUs of stations that are called.

    ns-3 sends an MU-BAR at the rate of answers, and other Trigger frames at the lowest."""
    for row in _rows("wifi_ofdma.csv"):
        down, n = row["dir"] == "down", int(row["n"])
        ofdma: dict[str, Any] = {"users": int(row["users"]), "single_user": False}
        if down:
            ofdma |= {"uplink": False, "acknowledgements": row["acks"]}
        else:
            timer = f"{float(row['mu_timer_s']) * 1e6:.0f} us"
            ofdma |= {"downlink": False, "poll": "1 ms", "mu_edca": {"timer": timer}}
        wifi = {
            **_AS_NS3,
            "standard": "ax",
            "mcs": int(row["mcs"]),
            "width": f"{row['width_mhz']} MHz",
            "guard_interval": f"{row['gi_ns']} ns",
            "ampdu": "65535 B",
            "block_ack_window": int(row["mpdu_buf"]),
            "control_rate": "24 Mbit/s",
            "rts_rate": "24 Mbit/s" if down else "6 Mbit/s",
            "ofdma": ofdma,
        }
        mode = f"MCS {row['mcs']} {row['width_mhz']} MHz {row['gi_ns']} ns"
        acks = f", {row['acks']}" if down else ""
        size = int(row["size"])
        name = f"{n} stations, {mode}, {size} B{acks}"
        model = "downlink OFDMA" if down else "uplink OFDMA"
        yield _saturated(model, name, n, wifi, float(row["sum_mbps"]), size, size + _HEADERS, down)


def _saturated(
    model: str,
    name: str,
    n: int,
    wifi: dict[str, Any],
    mbps: float,
    payload: int = _PAYLOAD,
    packet: int = _PACKET,
    down: bool = False,
) -> Cell:
    ways = [(f"sta{i}", "server") for i in range(n)]
    scenario = {
        "name": f"ns3-{name}".replace(" ", "-").replace(",", "").replace("/", "p").lower(),
        "duration": f"{_SECONDS[model]} s",
        "topology": {
            "preset": "wlan",
            "stations": n,
            **({"direction": "down"} if down else {}),
        },
        "wifi": {**wifi, "queue": "2000 packets" if down else "1000 packets"},
        "flow": [
            {"name": f"f{i}", "from": b if down else a, "to": a if down else b}
            for i, (a, b) in enumerate(ways)
        ],
    }
    parts = [Part(model, name, range(n), {"throughput": mbps})]
    return Cell(scenario, packet, payload, parts)
