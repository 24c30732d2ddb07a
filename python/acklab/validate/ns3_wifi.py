"""ns-3's runs over radio channels: a dumbbell with one flow, and stations that send to a server."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from acklab.places import packaged
from acklab.stacks import NS3
from acklab.validate.criteria import NS3_WIFI as CRITERIA
from acklab.validate.measures import all_flows, drops_from, fairness
from acklab.validate.ns3 import parse
from acklab.validate.reference import Reference

#: The program's defaults (validation/ns3/programs/wifi.cc).
DEFAULTS = {
    "mode": "dumbbell",
    "tcp": "cubic",
    "tag": "",
    "n": "1",
    "ampdu": "65535",
    "amsdu": "0",
    "size": "1448",
    "buf": "131072",
    "cwndCap": "0",
    "apq": "0",
    "delack": "2",
    "wiredMs": "2",
    "rate": "100",
    "dur": "60",
    "start": "2",
    "run": "1",
    "dist": "1",
    "arp": "1",
    "addba": "1",
    "ctrl": "OfdmRate24Mbps",
    "rts": "0",
}
#: Radius of the ring of stations, in m, within which ns-3 lets all signals arrive equally strong:
#: nobody is further away than the reference distance of its path loss, 1 m.
_EQUALLY_STRONG = 0.5
#: From how much above everything else on, in dB, ns-3 locks on to a preamble (the threshold of its
#: ThresholdPreambleDetectionModel). That it then reads the rest as well is not found in its source:
#: it is what the drops at the access point and the retransmissions of these cells look like.
_PREAMBLE_DB = 4
#: m/s.
_LIGHT = 299_792_458
FILES = (
    "wifi_aggregation.csv",
    "wifi_controllers.csv",
    "wifi_rts.csv",
    "wifi_thesis_setup.csv",
    "wifi_stations.csv",
    "wifi_equal.csv",
    "wifi_known.csv",
)
_MEASURES = {
    "goodput": all_flows("goodput_mbps"),
    "jain": fairness,
    "acks": all_flows("acks_received"),
    "retransmissions": all_flows("retransmissions"),
    "ap_drops": drops_from("ap"),
}
#: Longest MPDU with which ns-3 fills A-MPDUs of 802.11n; the standard has 4095 bytes there.
_NS3_MAX_MPDU = "7965 B"


def rows() -> list[Reference]:
    """Every cell, its runs with other seeds together."""
    return [_cell(key, list(runs)) for key, runs in groupby(_runs(), _key)]


def _runs() -> Iterator[list[dict[str, str]]]:
    """The rows of each run, one for each flow."""
    for name in FILES:
        with (packaged("validation") / "ns3" / name).open() as f:
            for _, flows in groupby(csv.DictReader(f), lambda row: row["args"]):
                yield list(flows)


def _key(run: list[dict[str, str]]) -> tuple[str, ...]:
    return tuple(run[0][k] for k in ("tag", "n", "ampdu", "amsdu"))


def _cell(key: tuple[str, ...], runs: list[list[dict[str, str]]]) -> Reference:
    def sums(column: str) -> list[float]:
        return [sum(float(flow[column]) for flow in run) for run in runs]

    values = {
        "goodput": sums("goodput_mbps"),
        "jain": [float(run[0]["jain"]) for run in runs],
        "acks": sums("acks_rx"),
        "retransmissions": sums("retx_segs"),
        "ap_drops": sums("ap_drop_full"),
    }
    return Reference(
        source="ns3-wifi",
        keys=dict(zip(("tag", "stations", "ampdu", "amsdu"), key, strict=True)),
        values=values,
        measures=_MEASURES,
        criteria=CRITERIA,
        scenarios=[scenario(parse(runs[0][0]["args"], DEFAULTS))],
    )


def scenario(args: dict[str, str]) -> dict[str, Any]:
    """The scenario that the program runs when it is given `args`."""
    stations = args["mode"] == "nsta"
    n, size, cap = int(args["n"]), int(args["size"]), int(args["cwndCap"])
    # Above the queues of the devices is FqCoDel. It never acts: what all windows hold fits below.
    wire = {
        "rate": f"{args['rate']} Mbit/s",
        "delay": f"{args['wiredMs']} ms",
        "overhead": NS3.overhead,
    }
    topology: dict[str, Any] = {"preset": "wifi-dumbbell", "pairs": n, "access": wire}
    if stations:
        topology = {"preset": "wlan", "stations": n, "wire": wire}
    return {
        "name": "-".join(
            ["ns3", args["tag"], args["tcp"], args["n"], args["ampdu"], args["amsdu"]]
        ),
        "start": f"{args['start']} s",
        "duration": f"{args['dur']} s",
        "topology": topology,
        "wifi": _channel(args),
        "tcp": {
            "profile": NS3.profile,
            "segment": size,
            "send_buffer": f"{args['buf']} B",
            "recv_buffer": f"{cap * size or args['buf']} B",
        },
        "flow": [
            {
                "count": n,
                "cc": NS3.cc(args["tcp"]),
                "ack": {"name": "delayed", "segments": int(args["delack"]), "count": "segments"},
                "start_jitter": "100 ms" if n > 1 else "0 s",
            }
        ],
    }


def _channel(args: dict[str, str]) -> dict[str, Any]:
    ampdu, amsdu, queue = int(args["ampdu"]), int(args["amsdu"]), int(args["apq"])
    channel: dict[str, Any] = {
        # ns-3's ChannelAccessManager counts from the timeout on.
        "after_silence": "timeout",
        # Its BlockAckReqs are repeated as long as what they ask for lives.
        "block_ack_request_limit": "none",
        # Of PPDUs that collide equally strong no preamble is detected: no reception fails, and
        # nobody waits for an EIFS.
        "eifs": float(args["dist"]) > _EQUALLY_STRONG,
        "propagation": f"{int(float(args['dist']) / _LIGHT * 1e9)} ns",
        "ampdu": f"{ampdu} B" if ampdu else "off",
        "amsdu": f"{amsdu} B" if amsdu else "off",
    }
    if args["mode"] == "nsta" and float(args["dist"]) > _EQUALLY_STRONG:
        channel["space"] = {"ring": float(args["dist"]), "capture_db": _PREAMBLE_DB}
    if args["rts"] == "1":
        # The ControlMode of its station managers: RTS have that rate, and answers the basic rates.
        rate = args["ctrl"].removeprefix("OfdmRate").removesuffix("Mbps")
        channel |= {"rts": "always", "rts_rate": f"{rate} Mbit/s"}
    # Without ARP its NeighborCacheHelper has filled in the addresses before the start.
    channel["arp"] = args["arp"] == "1"
    channel["addba"] = args["addba"] == "1"
    if ampdu and amsdu:
        channel["max_mpdu"] = _NS3_MAX_MPDU
    if queue:
        channel["down"] = {"queue": f"{queue} packets"}
    return channel
