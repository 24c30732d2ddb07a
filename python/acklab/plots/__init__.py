"""Plots: colour-blind safe, the same bytes from the same table, their data beside them.

from acklab.plots import plot

plot("out/single-flow", "series").save("figures/series", "pdf")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acklab.plots.kinds import KINDS, Kind, Plots, chosen, named, recorded
from acklab.plots.style import figure, save

if TYPE_CHECKING:
    from acklab.plots.drawn import Choice, Drawn

__all__ = ["KINDS", "Choice", "Drawn", "Kind", "Plots", "figure", "plot", "save"]


def plot(source: Any, kind: str, **choice: Any) -> Drawn:
    """The plot `kind` of a result or of a result folder; keywords as of `Choice`."""
    drawn = named(kind)
    return drawn.draw(recorded(source), chosen(drawn, choice))


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in ("Choice", "Drawn"):
        return getattr(import_module("acklab.plots.drawn"), name)
    raise AttributeError(f"module 'acklab.plots' has no attribute {name!r}")
