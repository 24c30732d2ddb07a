"""Plots: colour-blind safe, the same bytes from the same table, their data beside them.

from acklab.plots import plot

plot("out/single-flow", "series").save("figures/series", "pdf")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from acklab.plots.kinds import KINDS, Kind, chosen, named, recorded
from acklab.plots.methods import Plots
from acklab.plots.style import figure, save

if TYPE_CHECKING:
    from acklab.plots.drawn import Choice, Drawn
    from acklab.plots.options import Options

__all__ = ["KINDS", "Choice", "Drawn", "Kind", "Options", "Plots", "figure", "plot", "save"]


def plot(source: Any, kind: str, **choice: Unpack[Options]) -> Drawn:
    """The plot `kind` of a result or of a result folder; keywords as of `Choice`."""
    drawn = named(kind)
    return drawn.draw(recorded(source), chosen(drawn, choice))


def __getattr__(name: str) -> Any:
    from importlib import import_module

    where = {"Choice": "drawn", "Drawn": "drawn", "Options": "options"}.get(name)
    if where is not None:
        return getattr(import_module(f"acklab.plots.{where}"), name)
    raise AttributeError(f"module 'acklab.plots' has no attribute {name!r}")
