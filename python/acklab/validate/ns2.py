"""ns-2's runs of one TCP whose acknowledgements are lost."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import stdev
from typing import Any

from acklab.build import Flow, Link, dumbbell
from acklab.places import packaged
from acklab.studies.ack_compression.stacks import STACKS
from acklab.validate.criteria import NS2 as CRITERIA
from acklab.validate.criteria import Tolerance
from acklab.validate.measures import first_flow
from acklab.validate.reference import Reference

#: The name of the source.
SOURCE = "ns2"
_VALUES = {
    "goodput": "goodput_mbps",
    "timeouts": "timeouts",
    "retransmissions": "retransmits",
}
_MEASURES = {
    "goodput": first_flow("goodput_mbps"),
    "timeouts": first_flow("rtos"),
    "retransmissions": first_flow("retransmissions"),
}
_KEYS = ("variant", "size", "window", "ackloss", "dataloss")
#: Seeds of ours that `acklab validate` runs unless told otherwise.
_SEEDS = 5
#: Standard error of a median in those of a mean, and of a normal distribution its 97.5 % quantile.
_MEDIAN, _QUANTILE = 1.2533, 1.96
#: Packets of 1024 B, a queue of 50: far more than the path holds.
_NO_LIMIT = 10_000


def rows() -> list[Reference]:
    """Every row of ns-2's results."""
    with (packaged("validation") / "ns2" / "ackloss.csv").open() as f:
        return [_reference(row) for row in csv.DictReader(f)]


def _reference(row: Mapping[str, str]) -> Reference:
    values = {m: [float(x) for x in row[column].split()] for m, column in _VALUES.items()}
    return Reference(
        source=SOURCE,
        keys={k: row[k] for k in _KEYS},
        values=values,
        measures=_MEASURES,
        criteria={m: allowed(t, values[m]) for m, t in CRITERIA.items()},
        scenarios=[scenario(row)],
    )


def allowed(tolerance: Tolerance, repeats: Sequence[float]) -> Tolerance:
    """The criterion, and in addition what chance makes of the difference between their median and
    that of five seeds of ours (95 % of it): a timeout that is backed off often lasts a minute.
    """
    error = _MEDIAN * stdev(repeats) * sqrt(1 / len(repeats) + 1 / _SEEDS)
    return Tolerance(tolerance.relative, absolute=max(tolerance.absolute, _QUANTILE * error))


def scenario(row: Mapping[str, str]) -> dict[str, Any]:
    """The scenario that `ackloss.tcl` runs when it is given a row's settings."""
    size, window = int(row["size"]), int(row["window"])
    buffer = {"recv_buffer": f"{size * window} B"}
    if window >= _NO_LIMIT:
        buffer["send_buffer"] = buffer["recv_buffer"]
    stack = STACKS["ns2"]
    return dumbbell(
        "-".join(["ns2", *(row[k] for k in _KEYS)]),
        duration=f"{row['seconds']} s",
        access=Link(rate="100 Mbit/s", delay="2 ms", queue="100000 packets"),
        bottleneck=Link(
            rate="10 Mbit/s",
            delay="20 ms",
            queue="50 packets",
            loss=float(row["dataloss"]),
            reverse={"loss": float(row["ackloss"]), "queue": "100000 packets"},
        ),
        flows=[Flow(**stack.flow, start="0 s")],
        tcp={**stack.tcp, "sack": row["variant"] == "Sack1", "segment": size, **buffer},
    )
