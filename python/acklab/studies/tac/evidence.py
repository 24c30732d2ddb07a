"""The study's runs as a claim asks for them: one TCP at a time, seed by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from acklab.stats import Estimate
from acklab.studies import runs
from acklab.studies.runs import Sample
from acklab.studies.tac.stacks import DEFAULT

if TYPE_CHECKING:
    import polars as pl

#: The tables that have all seeds, and the figure of which their runs are.
SOURCES = {
    "fig2-runs": "fig2",
    "modern-fig2-runs": "fig2",
    "fig5-runs": "fig5",
    "modern-runs": "fig5",
    "fig6-runs": "fig6",
    "modern-fig6-runs": "fig6",
    "robust-runs": "robust",
}
_COLUMNS = ("stack", "scheme", "stations", "kilobytes", "buffer", "quantity", "seed", "value")
#: Figure, TCP, scheme (of `robust` the case), stations, KB, packets, quantity.
Key = tuple[str, str, str, int, int, int, str]


@dataclass(frozen=True)
class Evidence:
    """Every number of every run."""

    values: Mapping[Key, Sample] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Mapping[str, pl.DataFrame]) -> Evidence:
        """From the study's artefacts."""
        found: dict[Key, dict[int, float]] = {}
        for name, figure in SOURCES.items():
            for *key, seed, value in tables[name].select(_COLUMNS).iter_rows():
                at: Any = (figure, *key)
                found.setdefault(at, {})[seed] = value
        return cls(found)

    def view(self, stack: str) -> View:
        """The same with one TCP."""
        return View(self, stack)


@dataclass(frozen=True)
class View:
    """What was measured with one TCP."""

    of: Evidence
    stack: str = DEFAULT

    def lmax(self, quantity: str, kilobytes: int, buffer: int = 200) -> Sample:
        """Of Figure 2: AGG, 20 stations."""
        return self._at("fig2", "agg", 20, kilobytes, buffer, quantity)

    def n(self, quantity: str, scheme: str, stations: int) -> Sample:
        """Of Figure 5: 16 KB."""
        return self._at("fig5", scheme, stations, 16, 200, quantity)

    def ber(self, quantity: str, scheme: str, kilobytes: int) -> Sample:
        """Of Figure 6: 20 stations, bit errors."""
        return self._at("fig6", scheme, 20, kilobytes, 200, quantity)

    def robust(self, quantity: str, case: str, stations: int = 20, kilobytes: int = 16) -> Sample:
        """Of a case of `robust`."""
        return self._at("robust", case, stations, kilobytes, 200, quantity)

    def counts(self, case: str) -> list[int]:
        """With how many stations a case of `robust` was run."""
        return self._values(case, 3)

    def lengths(self, case: str) -> list[int]:
        """With which Lmax, KB."""
        return self._values(case, 4)

    def _values(self, case: str, of: int) -> list[int]:
        at = ("robust", self.stack, case)
        return sorted({int(k[of]) for k in self.of.values if k[:3] == at})

    def _at(self, figure: str, *key: Any) -> Sample:
        scheme, stations, kilobytes, buffer, quantity = key
        at = (figure, self.stack, scheme, stations, kilobytes, buffer, quantity)
        return self.of.values.get(at, {})

    @property
    def stations(self) -> list[int]:
        """Values of N, ascending."""
        return sorted({k[3] for k in self.of.values if k[0] == "fig5" and k[1] == self.stack})

    @property
    def sizes(self) -> list[int]:
        """Values of Lmax, ascending."""
        return sorted({k[4] for k in self.of.values if k[0] == "fig2" and k[1] == self.stack})

    @property
    def many(self) -> list[int]:
        """Values of N from 5 on, as the paper has them where it calls a line constant."""
        return [n for n in self.stations if n >= 5] or self.stations[-1:]


def gain(a: Sample, b: Sample) -> Estimate:
    """By what share is `a` more than `b`, seed by seed."""
    return runs.beyond(a, b)


def mean(sample: Sample) -> float:
    """Over seeds."""
    return runs.mean(sample)


def row(samples: Sequence[Sample], digits: int = 2, scale: float = 1.0) -> str:
    """Means with half of their intervals."""
    return " / ".join(
        runs.said(runs.known({s: scale * v for s, v in of.items()}), digits) for of in samples
    )
