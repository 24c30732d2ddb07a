"""The quantities of a run."""

from acklab.results import Result
from acklab.studies.kit.quantity import quantity
from acklab.studies.values import of_flow


@quantity("Mbit/s")
def goodput(run: Result) -> float:
    """Payload that arrived, over the measured time."""
    return float(of_flow(run, "goodput_mbps"))


@quantity("ms", digits=1)
def rtt(run: Result) -> float:
    """Mean round-trip time that the sender measured."""
    return float(of_flow(run, "rtt_mean_ms"))


QUANTITIES = (goodput, rtt)
