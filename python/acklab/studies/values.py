"""Single numbers of a run, read from the core's columns.

Studies ask thousands of runs for one or two numbers each: making frames of whole tables for that
takes longer than the runs of a quick reproduction.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from acklab.results import Result

P = ParamSpec("P")
T = TypeVar("T")


def once_per_run(of: Callable[Concatenate[Result, P], T]) -> Callable[Concatenate[Result, P], T]:
    """Computes what it says of a run (and of positional arguments) once, while the run is kept."""
    found: WeakKeyDictionary[Result, dict[Any, T]] = WeakKeyDictionary()

    @wraps(of)
    def asked(r: Result, /, *args: P.args, **kwargs: P.kwargs) -> T:
        mine = found.setdefault(r, {})
        if args not in mine:
            mine[args] = of(r, *args, **kwargs)
        return mine[args]

    return asked


@once_per_run
def columns(r: Result, table: str) -> Mapping[str, Any]:
    """A table as the core's columns."""
    return r.columns(table)


def of_flow(r: Result, column: str, flow: int = 0) -> Any:
    """One cell of `Result.flows`: a number, or `None` where there is none."""
    value = columns(r, "flows")[column][flow]
    value = value if isinstance(value, str) else value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


def goodputs(r: Result) -> list[float]:
    """Goodput of each flow, Mbit/s."""
    return [float(v) for v in columns(r, "flows")["goodput_mbps"]]


def of_link(r: Result, column: str, link: str) -> float:
    """One number of `Result.links`; 0 where there is none."""
    table = columns(r, "links")
    value = float(table[column][list(table["link"]).index(link)])
    return 0.0 if math.isnan(value) else value


def of_station(r: Result, column: str, station: str) -> float:
    """One number of `Result.stations`, of the station of that name; 0 without it."""
    table = columns(r, "stations")
    names = list(table["station"])
    return float(table[column][names.index(station)]) if station in names else 0.0


@once_per_run
def airtime(r: Result) -> Mapping[str, float]:
    """Seconds of all radio channels by use, as in `Result.airtime`."""
    table = columns(r, "airtime")
    spent: defaultdict[str, float] = defaultdict(float)
    for use, seconds in zip(table["use"], table["airtime_s"], strict=True):
        spent[use] += float(seconds)
    return spent
