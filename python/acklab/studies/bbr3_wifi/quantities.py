"""The quantities of a run: how much BBR's flows get, how long it takes, what they repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acklab.studies.kit.quantity import quantity
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.values import columns

if TYPE_CHECKING:
    from acklab.results import Result


def _of(run: Result, column: str, whose: str) -> np.ndarray:
    """A column of the flows whose names begin so; neighbours have none of these names."""
    flows = columns(run, "flows")
    names = np.asarray(flows["flow"], str)
    found: np.ndarray = np.asarray(flows[column], float)[np.char.startswith(names, whose)]
    return found


@quantity("Mbit/s", digits=2)
def goodput(run: Result) -> float:
    """Payload that a flow of BBR got after the warm-up, mean over its flows."""
    return float(_of(run, "goodput_warm_mbps", "bbr").mean())


@quantity("ms", digits=1)
def rtt_p95(run: Result) -> float:
    """95th percentile of the round-trip time of BBR, mean over its flows."""
    return float(_of(run, "rtt_p95_ms", "bbr").mean())


@quantity("per 1000", digits=1)
def repeated(run: Result) -> float:
    """Retransmissions of BBR, of 1000 data segments."""
    sent = _of(run, "data_segments", "bbr").sum()
    return float(1000 * _of(run, "retransmissions", "bbr").sum() / sent)


@quantity("", digits=3, most=1)
def fairness(run: Result) -> float | None:
    """Jain's index over the flows of BBR and of CUBIC."""
    rates = np.concatenate([_of(run, "goodput_warm_mbps", who) for who in ("bbr", "cubic")])
    if not rates.any():
        return None
    return float(rates.sum() ** 2 / (len(rates) * (rates**2).sum()))


QUANTITIES = tuple(of for of in tuple(globals().values()) if isinstance(of, Quantity))
