"""The kernel's runs: one flow over one emulated link, an ACK thinner on the way back."""

from __future__ import annotations

import csv
from typing import Any

from acklab.build import Flow, Link, describe
from acklab.places import in_repository
from acklab.stacks import LINUX, thinner
from acklab.validate.criteria import KERNEL
from acklab.validate.reference import Reference

#: Forward rate, one-way delay and queue of the emulated links.
_LINKS = {
    "10M48ms": ("10 Mbit/s", "24 ms", "40 packets"),
    "40M10ms": ("40 Mbit/s", "5 ms", "33 packets"),
}
_KEYS = ("set", "link", "cc", "thin", "timer_ms", "sackpass", "gso")
#: The others are the same in all rows, or follow from the set.
_SHOWN = ("set", "link", "cc", "thin")
_VALUES = {"goodput": "goodput_mbps", "retransmissions": "total_retrans", "cwnd": "cwnd_mean"}
_COLUMNS = {
    "goodput": "acked_mbps",
    "retransmissions": "retransmissions",
    "cwnd": "cwnd_mean_packets",
    "rtt": "rtt_p50_ms",
}


def rows() -> list[Reference]:
    """Every cell of the kernel's results, its undisturbed repeats together."""
    cells: dict[tuple[str, ...], list[dict[str, str]]] = {}
    with (in_repository("validation") / "kernel" / "results.csv").open() as f:
        for row in csv.DictReader(f):
            cells.setdefault(tuple(row[k] for k in _KEYS), []).append(row)
    return [_reference(dict(zip(_KEYS, key, strict=True)), rs) for key, rs in cells.items()]


def _reference(keys: dict[str, str], repeats: list[dict[str, str]]) -> Reference:
    calm = [r for r in repeats if r["disturbed"] == "0"]
    values = {metric: [float(r[column]) for r in calm] for metric, column in _VALUES.items()}
    values["rtt"] = [float(r["rtt_p50_us"]) / 1000 for r in calm]
    return Reference(
        source="kernel",
        keys={k: keys[k] for k in _SHOWN},
        values=values,
        columns=_COLUMNS,
        criteria=KERNEL,
        scenario=_scenario(keys),
        disturbed=len(repeats) - len(calm),
    )


def _scenario(keys: dict[str, str]) -> dict[str, Any]:
    rate, delay, queue = _LINKS[keys["link"]]
    back: dict[str, Any] = {"rate": "unlimited", "queue": "1000 packets"}
    sack = "pass" if keys["sackpass"] == "1" else "thin"
    ack_filter = thinner(int(keys["thin"]), f"{keys['timer_ms']} ms", sack)
    if ack_filter is not None:
        back["ack_filter"] = ack_filter
    # With its own skb sizes the kernel releases bursts; without, packet by packet.
    quantum = 0 if keys["gso"] == "on" else 1
    return describe(
        "kernel-" + "-".join(keys.values()),
        duration="30 s",
        warmup="5 s",
        links=[Link(a="sender", b="receiver", rate=rate, delay=delay, queue=queue, reverse=back)],
        flows=[
            Flow(
                cc=LINUX.cc(keys["cc"]),
                src="sender",
                dst="receiver",
                start_jitter="100 ms",
                tcp={"profile": "linux", "segment": 1448, "pacing_quantum": quantum},
            )
        ],
    )
