"""Backoff slot by slot, many cells at once: what closed forms of contention approximate.

The rules and nothing else: saturated stations draw backoffs, count their slot boundaries, and
collide when they transmit at the same instant. No formula is involved, so none of the independence
that closed forms assume is either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Class:
    """Stations that contend alike. Times in nanoseconds."""

    stations: int
    #: From the end of a busy period to the first slot boundary.
    space: int
    #: Windows by number of failures in a row (a backoff is below it); the last one stays, unless
    #: `anew`.
    windows: Sequence[int]


@dataclass(frozen=True)
class Rules:
    """The settings of all stations. Times in nanoseconds."""

    slot: int
    #: Channel time of what succeeds and of what collides, without the space behind it.
    success: int
    collision: int
    #: Beyond their space, what stations wait after a collision of others (EIFS - DIFS).
    extra: int
    #: From a collision to the first boundary of those who collided; `None` = as all others.
    own_first: int | None = None
    #: Only a slot that was idle to its end counts (DCF), or also one in which somebody begins
    #: (EDCA).
    whole_slots: bool = False
    #: A failure with the last window is followed by the first one.
    anew: bool = False


@dataclass(frozen=True)
class Count:
    """Per class: successes in a second, and the part of the transmissions that collided."""

    rates: Sequence[float]
    collided: Sequence[float]


def simulate(
    classes: Sequence[Class], rules: Rules, transmissions: int, seed: int = 1, cells: int = 200
) -> Count:
    """As many transmissions, over all cells, after each cell has had a tenth as many to settle."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(len(classes)), [c.stations for c in classes])
    space = np.array([c.space for c in classes], np.int64)[of]
    most = max(len(c.windows) for c in classes)
    windows = np.array([[*c.windows, *[c.windows[-1]] * (most - len(c.windows))] for c in classes])
    shape = (cells, len(of))
    stage = np.zeros(shape, np.int64)
    left = (rng.random(shape) * windows[of, 0]).astype(np.int64)
    first = np.broadcast_to(space, shape).copy()
    won, lost = np.zeros(len(classes)), np.zeros(len(classes))
    elapsed = 0.0
    rounds = -(-transmissions // cells)
    for number in range(-(rounds // 10), rounds):
        due = first + left * rules.slot
        at = due.min(axis=1, keepdims=True)
        sends = due == at
        passed = np.maximum((at - first) // rules.slot + 1, 0)
        left -= np.maximum(passed - rules.whole_slots, 0)
        good = sends.sum(axis=1, keepdims=True) == 1
        later = (stage + 1) % most if rules.anew else np.minimum(stage + 1, most - 1)
        stage = np.where(sends, np.where(good, 0, later), stage)
        drawn = (rng.random(shape) * windows[of, stage]).astype(np.int64)
        left = np.where(sends, drawn, left)
        own = space + rules.extra if rules.own_first is None else np.int64(rules.own_first)
        first = np.where(good, space, np.where(sends, own, space + rules.extra))
        if number >= 0:
            winners, losers = (sends & good).sum(axis=0), (sends & ~good).sum(axis=0)
            np.add.at(won, of, winners)
            np.add.at(lost, of, losers)
            elapsed += float((at + np.where(good, rules.success, rules.collision)).sum())
    return Count((won / elapsed * 1e9).tolist(), (lost / (won + lost)).tolist())
