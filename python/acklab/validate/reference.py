"""A row of reference results, and the scenarios that rebuild it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acklab.validate.criteria import Tolerance
from acklab.validate.measures import Measure


@dataclass(frozen=True)
class Reference:
    """One cell of a reference: its repeats, and how to run it here."""

    source: str
    #: Keys of the cell, in the reference's own words.
    keys: Mapping[str, str]
    #: Metric to the values of its repeats.
    values: Mapping[str, Sequence[float]]
    #: Metric to what is the same in a run of ours.
    measures: Mapping[str, Measure]
    criteria: Mapping[str, Tolerance]
    #: One, or one for each repeat where the repeats differ in a way that is known.
    scenarios: Sequence[Mapping[str, Any]]
    #: One for each repeat, with the lateness of its emulator as far as it was measured.
    late_scenarios: Sequence[Mapping[str, Any]] = ()
    #: Runs of the reference that were left out as disturbed.
    disturbed: int = 0
    #: Seeds or starts decide on both sides: samples count where the medians are too far apart.
    draws: bool = False
    #: Seeds of ours unless a number is asked for.
    seeds: int = 5

    @property
    def name(self) -> str:
        """The keys in one line."""
        return " ".join(self.keys.values())
