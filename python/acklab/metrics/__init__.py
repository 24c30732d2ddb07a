"""Metrics: what each means, and those that are computed from a result's tables."""

from acklab.metrics.definition import Definition
from acklab.metrics.definitions import DEFINITIONS, columns, defined
from acklab.metrics.delay import nearest_rank, percentile, power
from acklab.metrics.fairness import convergence_time, harm, jain, jain_index, rtt_fairness

__all__ = [
    "DEFINITIONS",
    "Definition",
    "columns",
    "convergence_time",
    "defined",
    "harm",
    "jain",
    "jain_index",
    "nearest_rank",
    "percentile",
    "power",
    "rtt_fairness",
]
