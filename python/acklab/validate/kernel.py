"""The kernel's runs: one flow over one emulated link, an ACK thinner on the way back.

Three sets of them: the reference, and the same cells over an emulator of our own, once left alone
and once made to pause (validation/README.md).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from acklab.build import Flow, Link, describe
from acklab.places import packaged
from acklab.stacks import LINUX, thinner
from acklab.validate.criteria import KERNEL
from acklab.validate.lateness import Pauses, pauses
from acklab.validate.measures import first_flow
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
_MEASURES = {
    "goodput": first_flow("acked_mbps"),
    "retransmissions": first_flow("retransmissions"),
    "cwnd": first_flow("cwnd_mean_packets"),
    "rtt": first_flow("srtt_p50_ms"),
}


def rows() -> list[Reference]:
    """Every cell of the reference, its undisturbed repeats together.

    The link is ideal; `late_scenarios` have, for each repeat, pauses that make its emulator as
    late as was measured.
    """
    return [_cell("kernel", key, repeats, _as_late_as) for key, repeats in _cells("results.csv")]


def quiet_rows() -> list[Reference]:
    """Every cell of the runs over our own emulator, which is hardly late."""
    return [_cell("kernel-quiet", key, rs) for key, rs in _cells("lab/results.csv")]


def paused_rows() -> list[Reference]:
    """Every cell of the runs over our own emulator while it was made to pause.

    Law and mean of the pauses are known, and our links have the same.
    """
    found = []
    for key, repeats in _cells("lab/paused.csv"):
        cell = _cell("kernel-paused", key, repeats)
        keys = dict(zip(_KEYS, key, strict=True))
        scenarios = [_scenario(keys, _pauses_of(r)) for r in _calm(repeats)]
        found.append(replace(cell, scenarios=scenarios))
    return found


def _cells(name: str) -> Iterable[tuple[tuple[str, ...], list[dict[str, str]]]]:
    cells: dict[tuple[str, ...], list[dict[str, str]]] = {}
    with (packaged("validation") / "kernel" / name).open() as f:
        for row in csv.DictReader(f):
            cells.setdefault(tuple(row[k] for k in _KEYS), []).append(row)
    return cells.items()


def _calm(repeats: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    return [r for r in repeats if r["disturbed"] == "0"]


def _cell(
    source: str,
    key: tuple[str, ...],
    repeats: Sequence[dict[str, str]],
    late: Callable[[dict[str, str]], Pauses] | None = None,
) -> Reference:
    keys, calm = dict(zip(_KEYS, key, strict=True)), _calm(repeats)
    values = {metric: [float(r[column]) for r in calm] for metric, column in _VALUES.items()}
    values["rtt"] = [float(r["rtt_p50_us"]) / 1000 for r in calm]
    return Reference(
        source=source,
        keys={k: keys[k] for k in _SHOWN},
        values=values,
        measures=_MEASURES,
        criteria=KERNEL,
        scenarios=[_scenario(keys)],
        late_scenarios=[_scenario(keys, late(r)) for r in calm] if late else [],
        disturbed=len(repeats) - len(calm),
    )


def _as_late_as(repeat: dict[str, str]) -> Pauses:
    """The delay that would make an emulator as late as it was in this repeat.

    The columns of the way there are taken; there and back one program is late.
    """
    p99, longest = float(repeat["release_err_p99_us"]), float(repeat["release_err_max_us"])
    return pauses(p99, longest, float(repeat["secs"]) * 1e6)


def _pauses_of(repeat: dict[str, str]) -> Pauses:
    return Pauses(float(repeat["pause_length_us"]), float(repeat["pause_gap_us"]))


def _scenario(keys: dict[str, str], late: Pauses | None = None) -> dict[str, Any]:
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
        links=[
            Link(
                a="sender",
                b="receiver",
                rate=rate,
                delay=delay,
                queue=queue,
                pauses={"length": f"{late.length:.1f} us", "gap": f"{late.gap:.1f} us"}
                if late
                else None,
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
