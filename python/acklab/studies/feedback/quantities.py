"""The quantities of a run: goodput, feedback, delay, fairness, and how long a failure lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acklab.studies.feedback.cells import FAILS, HEALS
from acklab.studies.kit.quantity import derived, quantity
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.values import airtime, columns, of_flow

if TYPE_CHECKING:
    from acklab.results import Result

_ONE = ("wifi", "asymmetric", "satellite", "cellular", "fault")
_ALL = (*_ONE, "many")
#: Of the goodput before the failure, which a flow must reach again.
_BACK = 0.9
#: Samples of 100 ms over which goodput is averaged: longer than any round trip here.
_SMOOTH = 5


@quantity("Mbit/s", *_ALL, digits=1)
def goodput(run: Result) -> float:
    """Payload that arrived after the warm-up, of all flows."""
    return float(np.nansum(columns(run, "flows")["goodput_warm_mbps"]))


@quantity("", *_ALL, digits=3)
def per_data(run: Result) -> float:
    """Acknowledgements that receivers sent for each data packet."""
    flows = columns(run, "flows")
    return float(np.nansum(flows["acks_sent"]) / np.nansum(flows["data_segments"]))


@quantity("", *_ALL, digits=4)
def repeated(run: Result) -> float:
    """Retransmissions, as a share of all data packets that were sent."""
    flows = columns(run, "flows")
    return float(np.nansum(flows["retransmissions"]) / np.nansum(flows["data_segments"]))


@quantity("ms", "wifi", "many", "cellular", digits=1)
def delay(run: Result) -> float:
    """Median one-way delay of data packets, mean over flows."""
    return float(np.nanmean(columns(run, "flows")["owd_p50_ms"]))


@quantity("ms", "wifi", "many", "cellular", digits=1)
def delay_p95(run: Result) -> float:
    """95th percentile of the one-way delay of data packets, mean over flows."""
    return float(np.nanmean(columns(run, "flows")["owd_p95_ms"]))


@quantity("", "wifi", "many", digits=3)
def feedback_air(run: Result) -> float:
    """Share of the air that transport acknowledgements take."""
    return airtime(run)["transport_ack"] / sum(airtime(run).values())


@quantity("", "wifi", "many", digits=3)
def collisions(run: Result) -> float:
    """Share of the air that collisions take."""
    return airtime(run)["collision"] / sum(airtime(run).values())


@quantity("packets", "wifi", "many", digits=1)
def together(run: Result) -> float:
    """Packets in a frame on the air, of all stations that send data."""
    table = columns(run, "stations")
    up = np.char.startswith(np.asarray(table["station"], str), "sta")
    return float(np.asarray(table["mpdus"])[up].sum() / np.asarray(table["data_ppdus"])[up].sum())


@quantity("", "many", digits=2, most=1)
def jain(run: Result) -> float:
    """Jain's index of the uploads' goodputs."""
    rates = np.nan_to_num(np.asarray(columns(run, "flows")["goodput_warm_mbps"], float))
    return float(rates.sum() ** 2 / (len(rates) * (rates**2).sum()))


@quantity("timeouts", "fault", "satellite", digits=1)
def timeouts(run: Result) -> float:
    """Retransmission timeouts."""
    return float(of_flow(run, "rtos"))


def _smoothed(run: Result) -> tuple[np.ndarray, np.ndarray]:
    """Times, and goodput averaged up to each of them."""
    table = columns(run, "series")
    times, rates = (np.asarray(table[name], float) for name in ("time_s", "goodput_mbps"))
    kernel = np.ones(_SMOOTH) / _SMOOTH
    return times[_SMOOTH - 1 :], np.convolve(np.nan_to_num(rates), kernel, "valid")


@quantity("s", "fault", digits=1)
def recovery(run: Result) -> float:
    """From the end of the failure until goodput has reached nine tenths of what it was before."""
    times, rates = _smoothed(run)
    before = rates[(times > FAILS - 5) & (times <= FAILS)].mean()
    healed = HEALS if "blackout" in run.scenario.name else FAILS
    after = times >= healed + 0.1 * _SMOOTH
    back = np.flatnonzero(after & (rates >= _BACK * before))
    last = times[-1] if len(back) == 0 else times[back[0]]
    return float(last - healed - 0.1 * _SMOOTH)


@quantity("Mbit/s", "fault", digits=1)
def after(run: Result) -> float:
    """Goodput in the ten seconds after the failure."""
    times, rates = _smoothed(run)
    healed = HEALS if "blackout" in run.scenario.name else FAILS
    return float(rates[(times > healed) & (times <= healed + 10)].mean())


_PLAIN = "Goodput over that of TCP with delayed ACKs on the same path."
QUANTITIES = (
    *(of for of in tuple(globals().values()) if isinstance(of, Quantity)),
    derived("gained", "", _PLAIN, "goodput / goodput(way=delayed)", *_ALL),
)
