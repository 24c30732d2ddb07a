"""The traced numbers as a mechanism's text asks for them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acklab.studies.ack_aggregation.traces import TRACED

if TYPE_CHECKING:
    import polars as pl

#: The artefacts that have all seeds of their cells: of the wired part, and over the air.
WIRED = ("why-runs", "why-shares")
AIR = ("wifi-runs", "wifi-size-runs")
#: Artefact, quantity, set-up, controller or pair, ratio, seed, flow.
Place = tuple[str, str, str, str, int, int, int]


@dataclass(frozen=True)
class Why:
    """Every number of the artefacts whose names begin with `why-`."""

    numbers: Mapping[Place, float] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Mapping[str, pl.DataFrame]) -> Why:
        """From the study's artefacts."""
        found: dict[Place, float] = {}
        for name, table in tables.items():
            if name.startswith("why-"):
                found.update(_numbers(name, table))
        return cls(found)

    def at(
        self,
        place: str,
        stack: str,
        key: str,
        ratio: int,
        seed: int = 1,
        flow: int = 0,
    ) -> float:
        """The number at `place`, such as `window/cycle_s`; not-a-number if there is none."""
        artefact, quantity = place.split("/")
        at = (f"why-{artefact}", quantity, stack, key, ratio, seed, flow)
        return self.numbers.get(at, math.nan)

    def say(
        self,
        place: str,
        stack: str,
        key: str,
        ratio: int,
        digits: int = 1,
        seed: int = 1,
        flow: int = 0,
    ) -> str:
        """The same as text."""
        return shown(self.at(place, stack, key, ratio, seed, flow), digits)

    def row(
        self,
        place: str,
        stack: str,
        key: str,
        digits: int = 1,
        ratios: Iterable[int] | None = None,
        flow: int = 0,
    ) -> str:
        """The numbers at the ratios traced, as text."""
        over = TRACED[stack] if ratios is None else ratios
        return " / ".join(self.say(place, stack, key, r, digits, flow=flow) for r in over)

    def seeds(self, place: str, stack: str, key: str, ratio: int) -> list[float]:
        """The numbers of all seeds that were traced."""
        artefact, quantity = place.split("/")
        wanted = (f"why-{artefact}", quantity, stack, key, ratio)
        return [v for at, v in self.numbers.items() if at[:5] == wanted]


def shown(value: float, digits: int = 1) -> str:
    """A number as text; a dash for none."""
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _numbers(name: str, table: pl.DataFrame) -> dict[Place, float]:
    key = "pair" if "pair" in table.columns else "cc"
    flow = "flow" if "flow" in table.columns else None
    rows = table.filter(table["time_s"].is_null()).drop_nulls("value")
    return {
        (
            name,
            r["quantity"],
            r["stack"],
            r[key],
            r["ratio"],
            r["seed"],
            r[flow] if flow else 0,
        ): r["value"]
        for r in rows.iter_rows(named=True)
    }
