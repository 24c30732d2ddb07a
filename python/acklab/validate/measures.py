"""Numbers of our runs that stand beside a reference's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acklab.results import Result

#: A number of a run.
Measure = Callable[["Result"], float]


def first_flow(column: str) -> Measure:
    """That column of the first flow."""
    return lambda result: float(result.flows[column][0])


def all_flows(column: str) -> Measure:
    """The sum of that column over the flows."""
    return lambda result: float(result.flows[column].sum())


def fairness(result: Result) -> float:
    """Jain's index of the flows' goodputs."""
    from acklab.metrics.fairness import jain_index

    return jain_index(result.flows["goodput_mbps"].to_list()) or 0.0


def drops_from(node: str) -> Measure:
    """Packets dropped on the links that leave `node`."""

    def measure(result: Result) -> float:
        links = result.links
        return float(links.filter(links["link"].str.starts_with(f"{node}->"))["dropped"].sum())

    return measure
