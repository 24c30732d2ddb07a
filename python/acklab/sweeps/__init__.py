"""Sweeps: a scenario over a grid of values and seeds, resumable, one data set at the end."""

from acklab.sweeps.api import sweep
from acklab.sweeps.results import SweepResult

__all__ = ["SweepResult", "sweep"]
