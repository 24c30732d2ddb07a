"""Plots: colour-blind safe, the same bytes from the same table."""

from acklab.plots.style import figure, save

__all__ = ["figure", "save"]
