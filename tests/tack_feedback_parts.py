"""What a TACK receiver keeps: ranges, round trip, rate, window, marks and gaps.

Written from the documentation of the protocol alone. Times are whole nanoseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Frame = dict[str, Any]

WINDOW_REPEATS = 4
STAMP_RANGE = 1 << 32
ROUNDS_WITHOUT_GROWTH = 3


class Ranges:
    """Offsets that have arrived, as disjoint half-open ranges in ascending order."""

    def __init__(self) -> None:
        self.items: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> int:
        """Add a range and return how many of its offsets are new."""
        if start >= end:
            return 0
        before = self.total()
        low, high = start, end
        kept = []
        for a, b in self.items:
            if b < start or a > end:
                kept.append((a, b))
            else:
                low, high = min(low, a), max(high, b)
        kept.append((low, high))
        self.items = sorted(kept)
        return self.total() - before

    def total(self) -> int:
        """Count the offsets."""
        return sum(b - a for a, b in self.items)

    def next(self) -> int:
        """Return the lowest offset that is missing."""
        return self.items[0][1] if self.items and self.items[0][0] == 0 else 0


@dataclass
class Gap:
    """Numbers `low` to `high` (inclusive) that are missing, a loss at `due`."""

    low: int
    high: int
    due: int


@dataclass
class Handshake:
    """The receiver's knowledge of RTT_min."""

    accepts: list[int]
    rtt_min: int = 0
    confirmed: bool = False
    measured: bool = False
    sync_number: int = -1

    def hear(self, time: int, frames: list[Frame]) -> None:
        """Take what a packet tells of the round trip."""
        for frame in frames:
            kind = frame["frame_type"]
            if kind == "hello":
                continue
            if kind == "iack" and frame.get("reason") == "confirm":
                micros = time // 1000 - frame["echo_us"] - frame["hold_us"]
                self._measure(micros % STAMP_RANGE * 1000)
            elif not self.confirmed:
                left = [accept for accept in self.accepts if accept <= time]
                if len(left) == 1:
                    self._measure(time - left[0])
            self.confirmed = True
            if kind == "sync" and frame["number"] > self.sync_number:
                self.sync_number = frame["number"]
                self.rtt_min = frame["rtt_min_us"] * 1000

    def _measure(self, rtt: int) -> None:
        if not self.measured:
            self.measured = True
            if self.sync_number < 0:
                self.rtt_min = rtt


@dataclass
class Rate:
    """Samples of the delivery rate, and whether their maximum still grows."""

    begin: int | None = None
    latest: int = 0
    fresh: int = 0
    maximum: Fraction | None = None
    grown_at: Fraction | None = None
    judged: int | None = None
    flat: int = 0

    def data(self, time: int, fresh: int) -> None:
        """Count a data packet; the first one only begins the first interval."""
        self.latest = time
        if self.begin is None:
            self.begin = time
        else:
            self.fresh += fresh

    def tack(self, interval: int) -> None:
        """End the interval with a sample if it is long enough."""
        if self.begin is None:
            return
        span = self.latest - self.begin
        if span >= interval and span > 0 and self.fresh:
            sample = Fraction(self.fresh, span)
            if self.maximum is None or sample > self.maximum:
                self.maximum = sample
            self.begin, self.fresh = self.latest, 0

    def stalled(self, time: int, rtt_min: int) -> bool:
        """Judge at a TACK; true if the rate has not grown for three round trips."""
        if rtt_min == 0 or (self.judged is not None and time < self.judged + rtt_min):
            return False
        self.judged = time
        grown_at, maximum = self.grown_at, self.maximum
        if grown_at is None or (maximum is not None and maximum * 4 > grown_at * 5):
            self.grown_at, self.flat = maximum, 0
        else:
            self.flat += 1
        return self.flat >= ROUNDS_WITHOUT_GROWTH


@dataclass
class Window:
    """The receive window: what the sender may send, and when that is told."""

    buffer: int
    mss: int
    percent: int
    edge: int = field(init=False)
    top: int = 0
    pending: bool = False
    repeat_at: int | None = None
    repeat_wait: int = 0
    repeats: int = 0

    def __post_init__(self) -> None:
        self.edge = self.buffer

    def arrived(self, free_edge: int, fresh: bool, in_order: bool) -> None:
        """Apply rules 1 and 2 to a packet that found room."""
        self.repeat_at = None
        if not self.percent:
            return
        if fresh and self.top >= self.edge:
            self.pending = True
        if in_order:
            half = self.buffer // 2
            share = min(max(self.buffer * self.percent // 100, 2 * self.mss), half)
            opened, left = free_edge - self.edge, self.edge - self.top
            wide = opened >= share and left <= share
            shut = opened >= min(2 * self.mss, half) and left < self.mss
            self.pending = self.pending or wide or shut

    def told(self, time: int, free_edge: int, wait: int) -> None:
        """Move the edge as feedback leaves, and begin the repeats of rule 4."""
        if self.pending and self.edge - self.top < self.mss and free_edge > self.edge:
            self.repeat_at, self.repeat_wait, self.repeats = time + wait, wait, 0
        self.edge = free_edge
        self.pending = False

    def repeat(self) -> None:
        """Tell the window again, at most four times."""
        assert self.repeat_at is not None
        self.pending = True
        self.repeats += 1
        self.repeat_wait *= 2
        more = self.repeats < WINDOW_REPEATS
        self.repeat_at = self.repeat_at + self.repeat_wait if more else None


@dataclass
class Marks:
    """Counts of ECN marks."""

    counts: dict[str, int] = field(default_factory=lambda: {"ECT(0)": 0, "ECT(1)": 0, "CE": 0})
    row: bool = False
    pending: bool = False

    def count(self, ecn: str) -> None:
        """Count a packet with a new number."""
        if ecn in self.counts:
            self.counts[ecn] += 1
        marked = ecn == "CE"
        if marked and not self.row:
            self.pending = True
        self.row = marked


class Gaps:
    """Missing numbers, and which of them are losses."""

    def __init__(self, settle: str) -> None:
        self.settle = settle
        self.expected: int | None = None
        self.first = 0
        self.reordered = False
        self.waiting: list[Gap] = []
        self.late: set[int] = set()

    def hello(self, first: int) -> None:
        """Expect the number of the HELLO first."""
        if self.expected is None:
            self.expected = self.first = first

    def is_new(self, number: int) -> bool:
        """Tell whether this number has not arrived."""
        assert self.expected is not None
        return number >= self.expected or number in self.late

    def arrived(self, time: int, number: int, rtt_min: int) -> None:
        """Take a new number: it leaves a gap, or fills a part of one."""
        assert self.expected is not None
        if number < self.expected:
            self.late.discard(number)
            self._fill(number)
            self.reordered = True
            return
        if number > self.expected:
            waits = self.settle == "always" or (self.settle == "once-reordered" and self.reordered)
            due = time + (rtt_min // 4 if waits else 0)
            self.waiting.append(Gap(self.expected, number - 1, due))
            self.late.update(range(self.expected, number))
        self.expected = number + 1

    def _fill(self, number: int) -> None:
        for gap in self.waiting:
            if gap.low <= number <= gap.high:
                parts = [Gap(gap.low, number - 1, gap.due), Gap(number + 1, gap.high, gap.due)]
                self.waiting.remove(gap)
                self.waiting += [part for part in parts if part.low <= part.high]
                return

    def take_due(self, time: int) -> list[Gap]:
        """Return the gaps that become losses now, in order."""
        due = [gap for gap in self.waiting if gap.due <= time]
        self.waiting = [gap for gap in self.waiting if gap.due > time]
        return sorted(due, key=lambda gap: (gap.due, gap.low))
