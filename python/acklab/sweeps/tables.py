"""The tables of a shard: those of its runs, with their keys in front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acklab.errors import AcklabError
from acklab.sweeps.packing import TABLES, stacked, unpack

if TYPE_CHECKING:
    import polars as pl

    from acklab.sweeps.plan import Plan


def merge(plan: Plan, runs: Sequence[int], packed: Sequence[bytes]) -> dict[str, pl.DataFrame]:
    """Each table of `runs`, with the number, the keys and the seed of its run in front."""
    import polars as pl

    tables = [unpack(p) for p in packed]
    heads = _heads(plan, runs)
    merged = {}
    for name in TABLES:
        there = [i for i, t in enumerate(tables) if name in t]
        if not there:
            continue
        body, lengths = stacked([tables[i][name] for i in there])
        _check_columns(heads.columns, name, body.columns)
        rows = [i for i, n in zip(there, lengths, strict=True) for _ in range(n)]
        merged[name] = pl.concat([heads[rows], body], how="horizontal").rechunk()
    return merged


def _check_columns(keys: Sequence[str], table: str, columns: Sequence[str]) -> None:
    """Refuses keys whose columns `table` has already."""
    for name in keys:
        if name in columns:
            raise AcklabError(
                f"the grid's column {name!r} would stand twice in the table {table}\n"
                f"  help: choose another name, as in --grid my_{name}:KEY=V1,V2"
            )


def _heads(plan: Plan, runs: Sequence[int]) -> pl.DataFrame:
    import polars as pl

    cells = [plan.cell(r) for r in runs]
    number = pl.DataFrame({"run": runs, "cell": cells}, schema={"run": pl.Int64, "cell": pl.Int64})
    seed = pl.DataFrame({"seed": [plan.seed(r) for r in runs]}, schema={"seed": pl.UInt64})
    return pl.concat([number, plan.grid.columns(cells), seed], how="horizontal")
