"""The values of a swept key along an axis: numbers with one unit, or words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, pstdev
from typing import Any

#: A number, perhaps with a unit behind it.
_NUMBER = re.compile(
    r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z%][A-Za-z0-9/%]*)?\s*"
)
#: Units that are multiples of each other, as `1 us` and `1 ms` are.
_MULTIPLES = (
    {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9},
    {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9},
)
#: The largest value is so many times the least on a logarithmic axis.
_WIDE = 8.0
#: Letters of words that stand level beside each other below an axis.
_LEVEL = 28
#: A key and its value within braces.
_PAIR = re.compile(r'"?([\w-]+)"?\s*=\s*("[^"]*"|[^,{}]+)')
#: Values of an axis that all have a number beside them.
MOST_TICKS = 9
#: Points of a line that have bars.
MOST_BARS = 16


@dataclass(frozen=True)
class Scale:
    """Where each value of a key stands on an axis."""

    name: str
    values: tuple[Any, ...]
    #: As numbers, in the order of `values`; `None` if they are words.
    numbers: tuple[float, ...] | None
    unit: str

    @classmethod
    def of(cls, name: str, values: Sequence[Any]) -> Scale:
        """The scale of these values, each there once."""
        read = _read([str(v) for v in values])
        if read is None or any(isinstance(v, bool) for v in values):
            return cls(name, tuple(values), None, "")
        return cls(name, tuple(values), tuple(read[0]), read[1])

    @property
    def label(self) -> str:
        """The label of the axis."""
        return f"{self.name}, {self.unit}" if self.unit else self.name

    def at(self, value: Any) -> float:
        """Where `value` stands: at its number, or at its place among words."""
        place = self.values.index(value)
        return float(place) if self.numbers is None else self.numbers[place]

    @property
    def even(self) -> list[Any]:
        """The values in the order of their numbers, else as they came."""
        return list(self.values) if self.numbers is None else sorted(self.values, key=self.at)

    @property
    def logarithmic(self) -> bool:
        """Whether steps are factors rather than differences, over a wide range."""
        if self.numbers is None or len(self.numbers) < 3 or min(self.numbers) <= 0:
            return False
        ordered = sorted(self.numbers)
        steps = [b - a for a, b in pairwise(ordered)]
        factors = [math.log(b / a) for a, b in pairwise(ordered)]
        return ordered[-1] >= _WIDE * ordered[0] and _uneven(factors) < _uneven(steps)

    @property
    def dense(self) -> bool:
        """Whether values stand so close to each other that lines have bands rather than bars."""
        return self.numbers is not None and len(self.numbers) > MOST_BARS

    def apply(self, ax: Any, logarithmic: bool) -> None:
        """Ticks and label of the axis across."""
        from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

        ax.set_xlabel(self.label)
        if self.numbers is None:
            words = [spoken(v) for v in self.values]
            ax.set_xticks(range(len(words)), words)
            if sum(map(len, words)) > _LEVEL:
                ax.tick_params(axis="x", labelrotation=40)
                for text in ax.get_xticklabels():
                    text.set(ha="right", rotation_mode="anchor")
            ax.set_xlim(-0.5, len(self.values) - 0.5)
            return
        if logarithmic:
            ax.set_xscale("log")
            ax.xaxis.set_minor_locator(NullLocator())
            ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        if len(self.numbers) <= MOST_TICKS and (logarithmic or self._spread):
            ax.set_xticks(sorted(self.numbers), [f"{v:g}" for v in sorted(self.numbers)])
        elif not logarithmic and all(float(v).is_integer() for v in self.numbers):
            # Between 2 and 3 there is no ratio of 2.5.
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))

    @property
    def _spread(self) -> bool:
        """Whether the numbers are far enough from each other for all to be named."""
        ordered = sorted(self.numbers or ())
        least = min((b - a for a, b in pairwise(ordered)), default=1.0)
        return least > 0.08 * (ordered[-1] - ordered[0])


def spoken(value: Any) -> str:
    """A value as a legend says it: `{ "name" = "cubic", "beta" = 0.5 }` is "cubic beta=0.5"."""
    text = str(value)
    if not text.startswith("{") or not (pairs := _PAIR.findall(text)):
        return text
    words = [(key, given.strip().strip('"')) for key, given in pairs]
    names = [given for key, given in words if key in ("name", "kind")]
    return " ".join([*names, *(f"{k}={v}" for k, v in words if k not in ("name", "kind"))])


def _read(texts: Sequence[str]) -> tuple[list[float], str] | None:
    """The numbers with the unit that they have in common, if they have."""
    found = [_NUMBER.fullmatch(t) for t in texts]
    if not texts or any(m is None for m in found):
        return None
    parts = [(float(m[1]), m[2] or "") for m in found if m is not None]
    units = list(dict.fromkeys(u for _, u in parts))
    if len(units) == 1:
        return [v for v, _ in parts], units[0]
    for multiples in _MULTIPLES:
        if all(u in multiples for u in units):
            base = multiples[units[0]]
            return [v * multiples[u] / base for v, u in parts], units[0]
    return None


def _uneven(values: Sequence[float]) -> float:
    return pstdev(values) / mean(values)
