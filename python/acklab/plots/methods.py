"""`result.plot`: the named plots as methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from acklab.plots import options as takes
from acklab.plots.kinds import chosen, named, recorded

if TYPE_CHECKING:
    from acklab.plots.drawn import Drawn


class Plots:
    """The plots of a result: `result.plot.series()`, `result.plot.ack_spacing(flows=["a"])`.

    Each method returns a `Drawn`: `.figure` (Matplotlib), `.data` (Polars), `.save(stem, "pdf")`.
    """

    def __init__(self, source: Any) -> None:
        self._source = recorded(source)

    def _draw(self, name: str, choice: Any) -> Drawn:
        kind = named(name)
        return kind.draw(self._source, chosen(kind, choice))

    def __getattr__(self, name: str) -> Any:
        # A method would have been found; this is a name that does not exist.
        raise AttributeError(f"there is no plot {name!r}; there are {', '.join(self._names())}")

    @classmethod
    def _names(cls) -> list[str]:
        return [n for n in vars(cls) if not n.startswith("_")]

    @takes.spelled(takes.OfRates)
    def series(self, **choice: Unpack[takes.OfRates]) -> Drawn:
        """Goodput, srtt, cwnd, pacing rate and queues over time."""
        return self._draw("series", choice)

    @takes.spelled(takes.OfTime)
    def sequence(self, **choice: Unpack[takes.OfTime]) -> Drawn:
        """Time-sequence of one flow: segments, ACK line, window, SACK blocks."""
        return self._draw("sequence", choice)

    @takes.spelled(takes.OfTime)
    def phases(self, **choice: Unpack[takes.OfTime]) -> Drawn:
        """The controllers' states over time."""
        return self._draw("phases", choice)

    @takes.spelled(takes.OfRates)
    def fairness(self, **choice: Unpack[takes.OfRates]) -> Drawn:
        """Jain's index over time."""
        return self._draw("fairness", choice)

    @takes.spelled(takes.OfDistributions)
    def cdf(self, **choice: Unpack[takes.OfDistributions]) -> Drawn:
        """Distribution of a metric over a sweep's runs or a run's samples."""
        return self._draw("cdf", choice)

    @takes.spelled(takes.OfBoxes)
    def box(self, **choice: Unpack[takes.OfBoxes]) -> Drawn:
        """Boxes of a metric over a sweep's runs or a run's samples."""
        return self._draw("box", choice)

    @takes.spelled(takes.OfDistributions)
    def ellipse(self, **choice: Unpack[takes.OfDistributions]) -> Drawn:
        """Throughput against latency; up and right is better."""
        return self._draw("ellipse", choice)

    @takes.spelled(takes.OfMaps)
    def heatmap(self, **choice: Unpack[takes.OfMaps]) -> Drawn:
        """A metric over two keys of a sweep."""
        return self._draw("heatmap", choice)

    @takes.spelled(takes.OfMaps)
    def heat(self, **choice: Unpack[takes.OfMaps]) -> Drawn:
        """A short name of `heatmap`."""
        return self._draw("heat", choice)

    @takes.spelled(takes.OfLines)
    def line(self, **choice: Unpack[takes.OfLines]) -> Drawn:
        """A metric of a sweep over a key, with intervals over seeds; colours, dashes, panels."""
        return self._draw("line", choice)

    @takes.spelled(takes.OfTime)
    def ack_spacing(self, **choice: Unpack[takes.OfTime]) -> Drawn:
        """Time between ACKs as they reach the sender."""
        return self._draw("ack-spacing", choice)

    @takes.spelled(takes.OfTime)
    def segments_per_ack(self, **choice: Unpack[takes.OfTime]) -> Drawn:
        """Segments that each ACK newly acknowledges."""
        return self._draw("segments-per-ack", choice)

    @takes.spelled(takes.OfTimes)
    def air_timeline(self, **choice: Unpack[takes.OfTimes]) -> Drawn:
        """Who held the air when: a lane per station, a bar per PPDU."""
        return self._draw("air-timeline", choice)

    @takes.spelled(takes.OfLook)
    def airtime(self, **choice: Unpack[takes.OfLook]) -> Drawn:
        """The uses of airtime, of each radio channel and of each station."""
        return self._draw("airtime", choice)

    @takes.spelled(takes.OfLook)
    def ampdu_sizes(self, **choice: Unpack[takes.OfLook]) -> Drawn:
        """How many MPDUs each station sent at once."""
        return self._draw("ampdu-sizes", choice)
