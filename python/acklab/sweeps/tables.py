"""The tables of runs as bytes: one run for the journal, many for a shard."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from acklab.errors import AcklabError

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result
    from acklab.sweeps.plan import Plan

#: Kept whether or not anything was recorded.
ALWAYS = ("flows", "links")
#: Kept of the runs that recorded them.
RECORDED = ("series", "link_series")
TABLES = (*ALWAYS, *RECORDED)


def pack(result: Result) -> tuple[int, bytes]:
    """The rows of all tables of a run, counted and as bytes that `unpack` reads."""
    frames = {name: getattr(result, name) for name in TABLES}
    kept = {n: f for n, f in frames.items() if n in ALWAYS or len(f)}
    blobs = [_arrow(f) for f in kept.values()]
    head = json.dumps([[n, len(b)] for n, b in zip(kept, blobs, strict=True)]).encode()
    rows = sum(len(f) for f in kept.values())
    return rows, b"".join([len(head).to_bytes(4, "little"), head, *blobs])


def unpack(packed: bytes) -> dict[str, pl.DataFrame]:
    """The tables of a run."""
    import polars as pl

    at = 4 + int.from_bytes(packed[:4], "little")
    frames = {}
    for name, size in json.loads(packed[4:at]):
        frames[name] = pl.read_ipc_stream(io.BytesIO(packed[at : at + size]))
        at += size
    return frames


def merge(plan: Plan, runs: Sequence[int], packed: Sequence[bytes]) -> dict[str, pl.DataFrame]:
    """Each table of `runs`, with the number, the keys and the seed of its run in front."""
    import polars as pl

    tables = [unpack(p) for p in packed]
    heads = _heads(plan, runs)
    merged = {}
    for name in TABLES:
        parts = [(i, t[name]) for i, t in enumerate(tables) if name in t]
        if not parts:
            continue
        body = pl.concat([f for _, f in parts], how="vertical_relaxed", rechunk=True)
        check_columns(heads.columns, name, body.columns)
        index = pl.Series([i for i, _ in parts], dtype=pl.UInt32)
        lengths = pl.Series([len(f) for _, f in parts], dtype=pl.UInt32)
        rows = index.repeat_by(lengths).explode(empty_as_null=False)
        merged[name] = pl.concat([heads[rows], body], how="horizontal").rechunk()
    return merged


def check_columns(keys: Sequence[str], table: str, columns: Sequence[str]) -> None:
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


def _arrow(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_ipc_stream(buffer)
    return buffer.getvalue()
