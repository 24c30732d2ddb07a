"""The kernel in virtual time: one or two flows behind each of its queue disciplines.

A whole Linux runs in User Mode Linux whose clock stands still while it computes, so that neither
hosts nor links are ever late (validation/kernel-virtual/README.md).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from acklab.build import Block, Flow, Link, describe
from acklab.places import packaged
from acklab.stacks import LINUX
from acklab.validate.criteria import KERNEL_VIRTUAL
from acklab.validate.measures import Measure
from acklab.validate.reference import Reference

if TYPE_CHECKING:
    from acklab.results import Result

_KEYS = ("kernel", "set", "link", "bottleneck", "ack_filter", "tcp_ecn", "hosts", "flows")
#: Where the rows are, below validation/kernel-virtual.
_FILES = ("results.csv", "cells/cells.csv", "bbr3.csv", "linux73.csv", "droptail.csv")
#: Of each metric the column, and what makes its unit ours.
_COLUMNS = {
    "goodput": ("goodput_mbps", 1.0),
    "retransmissions": ("total_retrans", 1.0),
    "rtt": ("rtt_p50_us", 1e-3),
    "rtt_p95": ("rtt_p95_us", 1e-3),
    "drops": ("dropped", 1.0),
}
#: Seconds before the first sample.
_WARM = 5
#: Seeds of ours where chance decides: beside six runs of the kernel's a rank test finds shifts of
#: 2.1 standard deviations in nine of ten cases, and with five seeds of 3.2.
_SEEDS = 20
#: Of each link of the drop-tail cells the rate in Mbit/s, ms each way, and packets in the queue.
_LINKS = {"10M48ms": (10, 24, 40), "40M10ms": (40, 5, 33)}
#: Queue disciplines below the shaper of 10 Mbit/s; CAKE shapes by itself.
_CHILDREN: Mapping[str, dict[str, Any]] = {
    "pfifo limit 50": {"name": "pfifo", "queue": "50 packets"},
    "fq_codel": {"name": "fq-codel"},
    "codel": {"name": "codel"},
    # 15 ms are four ticks of 250 Hz, and a timer fires when the one after them begins. A full
    # packet of the device has an Ethernet header; what waits behind `stab overhead -14` has none.
    "pie": {"name": "pie", "tupdate": "20 ms", "mtu": "1514 B"},
    "red": {"name": "red", "queue": "75000 B", "min": "6250 B", "max": "18750 B", "burst": 11},
}
#: CAKE's keywords as keys of a scenario.
_CAKE: Mapping[str, dict[str, Any]] = {
    "cake": {},
    **{f"cake {k}": {"framing": k} for k in ("ethernet", "docsis", "pppoe-llcsnap", "bridged-ptm")},
    **{
        f"cake {k}": {"isolation": k}
        for k in (
            *("flowblind", "srchost", "dsthost", "hosts", "flows"),
            *("dual-srchost", "dual-dsthost", "triple-isolate"),
        )
    },
    "cake ingress": {"ingress": True},
    "cake overhead 44 mpu 96 atm": {"overhead": 44, "mpu": 96, "cells": "atm"},
}
#: Those of CAKE's modes in which flows of a host, or all, share a queue.
_HOSTED = ("cake flowblind", "cake srchost", "cake dsthost", "cake hosts")
#: Disciplines that do not separate flows: a microsecond decides how two share one.
_SHARED = ("pfifo limit 50", "netem", "codel", "pie", "red", "codel ecn", "pie ecn", "red ecn")
#: Modes in which CAKE divides a turn among the flows of a host and draws who gets the rest.
_DIVIDING = ("cake dual-srchost", "cake dual-dsthost", "cake triple-isolate")
#: Disciplines that draw.
_DRAWING = ("pie", "red", "pie ecn", "red ecn")
#: The machines had 512 MB, of which Linux gives a socket no more than this (`tcp_init`: a 128th of
#: the free pages). It counts long before it is reached: how fast a receiver opens its window
#: depends on how far it is from half of the largest (`__tcp_grow_window`).
_BUFFER = "4033824 B"
#: Before 6.16 an autotuned receive buffer had room for 16 segments more (`tcp_rcv_space_adjust`).
_CUSHIONS: Mapping[str, int] = {"linux-6.12": 16, "linux-6.12-bbr3": 16, "linux-7.3": 0}
#: 7.3 holds ACKs of data above a gap for a third of the RTT, 6.12 for a twentieth, both for 1 ms at
#: most (`tcp_comp_sack_rtt_percent`), with a tenth of the slack (`tcp_comp_sack_slack_ns`), and
#: looks at the clock when it sends them (`tcp_compressed_ack_kick`).
_COMPRESSION: Mapping[str, dict[str, Any]] = {
    "linux-7.3": {"slack": "10 us", "rtt_percent": 33, "restamp": True},
}
#: A packet over a virtual cable takes 2280 bytes of the receiver's memory, 1448 of them data.
_SHARE = 1448 * 256 // 2280
#: Above a gap it becomes one of 4352, with room for its neighbour (`skb_condense`).
_BLOCK = 4352
_CAKE_UP: Mapping[str, Block | None] = {
    "no-ack-filter": None,
    "ack-filter": {"name": "cake", "mode": "conservative"},
    "ack-filter-aggressive": {"name": "cake", "mode": "aggressive"},
}
#: What CAKE on the way back counts for an ACK, by the keywords behind that of the filter.
_CAKE_UP_COUNTS: Mapping[str, dict[str, Any]] = {
    "": {},
    "overhead 18 mpu 96": {"overhead": 18, "mpu": 96},
    "pppoe-llcsnap": {"framing": "pppoe-llcsnap"},
}


def rows() -> list[Reference]:
    """Every flow of every cell, with one value for each seed and start of the kernel's."""
    cells: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for file in _FILES:
        with (packaged("validation") / "kernel-virtual" / file).open() as f:
            for row in csv.DictReader(f):
                cells.setdefault(tuple(row.get(k, "") for k in (*_KEYS, "flow")), []).append(row)
    return [_cell(dict(zip((*_KEYS, "flow"), key, strict=True)), r) for key, r in cells.items()]


def _cell(keys: dict[str, str], found: Sequence[dict[str, str]]) -> Reference:
    i = int(keys["flow"])
    values = {
        metric: [float(r[column]) * scale for r in found]
        for metric, (column, scale) in _COLUMNS.items()
    }
    measures = {
        "goodput": _flow(i, "acked_mbps"),
        "retransmissions": _flow(i, "retransmissions"),
        "rtt": _srtt(i, 0.5),
        "rtt_p95": _srtt(i, 0.95),
        "drops": _dropped("r1->r2", "dropped"),
    }
    if keys["set"] == "ackfilter":
        values["ack_drops"] = [float(r["ack_drop"]) for r in found]
        measures["ack_drops"] = _dropped("r2->r1", "drops_ack_thinned")
    if keys["tcp_ecn"]:
        values["marks"] = [float(r["marked"]) for r in found]
        measures["marks"] = _dropped("r1->r2", "marks")
    return Reference(
        source="kernel-virtual",
        keys={k: keys[k] for k in _told(keys) if k != "set"}
        | ({"flow": keys["flow"]} if "+" in keys["flows"] else {}),
        values=values,
        measures=measures,
        criteria={m: KERNEL_VIRTUAL[m] for m in measures},
        scenarios=[_scenario(keys, found[0]["secs"])],
        draws=_draws(keys),
        seeds=_SEEDS if _draws(keys) else Reference.seeds,
    )


def _told(keys: Mapping[str, str]) -> list[str]:
    """The keys that tell something. But for drop-tail cells, a bottleneck is on one link only."""
    return [k for k in _KEYS if keys[k] and (k != "link" or keys["set"] == "droptail")]


def _draws(keys: Mapping[str, str]) -> bool:
    """Whether chance or the instant of the start decides: BBR's phase, a shared queue, a discipline
    that draws, a turn that CAKE divides, and COBALT on the ACKs of an upstream that they fill.
    """
    shared = "+" in keys["flows"] and keys["bottleneck"] in (*_SHARED, *_HOSTED)
    drawing = keys["bottleneck"] in _DRAWING or keys["ack_filter"] == "no-ack-filter"
    dividing = keys["hosts"] and keys["bottleneck"] in _DIVIDING
    return bool(shared or drawing or dividing or "bbr" in keys["flows"])


def _flow(i: int, column: str) -> Measure:
    return lambda result: float(result.flows[column][i])


def _srtt(i: int, quantile: float) -> Measure:
    """Of the smoothed RTT, sampled as the kernel's was: each 100 ms from 5 s on."""

    def measure(result: Result) -> float:
        series = result.series
        mine = (series["flow"] == result.flows["flow"][i]) & (series["time_s"] >= _WARM)
        return float(series.filter(mine)["srtt_ms"].quantile(quantile) or 0.0)

    return measure


def _dropped(link: str, column: str) -> Measure:
    def measure(result: Result) -> float:
        links = result.links
        return float(links.filter(links["link"] == link)[column].sum())

    return measure


def _bottleneck(keys: dict[str, str]) -> Link:
    """From r1 to r2, without a delay: that is on the hops at the ends."""
    if keys["set"] == "ackfilter":
        word, _, counts = keys["ack_filter"].partition(" ")
        shaper = {"name": "cake", "bandwidth": "150 kbit/s"} | _CAKE_UP_COUNTS[counts]
        back: dict[str, Any] = {"qdisc": shaper}
        filtered = _CAKE_UP[word]
        if filtered is not None:
            back["ack_filter"] = filtered
        back["rate"] = "unlimited"
        return Link(
            a="r1", b="r2", rate="10 Mbit/s", queue="40 packets", delay="0 ms", reverse=back
        )
    back = {"rate": "unlimited", "qdisc": "pfifo", "queue": "1000 packets"}
    if keys["set"] == "droptail":
        return _droptail(keys, back)
    own = _CAKE.get(keys["bottleneck"])
    qdisc: dict[str, Any] = {"name": "cake", "bandwidth": "10 Mbit/s"} | (own or {})
    if own is None:
        child = _child(keys["bottleneck"])
        shaped = {"name": "all", "rate": "10 Mbit/s", "burst": "1514 B", "child": child}
        qdisc = {"name": "htb", "classes": [shaped]}
    return Link(a="r1", b="r2", rate="unlimited", delay="0 ms", qdisc=qdisc, reverse=back)


def _droptail(keys: Mapping[str, str], back: dict[str, Any]) -> Link:
    """A FIFO below a shaper, or, as `netem`, behind the packet in service."""
    mbit, _, packets = _LINKS[keys["link"]]
    rate, queue = f"{mbit} Mbit/s", f"{packets} packets"
    if keys["bottleneck"] == "netem":
        return Link(a="r1", b="r2", rate=rate, queue=queue, delay="0 ms", reverse=back)
    shaped = {"rate": rate, "burst": "1514 B", "child": {"name": "pfifo", "queue": queue}}
    qdisc: dict[str, Any] = {"name": "tbf"} | shaped
    if keys["bottleneck"] == "htb":
        qdisc = {"name": "htb", "classes": [{"name": "all"} | shaped]}
    return Link(a="r1", b="r2", rate="unlimited", delay="0 ms", qdisc=qdisc, reverse=back)


def _child(bottleneck: str) -> dict[str, Any]:
    """What stands below the shaper."""
    if bottleneck in _CHILDREN:
        return dict(_CHILDREN[bottleneck])
    return dict(_CHILDREN[bottleneck.removesuffix(" ecn")]) | {"ecn": True}


def _cc(keys: Mapping[str, str], name: str) -> str | Block:
    """A congestion control of the kernel's; `bbr` is version 3 in a kernel of its own."""
    if name == "bbr" and keys["kernel"].endswith("-bbr3"):
        return {"name": "bbr3", "source": "google"}
    return LINUX.cc(name)


def _start(keys: Mapping[str, str]) -> str:
    """When flows start at the earliest; disciplines update their state at multiples of a period.

    How long after PIE's update they start is measured: captures/pie_phase.py for cells/run.py's
    machines; in those of results.csv 8.8 or 9.3 ms, by which program waits for the second between.
    """
    if not keys["bottleneck"].startswith("pie"):
        return "0 s"
    return "8 ms" if keys["set"] == "cells" else "9 ms"


def _scenario(keys: dict[str, str], secs: str) -> dict[str, Any]:
    delay = "24 ms" if keys["set"] == "ackfilter" else "10 ms"
    if keys["set"] == "droptail":
        delay = f"{_LINKS[keys['link']][1]} ms"
    plain: dict[str, Any] = {"rate": "unlimited", "queue": "100000 packets"}
    flows = keys["flows"].split("+")
    # Flows of the first sending host and of the first receiving one; the second have the others.
    senders, receivers = (
        int(side.split("+")[0]) if side else len(flows)
        for side in [*keys["hosts"].split(":"), ""][:2]
    )
    out = {"delay": "0 ms", **plain, "reverse": {"delay": delay}}
    back = {"delay": delay, **plain, "reverse": {"delay": "0 ms"}}
    links = [
        *(Link(a=a, b="r1", **out) for a in ("snd", "snd2")[: 1 + (senders < len(flows))]),
        _bottleneck(keys),
        *(Link(a="r2", b=b, **back) for b in ("rcv", "rcv2")[: 1 + (receivers < len(flows))]),
    ]
    held = _COMPRESSION.get(keys["kernel"])
    # The kernel forwards without cost; there is no rate but the bottleneck's.
    return describe(
        "kernel-virtual-" + "-".join(keys[k].replace(" ", "-") for k in _told(keys)),
        duration=f"{float(secs):g} s",
        warmup=f"{_WARM} s",
        sample_every="100 ms",
        links=links,
        flows=[
            Flow(
                cc=_cc(keys, cc),
                ack="linux",
                src="snd" if i < senders else "snd2",
                dst="rcv" if i < receivers else "rcv2",
                name=f"{cc}{i}",
                start=_start(keys),
                start_jitter="1 ms",
                tcp=({"ecn": "on"} if keys["tcp_ecn"] else {})
                | ({"sack_compression": held} if held else {})
                | {
                    "profile": "linux",
                    "kernel_units": True,
                    "segment": 1448,
                    "pacing_quantum": 1,
                    "recv_cushion": _CUSHIONS[keys["kernel"]],
                    "recv_share": _SHARE,
                    "recv_block": _BLOCK,
                    "recv_buffer": {"initial": "131072 B", "max": _BUFFER},
                    "send_buffer": {"initial": "87380 B", "max": _BUFFER},
                },
            )
            for i, cc in enumerate(flows)
        ],
    )
