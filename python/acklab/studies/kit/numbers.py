"""The numbers of a study: quantities over the axes of their cells, by witness."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.studies.kit.fields import Field, Keys

if TYPE_CHECKING:
    import polars as pl

#: The numbers of one witness: a field for each group of cells and quantity.
Numbers = dict[tuple[str, str], Field]
#: Columns of a long table that are no axis.
PLAIN = ("quantity", "seed", "value")
#: Columns that a witness's table has, beside axes and perhaps `seed`.
WITNESSED = ("group", "quantity", "value")


def numbers(tables: Mapping[str, pl.DataFrame], exact: bool = False) -> Numbers:
    """From long tables by group: columns `quantity`, the axes, `seed`, `value`.

    Rows without a value are left out. A group may have quantities over fewer axes than others (a
    series over time beside a mean): a null key means that the quantity does not have that axis.
    With `exact` a single number stands for itself: a paper's, or of one run of another simulator.
    """
    found: Numbers = {}
    for group, table in tables.items():
        every = [c for c in table.columns if c not in PLAIN]
        whole = table.drop_nulls("value")
        for (quantity,), part in whole.group_by("quantity", maintain_order=True):
            axes = tuple(a for a in every if part[a].null_count() < part.height)
            cells: dict[Keys, dict[int | None, float]] = {}
            for *key, seed, value in part.select(*axes, "seed", "value").iter_rows():
                cells.setdefault(tuple(key), {})[seed] = float(value)
            if exact:
                cells = {k: v if len(v) > 1 else {None: min(v.values())} for k, v in cells.items()}
            found[group, str(quantity)] = Field(axes, cells)
    return found


def witnessed(*paths: Path) -> Numbers:
    """Somebody else's numbers from CSV files: columns `group`, `quantity`, axes, `value`.

    A column `seed` counts repetitions from 1; without it each row is the only one.
    """
    import polars as pl

    found: Numbers = {}
    for path in paths:
        table = pl.read_csv(path, comment_prefix="#", infer_schema_length=None)
        if "seed" not in table.columns:
            table = table.with_columns(seed=pl.lit(1, pl.Int64))
        for (group,), part in table.group_by("group", maintain_order=True):
            # Axes of other groups are empty.
            own = [c for c in part.columns if c != "group" and (part[c].count() or c == "value")]
            found |= numbers({str(group): part.select(own)}, exact=True)
    return found
