"""Fewer points that look the same: M4.

U. Jugel et al., *M4: A Visualization-Oriented Time Series Data Aggregation*, VLDB 2014: of each
interval of x, as wide as a column of pixels, the first, last, lowest and highest point. A line
through them covers the same pixels as one through all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Points of one line that no screen shows any better: four for each of 1500 columns of pixels.
MOST_PER_LINE = 6000
#: Points of a page, about 15 bytes each: far from 10 MB even with figures beside them.
BUDGET = 200_000


def m4(x: Floats, y: Floats, most: int) -> tuple[Floats, Floats]:
    """At most about `most` of the points, in order; all of them if they are not more."""
    import numpy as np

    if len(x) <= most:
        return x, y
    span = float(x.max() - x.min()) or 1.0
    bins = max(most // 4, 1)
    index = np.minimum(((x - x.min()) / span * bins).astype(np.int64), bins - 1)
    # Of equal keys lexsort keeps the order, so the first lowest and the last highest are taken.
    by_value = np.lexsort((np.where(np.isnan(y), np.inf, y), index))
    by_time = np.argsort(index, kind="stable")
    highest = np.lexsort((np.where(np.isnan(y), -np.inf, y), index))
    ends = np.flatnonzero(np.diff(index[by_time], append=-1))
    starts = np.concatenate(([0], ends[:-1] + 1))
    kept = np.unique(
        np.concatenate((by_time[starts], by_time[ends], by_value[starts], highest[ends]))
    )
    return x[kept], y[kept]


def allowance(lengths: Sequence[int], budget: int = BUDGET) -> int:
    """How many points each line may have so that all lines together keep to `budget`."""
    low, high = 4, MOST_PER_LINE
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(n, middle) for n in lengths) <= budget:
            low = middle
        else:
            high = middle - 1
    return low
