"""Runs of one cell that end up in two different states, of which a mean would be neither.

The rule: of the values in order, the widest gap between neighbours parts them in two. They are two
states if each part has at least two runs, the gap is at least three times as wide as the wider of
the two parts, and it is at least a fifth of the mean of all. Fewer than four runs have one state.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean

from acklab.studies.kit.fields import Value

#: Runs in each state at least.
LEAST = 2
#: The gap as a multiple of the wider state, and as a share of the mean, at least.
TIMES, SHARE = 3.0, 0.2


def states(value: Value) -> list[tuple[int, float]]:
    """The two states of a cell, larger count first: how many runs, and their mean; else nothing."""
    if len(value) < 2 * LEAST:
        return []
    ordered = sorted(value.values())
    gaps = [b - a for a, b in pairwise(ordered)]
    gap = max(gaps)
    cut = gaps.index(gap) + 1
    parts = ordered[:cut], ordered[cut:]
    width = max(p[-1] - p[0] for p in parts)
    apart = gap >= TIMES * width and gap >= SHARE * abs(fmean(ordered)) and gap > 0
    if not apart or min(map(len, parts)) < LEAST:
        return []
    return sorted(((len(p), fmean(p)) for p in parts), key=lambda s: (-s[0], s[1]))
