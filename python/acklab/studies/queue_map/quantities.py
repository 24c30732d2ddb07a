"""Quantities of a run: how full the line is, how long packets wait, who gets how much."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from acklab.studies.kit.quantity import quantity
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.queue_map.cells import CALL
from acklab.studies.values import columns, once_per_run

if TYPE_CHECKING:
    from acklab.results import Result


@once_per_run
def _ours(run: Result) -> np.ndarray:
    """Which rows of the flows table are bulk, and neither the neighbour's nor the call's."""
    return np.asarray([name not in ("near", CALL) for name in columns(run, "flows")["flow"]])


def _of(run: Result, column: str) -> np.ndarray:
    ours: np.ndarray = np.asarray(columns(run, "flows")[column], float)[_ours(run)]
    return ours


@quantity("", digits=2)
def filled(run: Result) -> float:
    """Payload that arrived after the warm-up, of the line's rate."""
    rate = float(run.scenario.name.split("-")[1])
    return float(np.nansum(_of(run, "goodput_warm_mbps")) / rate)


def _added(run: Result, column: str) -> float:
    """A quantile of the one-way delay without that of the line, mean over flows."""
    line = float(run.scenario.name.split("-")[2]) / 2
    return float(np.nanmean(_of(run, column))) - line


@quantity("ms", digits=1)
def delay(run: Result) -> float:
    """Median one-way delay that queues and air add."""
    return _added(run, "owd_p50_ms")


@quantity("ms", digits=1)
def delay_p95(run: Result) -> float:
    """95th percentile of the one-way delay that queues and air add."""
    return _added(run, "owd_p95_ms")


@quantity("ms", digits=1)
def delay_p99(run: Result) -> float:
    """99th percentile of the one-way delay that queues and air add."""
    return _added(run, "owd_p99_ms")


@quantity("ms", digits=1)
def call_p99(run: Result) -> float | None:
    """99th percentile of the one-way delay that queues add to the packets of the call."""
    flows = columns(run, "flows")
    at = [i for i, name in enumerate(flows["flow"]) if name == CALL]
    line = float(run.scenario.name.split("-")[2]) / 2
    return float(flows["owd_p99_ms"][at[0]]) - line if at else None


def _jain(rates: np.ndarray) -> float | None:
    rates = np.nan_to_num(rates)
    if len(rates) < 2 or not rates.any():
        return None
    return float(rates.sum() ** 2 / (len(rates) * (rates**2).sum()))


@quantity("", digits=2, most=1)
def jain_flows(run: Result) -> float | None:
    """How evenly flows share the goodput: 1 if all get the same."""
    return _jain(_of(run, "goodput_warm_mbps"))


@quantity("", digits=2, most=1)
def jain_hosts(run: Result) -> float | None:
    """How evenly hosts share the goodput, of which one has four flows: 1 if all get the same."""
    of_host: defaultdict[str, float] = defaultdict(float)
    names = np.asarray(columns(run, "flows")["flow"], str)[_ours(run)]
    for name, rate in zip(names, _of(run, "goodput_warm_mbps"), strict=True):
        of_host[name.split("-")[0]] += float(np.nan_to_num(rate))
    return _jain(np.asarray(list(of_host.values())))


@quantity("", digits=4)
def repeated(run: Result) -> float:
    """Retransmissions, as a share of all data segments that were sent."""
    return float(np.nansum(_of(run, "retransmissions")) / np.nansum(_of(run, "data_segments")))


QUANTITIES = tuple(of for of in tuple(globals().values()) if isinstance(of, Quantity))
