"""Which keys of many runs are told apart, so that a reader can take in what is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def varying(frame: pl.DataFrame, keys: Sequence[str]) -> list[str]:
    """The keys that have more than one value, and `flow` if there are several."""
    return [k for k in (*keys, "flow") if frame[k].n_unique() > 1]


def told_apart(
    frame: pl.DataFrame, keys: Sequence[str], most: int, always: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """The keys by which there are at most `most` groups, and those left out, largest first.

    What `always` names is left out last.
    """
    kept, pooled = [*always, *keys], list[str]()
    while kept and frame.select(kept).n_unique() > most:
        last = [k for k in kept if k not in always] or kept
        pooled.append(max(last, key=lambda k: frame[k].n_unique()))
        kept.remove(pooled[-1])
    return kept, pooled


def grouped(frame: pl.DataFrame, keys: Sequence[str], separator: str = "\n") -> pl.DataFrame:
    """The rows with a column `group` that names the values of `keys`; `all runs` without keys."""
    import polars as pl

    if not keys:
        return frame.with_columns(pl.lit("all runs").alias("group"))
    words = [
        pl.col(k).cast(pl.String)
        if k in ("result", "flow")
        else pl.concat_str(pl.lit(f"{k.rpartition('.')[2]} = "), pl.col(k).cast(pl.String))
        for k in keys
    ]
    return frame.with_columns(pl.concat_str(words, separator=separator).alias("group"))


def pooled_words(pooled: Sequence[str]) -> str:
    """A sentence about what is not told apart; nothing if everything is."""
    if not pooled:
        return ""
    return f" All values of {', '.join(f'`{k}`' for k in pooled)} are taken together."
