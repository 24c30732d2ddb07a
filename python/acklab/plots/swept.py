"""The rows of a sweep that a figure shows, and the keys by which they differ."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError, UsageError
from acklab.metrics.derived import DERIVED_COLUMNS, OF_A_RUN
from acklab.plots.roles import known, short

if TYPE_CHECKING:
    import polars as pl

    from acklab.plots.drawn import Choice


def of_grid(runs: pl.DataFrame) -> list[str]:
    """The columns of the swept keys: those between the number of the cell and the seed."""
    columns = runs.columns
    return columns[columns.index("cell") + 1 : columns.index("seed")]


def keys(runs: pl.DataFrame, metric: str = "") -> list[str]:
    """The swept keys, and `flow` if runs have several and each has a value of its own."""
    several = runs["flow"].n_unique() > 1 and metric not in OF_A_RUN
    return [*of_grid(runs), *(["flow"] if several else [])]


def chosen(runs: pl.DataFrame, choice: Choice) -> pl.DataFrame:
    """The rows of the chosen flows, and of the chosen values of keys."""
    import polars as pl

    runs = choice.of(runs)
    names = keys(runs)
    for given, values in (choice.where or {}).items():
        key = known(given, names, "where")
        kept = [_value(runs, key, v, names) for v in _several(values)]
        runs = runs.filter(pl.col(key).is_in(kept))
    return runs


def _several(values: Any) -> Sequence[Any]:
    return (
        list(values) if isinstance(values, Sequence) and not isinstance(values, str) else [values]
    )


def _value(runs: pl.DataFrame, key: str, given: Any, names: Sequence[str]) -> Any:
    """The value of `key` that is written so, or is the same number."""
    there = runs[key].unique(maintain_order=True).to_list()
    for value in there:
        if value == given or str(value) == str(given).strip():
            return value
        if not isinstance(value, str | bool) and _number(given) == value:
            return value
    raise AcklabError(
        f"--where {short(key, names)}={given}: no run has that value\n"
        f"  help: the values are {', '.join(map(str, there))}"
    )


def _number(given: Any) -> float | None:
    try:
        return float(given)
    except (TypeError, ValueError):
        return None


def metric(runs: pl.DataFrame, name: str, option: str) -> str:
    """`name` if it is a column of numbers."""
    own = (*of_grid(runs), "run", "cell", "seed")
    numbers = [c for c in runs.columns if runs[c].dtype.is_numeric() and c not in own]
    if name in numbers:
        return name
    near = difflib.get_close_matches(name, [*numbers, *DERIVED_COLUMNS], n=1)
    mean = f"did you mean {near[0]}? " if near else ""
    raise AcklabError(
        f"--{option}: there is no metric called {name!r}\n"
        f"  help: {mean}the metrics are {', '.join(dict.fromkeys([*numbers, *DERIVED_COLUMNS]))}"
    )


def where(texts: Sequence[str]) -> Mapping[str, list[str]]:
    """The selections of the command line's `KEY=V1,V2`."""
    read: dict[str, list[str]] = {}
    for text in texts:
        key, equals, values = text.partition("=")
        if not equals or not key.strip() or not values.strip():
            raise UsageError(
                f"cannot read --where {text!r}\n"
                "  help: write KEY=VALUE or KEY=V1,V2, such as cc=cubic"
            )
        read.setdefault(key.strip(), []).extend(v.strip() for v in values.split(","))
    return read
