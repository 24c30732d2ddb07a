"""The numbers of a study: quantities over the axes of their cells, by witness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.studies.kit.fields import Field, Key

if TYPE_CHECKING:
    import polars as pl

#: Columns of a long table that are no axis.
PLAIN = ("quantity", "seed", "value")


@dataclass(frozen=True)
class Numbers:
    """What one witness measured: a field for each group of cells and quantity.

    `exact` says that single numbers stand for themselves: a paper's table, or one run of another
    simulator. Otherwise one seed decides nothing.
    """

    fields: Mapping[tuple[str, str], Field] = field(default_factory=dict)
    exact: bool = False

    def of(self, group: str, quantity: str) -> Field | None:
        """The field of a quantity; `None` where there is none."""
        return self.fields.get((group, quantity))


def numbers(tables: Mapping[str, pl.DataFrame], exact: bool = False) -> Numbers:
    """From long tables by group: columns `quantity`, the axes, `seed`, `value`.

    Rows without a value are left out. A group may have quantities over fewer axes than others (a
    series over time beside a mean): a null key means that the quantity does not have that axis.
    """
    found: dict[tuple[str, str], Field] = {}
    for group, table in tables.items():
        every = [c for c in table.columns if c not in PLAIN]
        for (quantity,), part in table.drop_nulls("value").group_by(
            "quantity", maintain_order=True
        ):
            axes = tuple(a for a in every if part[a].null_count() < part.height)
            found[group, str(quantity)] = Field(axes, _cells(part, axes))
    return Numbers(found, exact)


def _cells(part: pl.DataFrame, axes: tuple[str, ...]) -> dict[tuple[Key, ...], dict[int, float]]:
    cells: dict[tuple[Key, ...], dict[int, float]] = {}
    for *key, seed, value in part.select(*axes, "seed", "value").iter_rows():
        cells.setdefault(tuple(key), {})[seed] = float(value)
    return cells


def witnessed(path: Path) -> dict[str, pl.DataFrame]:
    """Long tables by group from a CSV file: columns `group`, `quantity`, axes, `value`.

    A column `seed` counts repetitions from 1; without it each row is the only one.
    """
    import polars as pl

    table = pl.read_csv(path, comment_prefix="#", infer_schema_length=None)
    if "seed" not in table.columns:
        table = table.with_columns(seed=pl.lit(1, pl.Int64))
    # Axes of other groups are empty.
    return {
        str(group): part.select(
            c for c in part.columns if c != "group" and (part[c].count() or c == "value")
        )
        for (group,), part in table.group_by("group", maintain_order=True)
    }
