"""The teeth of a window or of a rate over time: climbs, peaks, and how much alike they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, pstdev

Line = Sequence[tuple[float, float]]

#: A turn counts once the line has come back by this share of it: half of what the least cut of a
#: window takes away (CUBIC's and BBRv3's 0.3, RFC 9438 section 4.6; NewReno takes half).
TURN = 0.15
#: Fewer periods have no variation worth the name.
PERIODS = 3


@dataclass(frozen=True)
class Tooth:
    """A climb from a trough to the peak behind which the line falls."""

    trough_s: float
    trough: float
    peak_s: float
    peak: float

    @property
    def climb(self) -> float:
        """How fast it rises, per second."""
        return (self.peak - self.trough) / (self.peak_s - self.trough_s)


def teeth(line: Line) -> list[Tooth]:
    """The whole teeth of a line: the climb that it begins with has no trough, the last no fall."""
    found: list[Tooth] = []
    trough: tuple[float, float] | None = None
    low = high = line[0] if line else (0.0, 0.0)
    rising: bool | None = None
    for at in line:
        low = at if at[1] < low[1] else low
        # Of a flat top the beginning is the peak: from there it climbs no more.
        high = at if at[1] > high[1] else high
        if rising is not False and at[1] < (1 - TURN) * high[1]:
            if trough is not None:
                found.append(Tooth(*trough, *high))
            rising, low = False, at
        elif rising is not True and at[1] > (1 + TURN) * low[1]:
            # The first climb may have begun before the line did.
            trough = low if rising is False else None
            rising, high = True, at
    return found


def period(found: Sequence[Tooth]) -> float | None:
    """Mean time from peak to peak, s."""
    times = [b.peak_s - a.peak_s for a, b in pairwise(found)]
    return fmean(times) if times else None


def period_variation(found: Sequence[Tooth]) -> float | None:
    """Coefficient of variation of the times from peak to peak."""
    return _variation([b.peak_s - a.peak_s for a, b in pairwise(found)])


def peak_variation(found: Sequence[Tooth]) -> float | None:
    """Coefficient of variation of the peaks, over the same teeth as `period_variation`."""
    return _variation([t.peak for t in found[1:]])


def climb(found: Sequence[Tooth]) -> float | None:
    """Mean speed of the climbs, per second; each tooth counts as long as it climbs."""
    rise = sum(t.peak - t.trough for t in found)
    time = sum(t.peak_s - t.trough_s for t in found)
    return rise / time if time else None


def climbing(found: Sequence[Tooth]) -> float | None:
    """The share of the time from peak to peak that is spent climbing: nearly 1 for a saw."""
    time = sum(b.peak_s - a.peak_s for a, b in pairwise(found))
    return sum(t.peak_s - t.trough_s for t in found[1:]) / time if time else None


def _variation(values: Sequence[float]) -> float | None:
    return pstdev(values) / fmean(values) if len(values) >= PERIODS else None
