"""A run's tables as bytes for the journal, without a frame of its own for each run.

Summaries are packed as the core's columns: a frame takes longer to make than a short run. They
become frames a shard at a time.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from acklab.results import frame_of

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: Kept whether or not anything was recorded.
ALWAYS = ("flows", "links")
#: Kept of the runs that recorded them.
RECORDED = ("series", "link_series")
TABLES = (*ALWAYS, *RECORDED)

#: A table that is not a frame yet: numbers as arrays, words as lists.
Columns = Mapping[str, Any]


def pack(result: Result) -> tuple[int, bytes]:
    """The rows of all tables of a run, counted, and the bytes that `unpack` reads."""
    rows, heads, blobs = 0, [], []
    for name in ALWAYS:
        columns = result.columns(name)
        rows += len(next(iter(columns.values())))
        head, blob = _packed(columns)
        heads.append([name, len(blob), head])
        blobs.append(blob)
    for name in RECORDED:
        if len(next(iter(result.columns(name).values()))):
            frame: pl.DataFrame = getattr(result, name)
            rows += len(frame)
            blobs.append(_arrow(frame))
            heads.append([name, len(blobs[-1]), None])
    head_bytes = json.dumps(heads).encode()
    return rows, b"".join([len(head_bytes).to_bytes(4, "little"), head_bytes, *blobs])


def unpack(packed: bytes) -> dict[str, Columns | pl.DataFrame]:
    """The tables of a run: summaries as columns, what was recorded as frames."""
    import polars as pl

    at = 4 + int.from_bytes(packed[:4], "little")
    tables: dict[str, Columns | pl.DataFrame] = {}
    for name, size, head in json.loads(packed[4:at]):
        blob = packed[at : at + size]
        tables[name] = (
            pl.read_ipc_stream(io.BytesIO(blob)) if head is None else _columns(head, blob)
        )
        at += size
    return tables


def stacked(parts: Sequence[Columns | pl.DataFrame]) -> tuple[pl.DataFrame, list[int]]:
    """The same table of several runs as one frame, and how many rows each has."""
    import numpy as np
    import polars as pl

    frames = [p for p in parts if isinstance(p, pl.DataFrame)]
    if frames:
        return pl.concat(frames, how="vertical_relaxed", rechunk=True), [len(f) for f in frames]
    columns = [p for p in parts if not isinstance(p, pl.DataFrame)]
    whole = {}
    for name, first in columns[0].items():
        pieces = [c[name] for c in columns]
        words = isinstance(first, list)
        whole[name] = [w for p in pieces for w in p] if words else np.concatenate(pieces)
    return frame_of(whole), [len(next(iter(c.values()))) for c in columns]


def _packed(columns: Columns) -> tuple[list[Any], bytes]:
    head: list[Any] = []
    blobs = []
    for name, column in columns.items():
        if isinstance(column, list):
            head.append([name, column])
        else:
            head.append([name, column.dtype.str, len(column)])
            blobs.append(column.tobytes())
    return head, b"".join(blobs)


def _columns(head: list[Any], blob: bytes) -> Columns:
    import numpy as np

    columns: dict[str, Any] = {}
    at = 0
    for name, kind, *count in head:
        if count:
            columns[name] = np.frombuffer(blob, kind, count[0], at)
            at += columns[name].nbytes
        else:
            columns[name] = kind
    return columns


def _arrow(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_ipc_stream(buffer)
    return buffer.getvalue()
