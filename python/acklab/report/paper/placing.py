"""Where names stand in a chart: beside their marks, and over no other name, mark or dot.

Each name tries places around its mark, near ones first, and takes the one that covers least. Then
each tries again while the others stand where they are, until none moves. A name that does not
touch its mark has a thread to it. The same chart gives the same places.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Point = tuple[float, float]

#: A letter is so many units high above the line that it stands on, and reaches so far below.
_ABOVE, _BELOW = 9.0, 3.0
#: Half of a mark, and from its middle to a name beside it.
_MARK, _BESIDE = 4.5, 7.0
#: Between the end of a thread and its name.
_GAP = 2.0
#: Distances of the further places, and how many there are at each.
_RINGS, _WAYS = (14.0, 24.0, 36.0, 50.0, 66.0, 84.0, 104.0, 126.0), 16
#: What it costs to cover something, and a unit of the thread: a name far away is better than one
#: that cannot be read, and worse than one that covers a dot.
_NAME, _OTHER_MARK, _DOT, _EDGE, _UNIT = 1000.0, 400.0, 25.0, 5.0, 0.4
#: Of a thread that meets a name, another thread, another mark.
_THROUGH, _CROSSED, _PAST = 500.0, 60.0, 60.0
#: So often names move again.
_ROUNDS = 6


@dataclass(frozen=True)
class Box:
    """A rectangle; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether both have a part in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def has(self, point: Point, room: float = 0.0) -> bool:
        """Whether a point lies in it, or nearer than `room` to its sides."""
        across = self.left - room < point[0] < self.right + room
        return across and self.top - room < point[1] < self.bottom + room

    def within(self, other: Box) -> bool:
        """Whether it lies in the other one."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom

    def nearest(self, point: Point) -> Point:
        """Its point that is nearest to another."""
        x = min(max(point[0], self.left), self.right)
        return x, min(max(point[1], self.top), self.bottom)


@dataclass(frozen=True)
class Name:
    """A name, and where its place is, with its thread to the mark if it has one."""

    text: str
    mark: Point
    box: Box

    @property
    def at(self) -> Point:
        """Where the text begins, on the line that it stands on."""
        return self.box.left, self.box.bottom - _BELOW

    @property
    def thread(self) -> tuple[Point, Point] | None:
        """From the mark to the name; none where the name touches the mark."""
        (x, y), (to_x, to_y) = self.mark, self.box.nearest(self.mark)
        far = math.dist((x, y), (to_x, to_y))
        if far <= _BESIDE + 2:
            return None
        # It ends before the first letter, or it would look like a stroke of it.
        part = 1 - _GAP / far
        return self.mark, (x + (to_x - x) * part, y + (to_y - y) * part)


@dataclass(frozen=True)
class Chart:
    """What a name should not leave, and should not cover."""

    frame: Box
    dots: Sequence[Point]
    #: The edge of each ellipse, as points.
    edges: Sequence[Sequence[Point]] = ()


def width(text: str) -> float:
    """About the width of a name in a font of 11 units; rather too wide than too narrow."""
    of = {**dict.fromkeys("fijlrtI ,.:;'-()|", 4.2), **dict.fromkeys("mwMW", 10.0)}
    return sum(of.get(letter, 7.7 if letter.isupper() else 6.8) for letter in text)


def placed(names: Sequence[tuple[str, Point]], chart: Chart) -> list[Name]:
    """A place for each name, given with its mark."""
    found: dict[int, Name] = {}
    marks = [mark for _, mark in names]
    every = [
        [(more + _covered(name, marks, chart), name) for more, name in _places(text, mark, chart)]
        for text, mark in names
    ]
    for _ in range(_ROUNDS):
        before = dict(found)
        for i, places in enumerate(every):
            others = [name for j, name in found.items() if j != i]
            costs = [cost + _met(name, others) for cost, name in places]
            found[i] = places[costs.index(min(costs))][1]
        if found == before:
            break
    return [found[i] for i in range(len(names))]


def _places(text: str, mark: Point, chart: Chart) -> list[tuple[float, Name]]:
    """Places within the chart around a mark, near ones first, and what each costs by itself."""
    every = list(_around(text, mark))
    return [place for place in every if place[1].box.within(chart.frame)] or every


def _around(text: str, mark: Point) -> Iterator[tuple[float, Name]]:
    x, y = mark
    wide, high = width(text), _ABOVE + _BELOW

    def name(left: float, middle: float) -> Name:
        top = middle - high / 2
        return Name(text, mark, Box(left, top, left + wide, top + high))

    yield 0.0, name(x + _BESIDE, y)
    yield 1.0, name(x - _BESIDE - wide, y)
    for way in (-1, 1):
        yield 2.0, name(x - wide / 2, y + way * (_BESIDE + high / 2))
        yield 2.0, name(x + 3, y + way * (_BESIDE + high / 2))
        yield 2.0, name(x - 3 - wide, y + way * (_BESIDE + high / 2))
    for ring in _RINGS:
        for n in range(_WAYS):
            across, down = (f(2 * math.pi * n / _WAYS) for f in (math.cos, math.sin))
            # The nearest point of the name is about so far from the mark.
            left = x + ring * across - (wide if across < -0.1 else wide / 2 if across < 0.1 else 0)
            yield 4.0 + _UNIT * ring, name(left, y + (ring + high / 2) * down)


def _covered(name: Name, marks: Sequence[Point], chart: Chart) -> float:
    """What a place costs for the marks and dots that it covers, and for what its thread passes."""
    box = name.box
    cost = _OTHER_MARK * sum(box.has(mark, _MARK) for mark in marks)
    cost += _DOT * len({dot for dot in chart.dots if box.has(dot, 1.0)})
    cost += _EDGE * sum(any(map(box.has, edge)) for edge in chart.edges)
    if name.thread is not None:
        cost += sum(_PAST for mark in marks if mark != name.mark and _near(mark, name.thread))
    return cost


def _met(name: Name, others: Sequence[Name]) -> float:
    """What it costs that a name and its thread meet other names and theirs."""
    cost = 0.0
    for other in others:
        cost += _NAME * name.box.meets(other.box)
        cost += _THROUGH * _through(other.thread, name.box)
        if name.thread is not None:
            cost += _THROUGH * _through(name.thread, other.box)
            cost += _CROSSED * _cross(name.thread, other.thread)
    return cost


Thread = tuple[Point, Point]


def _along(thread: Thread) -> list[Point]:
    """Points of a thread, three units apart at most."""
    (ax, ay), (bx, by) = thread
    n = 1 + int(math.dist(*thread) / 3)
    return [(ax + (bx - ax) * i / n, ay + (by - ay) * i / n) for i in range(n + 1)]


def _through(thread: Thread | None, box: Box) -> bool:
    return thread is not None and any(map(box.has, _along(thread)))


def _near(mark: Point, thread: Thread) -> bool:
    """Whether a thread passes over a mark; one that begins there cannot help it."""
    if math.dist(mark, thread[0]) < 2 * _MARK:
        return False
    return any(math.dist(mark, point) < _MARK for point in _along(thread))


def _cross(a: Thread, b: Thread | None) -> bool:
    if b is None:
        return False

    def side(line: Thread, point: Point) -> float:
        (ax, ay), (bx, by) = line
        return (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax)

    return side(a, b[0]) * side(a, b[1]) < 0 and side(b, a[0]) * side(b, a[1]) < 0
