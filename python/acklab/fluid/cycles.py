"""Limit cycles: how long a swing takes, in a model or in a recording."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acklab.fluid.domain import Symbols, above_zero

#: A swing that comes back less alike than this is none (of the autocorrelation).
ALIKE = 0.3
#: Swings smaller than this part of the mean are noise.
SMALL = 0.02

#: A fall is one by this part of the peak before it: half of the least cut of a window, CUBIC's 0.3
#: (RFC 9438, section 4.6). The next can come once it has risen again by as much.
FALL = 0.15

equation = Symbols(step=above_zero("s", 0.02, name="the time between samples"))


@equation("the period of a swing", "s")
def period(values: NDArray[np.float64], step: float) -> float | None:
    """Seconds from one swing to the next of samples `step` seconds apart, or `None`.

    It is the first delay at which the samples resemble themselves again: the highest of the
    autocorrelation behind its first fall below zero, where it is above `ALIKE`. What has not swung
    twice has no period.
    """
    x = np.asarray(values, np.float64)
    x = x[np.isfinite(x)]
    if len(x) < 8 or x.std() <= SMALL * abs(x.mean()):
        return None
    x = x - x.mean()
    n = len(x)
    # By way of the spectrum: a minute of samples each 20 ms would take nine million products.
    spectrum = np.fft.rfft(x, 2 * n)
    found = np.fft.irfft(spectrum * spectrum.conj())[:n]
    # Fewer samples overlap at longer delays.
    found = found / (n - np.arange(n)) * n / found[0]
    half = found[: n // 2]
    below = np.flatnonzero(half < 0)
    if len(below) == 0:
        return None
    start = int(below[0])
    peak = start + int(np.argmax(half[start:]))
    if half[peak] < ALIKE:
        return None
    # Of several periods the highest peak may be the second or third: take the first as good.
    good = half[peak]
    rise = np.flatnonzero(
        (half[start + 1 : peak] >= half[start : peak - 1])
        & (half[start + 1 : peak] > half[start + 2 : peak + 1])
        & (half[start + 1 : peak] > 0.8 * good)
    )
    if len(rise) == 0 and peak >= n // 2 - 1:
        return None
    at = start + 1 + int(rise[0]) if len(rise) else peak
    return at * step


@equation("the time between falls", "s")
def between_falls(values: NDArray[np.float64], step: float) -> float | None:
    """Mean seconds from one fall of a window to the next, of samples `step` seconds apart, or
    `None` where there are not two.

    A saw whose teeth alternate has a `period` of two teeth, and one whose teeth are alike of one:
    so that two saws can be compared, each tooth counts. It lasts from peak to peak.
    """
    x = np.asarray(values, np.float64)
    x = x[np.isfinite(x)]
    peaks: list[int] = []
    low = high = 0
    rising = True
    for i, value in enumerate(x.tolist()):
        low = i if value < x[low] else low
        # A flat top begins with its peak.
        high = i if value > x[high] else high
        if rising and value < (1 - FALL) * x[high]:
            # Of samples that begin with a fall the peak was before them.
            peaks += [high] if high > 0 else []
            rising, low = False, i
        elif not rising and value > (1 + FALL) * x[low]:
            rising, high = True, i
    return step * (peaks[-1] - peaks[0]) / (len(peaks) - 1) if len(peaks) > 1 else None
