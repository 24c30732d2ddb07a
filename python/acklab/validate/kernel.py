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


def rows(*, lateness: bool = False) -> list[Reference]:
    """Every cell of the kernel's results, its undisturbed repeats together.

    Without `lateness` the link is ideal, and the repeats are alike. With it, each repeat has
    the quantiles of the emulator's lateness that were measured in it, each packet drawn on its
    own: how late neighbours are together was not measured.
    """
    cells: dict[tuple[str, ...], list[dict[str, str]]] = {}
    with (in_repository("validation") / "kernel" / "results.csv").open() as f:
        for row in csv.DictReader(f):
            cells.setdefault(tuple(row[k] for k in _KEYS), []).append(row)
    return [
        _reference(dict(zip(_KEYS, key, strict=True)), rs, lateness) for key, rs in cells.items()
    ]


def _reference(keys: dict[str, str], repeats: list[dict[str, str]], lateness: bool) -> Reference:
    calm = [r for r in repeats if r["disturbed"] == "0"]
    values = {metric: [float(r[column]) for r in calm] for metric, column in _VALUES.items()}
    values["rtt"] = [float(r["rtt_p50_us"]) / 1000 for r in calm]
    return Reference(
        source="kernel",
        keys={k: keys[k] for k in _SHOWN},
        values=values,
        columns=_COLUMNS,
        criteria=KERNEL,
        scenarios=[_scenario(keys, *_lateness(r)) for r in calm] if lateness else [_scenario(keys)],
        disturbed=len(repeats) - len(calm),
    )


def _lateness(repeat: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """How late the emulator released packets in this repeat, there and back.

    Of the way back only the 99 % quantile was measured. One process serves both ways, so its
    median and maximum are taken to be in the proportion of the way there.
    """
    median, p99, most = (float(repeat[f"release_err_{q}_us"]) for q in ("p50", "p99", "max"))
    scale = float(repeat["rev_release_err_p99_us"]) / p99
    there, back = (
        {"median": _us(f * median), "p99": _us(f * p99), "max": _us(f * most)} for f in (1.0, scale)
    )
    return there, back


def _us(us: float) -> str:
    return f"{us:.1f} us"


def _scenario(
    keys: dict[str, str],
    late_there: dict[str, str] | None = None,
    late_back: dict[str, str] | None = None,
) -> dict[str, Any]:
    rate, delay, queue = _LINKS[keys["link"]]
    back: dict[str, Any] = {"rate": "unlimited", "queue": "1000 packets"}
    if late_back is not None:
        back["jitter"] = late_back
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
        links=[
            Link(
                a="sender",
                b="receiver",
                rate=rate,
                delay=delay,
                queue=queue,
                jitter=late_there,
                reverse=back,
            )
        ],
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
