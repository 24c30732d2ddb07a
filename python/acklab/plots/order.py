"""Which flow comes first, and looks the same in every panel of every figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from acklab.plots.recorded import Recorded

#: The place of each flow; what is not in it stands behind.
Places = Mapping[str, int]


def places(source: Recorded) -> dict[str, int]:
    """Each flow's place in the scenario, whichever flows a figure shows; none for a sweep."""
    flows = source.table("flows")
    return {} if flows is None else {str(name): i for i, name in enumerate(flows["flow"])}


def in_order(frame: pl.DataFrame, at: Places, *then: str) -> pl.DataFrame:
    """The rows by their flows' places, then by the columns `then`; stable."""
    import polars as pl

    if not at:
        return frame.sort(*then, maintain_order=True) if then else frame
    first = pl.col("flow").replace_strict(dict(at), default=len(at), return_dtype=pl.Int64)
    return frame.sort(first, *then, maintain_order=True)
