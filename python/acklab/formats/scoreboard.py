"""Which transmission carries which bytes, as an observer beside the sender can tell."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable


class Scoreboard:
    """Outstanding ranges of a byte stream, each with the number of its latest transmission.

    Ranges are half open and never overlap. A transmission counts as acknowledged when the last
    of the bytes for which it is the latest transmission is. A SYN stands before byte 0.
    """

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._numbers: list[int] = []
        self._pieces: Counter[int] = Counter()
        self._lowest = -1

    def send(self, start: int, end: int, number: int) -> list[int]:
        """Transmission `number` has bytes `start` to `end`; returns those that it repeats whole."""
        repeated = self._cut(start, end)
        self._insert(bisect_left(self._starts, start), start, end, number)
        return [n for n in repeated if not self._pieces[n]]

    def acknowledge(self, upto: int, blocks: Iterable[tuple[int, int]]) -> list[int]:
        """An ACK with its SACK blocks; returns transmissions newly acknowledged, in order."""
        numbers: list[int] = []
        if upto > self._lowest:
            numbers += self._remove(self._lowest, upto)
            self._lowest = upto
        for start, end in blocks:
            # A block below the acknowledgement is a DSACK (RFC 2883).
            if end > upto:
                numbers += self._remove(start, end)
        return sorted(n for n in set(numbers) if not self._pieces[n])

    def _remove(self, start: int, end: int) -> list[int]:
        return self._cut(start, end) if end > start else []

    def _cut(self, start: int, end: int) -> list[int]:
        """Takes `start` to `end` out; returns whose they were."""
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end)
        if first >= last:
            return []
        cut = slice(first, last)
        numbers = self._numbers[cut]
        head = (self._starts[first], start, numbers[0])
        tail = (end, self._ends[last - 1], numbers[-1])
        for column in (self._starts, self._ends, self._numbers):
            del column[cut]
        self._pieces.subtract(numbers)
        for from_, to, number in (tail, head):
            if from_ < to:
                self._insert(first, from_, to, number)
        return list(dict.fromkeys(numbers))

    def _insert(self, at: int, start: int, end: int, number: int) -> None:
        self._starts.insert(at, start)
        self._ends.insert(at, end)
        self._numbers.insert(at, number)
        self._pieces[number] += 1


def as_ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Sorted numbers as first and last of each run without a gap."""
    ranges: list[tuple[int, int]] = []
    for n in numbers:
        if ranges and ranges[-1][1] == n - 1:
            ranges[-1] = (ranges[-1][0], n)
        else:
            ranges.append((n, n))
    return ranges
