"""The runs of a study: cells, and how much of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Effort:
    """How much a study runs."""

    seeds: int
    #: Short runs.
    quick: bool = False
    #: Also the groups outside the study's essence.
    full: bool = True


@dataclass(frozen=True)
class Cell:
    """One point of a study: its keys, and the scenario as a mapping."""

    keys: Mapping[str, str | int]
    scenario: Mapping[str, Any]
    #: Seeds at most; `None` for as many as the effort has.
    seeds: int | None = None
