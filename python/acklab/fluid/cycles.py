"""Limit cycles: how long a swing takes, in a model or in a recording."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: A swing that comes back less alike than this is none (of the autocorrelation).
ALIKE = 0.3
#: Swings smaller than this part of the mean are noise.
SMALL = 0.02


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
