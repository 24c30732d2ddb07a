"""Cells in which the seed changes nothing: their intervals are zero, and mean nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acklab.sweeps.results import SweepResult

#: Columns of flows that differ as soon as a single packet went another way.
_TELLING = ("start_s", "received_bytes", "data_segments", "acks_received", "cwnd_mean_time_packets")


def note(result: SweepResult) -> str | None:
    """A note on the cells all of whose seeds agree; `None` if there are none."""
    import polars as pl

    seeds = result.manifest.seeds
    count = seeds if isinstance(seeds, int) else len(seeds)
    if count < 2:
        return None
    same = pl.struct(_TELLING).n_unique() == 1
    found = (
        result.scan("flows")
        .group_by("cell", "flow")
        .agg(same.alias("same"))
        .group_by("cell")
        .agg(pl.col("same").all())
        .select(pl.col("same").sum().alias("agree"), pl.len().alias("cells"))
        .collect()
    )
    agree, cells = found.row(0)
    if not agree:
        return None
    where = "of a cell" if agree == cells else f"of {agree:,} of {cells:,} cells"
    return (
        f"all {count:,} seeds {where} agree: nothing in this scenario is drawn there, intervals "
        'over seeds are zero\n  help: give flows a `start_jitter`, such as "10 ms"'
    )
