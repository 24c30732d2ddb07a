"""Which key of a sweep is drawn as what: across, as colours, as dashes, as panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError, UsageError
from acklab.plots import style
from acklab.plots.scale import Scale

if TYPE_CHECKING:
    import polars as pl

    from acklab.plots.drawn import Choice

#: Panels of a figure; more are searched rather than read.
MOST_PANELS = 12
#: Values that colours of an order tell apart, beside a legend.
MOST_ORDERED = 20


@dataclass(frozen=True)
class Roles:
    """The keys that a figure tells apart; names of columns."""

    across: str | None
    #: A colour for each value of the first, dashes and a marker for each of the second.
    by: tuple[str, ...]
    #: A column of panels for each value of the first, a row for each of the second.
    facet: tuple[str, ...]
    #: Keys with several values that are not told apart.
    over: tuple[str, ...]

    @property
    def groups(self) -> list[str]:
        """All but the one across, panels first."""
        return [*self.facet, *self.by]


def of(
    rows: pl.DataFrame, keys: Sequence[str], choice: Choice, across: bool, crowded: bool = False
) -> Roles:
    """The roles of `keys` in the figure; what `choice` does not name gets a free place.

    With `across` one key runs along the axis. Keys that change with others need no place. Lines
    that are `crowded` anyway have panels sooner than dashes.
    """
    by, facet = (_named(rows, keys, n, getattr(choice, n)) for n in ("by", "facet"))
    over = _named(rows, keys, "over", choice.over, most=len(keys))
    free = [k for k in keys if k not in (*by, *facet, *over) and rows[k].n_unique() > 1]
    x = None
    if across:
        [x] = _named(rows, keys, "x", choice.x, most=1) or [_across(rows, free, keys)]
    once({"--x": [x] if x else [], "--by": by, "--facet": facet, "--over": over})
    told = [k for k in (x, *by, *facet) if k is not None]
    while (key := _next(rows, free, told)) is not None:
        place = next((p for p in _free(by, facet, crowded) if _fits(rows, p, p is by, key)), None)
        if place is None:
            raise _no_place(short(key, keys), [short(k, keys) for k in told])
        place.append(key)
        told.append(key)
    roles = Roles(x, tuple(by), tuple(facet), tuple(over))
    _readable(rows, roles, keys)
    return roles


def _free(by: list[str], facet: list[str], crowded: bool) -> list[list[str]]:
    """The places that have room, the better one first."""
    panels = [facet] if len(facet) < 2 else []
    colours = [by] if len(by) < 2 else []
    return panels + colours if by and (crowded or len(by) > 1) else colours + panels


def _fits(rows: pl.DataFrame, place: list[str], colours: bool, key: str) -> bool:
    if colours:
        values = rows[key].unique(maintain_order=True).to_list()
        return len(values) <= _most(key, values, len(place), bool(place))[0]
    return rows.select(*place, key).n_unique() <= MOST_PANELS


def _no_place(key: str, told: Sequence[str]) -> AcklabError:
    return AcklabError(
        f"the key {key!r} has no place in the figure beside {', '.join(told)}\n"
        f"  help: choose values with --where '{key}=VALUE', or do not tell them apart: --over {key}"
    )


def _named(
    rows: pl.DataFrame, keys: Sequence[str], option: str, given: Any, most: int = 2
) -> list[str]:
    names = several(given)
    if len(names) > most:
        raise AcklabError(
            f"--{option} takes {most} {'keys' if most > 1 else 'key'}, not {len(names)}: "
            f"{', '.join(map(str, names))}\n  help: the keys are {', '.join(shorts(keys))}"
        )
    return [known(name, keys, option) for name in names]


def several(given: str | Sequence[str] | None) -> list[str]:
    """One name, several, or none."""
    return [given] if isinstance(given, str) else list(given or ())


def known(name: str, keys: Sequence[str], option: str) -> str:
    """The key of that name, or of that last part: `ratio` of `topology.x.ratio`."""
    if name in keys:
        return name
    ends = [k for k in keys if k.endswith(f".{name}")]
    if len(ends) == 1:
        return ends[0]
    told = ", ".join(shorts(keys)) or "none"
    if len(ends) > 1:
        raise AcklabError(
            f"--{option} {name} could be {' or '.join(ends)}\n  help: write the whole key"
        )
    raise AcklabError(
        f"--{option} {name}: {name!r} was not swept\n  help: the swept keys are {told}"
    )


def shorts(keys: Sequence[str]) -> list[str]:
    """The last parts of keys such as `flow.0.cc`, if they tell them apart."""
    last = [k.rpartition(".")[2] for k in keys]
    return last if len(set(last)) == len(last) else list(keys)


def short(key: str, keys: Sequence[str]) -> str:
    """The short name of one of `keys`."""
    return dict(zip(keys, shorts(keys), strict=True))[key]


def _across(rows: pl.DataFrame, free: Sequence[str], keys: Sequence[str]) -> str:
    """The first key of numbers, else the first."""
    for key in free:
        if Scale.of(key, rows[key].unique(maintain_order=True).to_list()).numbers is not None:
            return key
    if free:
        return free[0]
    raise AcklabError(
        "there is no key left to run across the figure\n"
        f"  help: name one with --x; the keys are {', '.join(shorts(keys)) or 'none'}"
    )


def _next(rows: pl.DataFrame, free: Sequence[str], told: Sequence[str]) -> str | None:
    """The next key by which rows differ that agree in those that are told apart."""
    before = rows.select(told).n_unique() if told else 1
    others = (k for k in free if k not in told)
    return next((k for k in others if rows.select(*told, k).n_unique() > before), None)


def once(places: Mapping[str, Sequence[str]]) -> None:
    """An error if a key is given to two options."""
    seen: dict[str, str] = {}
    for option, keys in places.items():
        for key in keys:
            if key in seen:
                raise UsageError(
                    f"{key} is given to {seen[key]} and to {option}\n"
                    "  help: each key has one place in the figure"
                )
            seen[key] = option


def _readable(rows: pl.DataFrame, roles: Roles, keys: Sequence[str]) -> None:
    panels = rows.select(roles.facet).n_unique() if roles.facet else 1
    if panels > MOST_PANELS:
        raise AcklabError(
            f"the figure would need {panels} panels, more than {MOST_PANELS}, for "
            f"{' and '.join(short(k, keys) for k in roles.facet)}\n"
            "  help: choose some values with --where KEY=V1,V2, or other keys with --facet"
        )
    for place, key in enumerate(roles.by):
        values = rows[key].unique(maintain_order=True).to_list()
        most, what = _most(key, values, place, len(roles.by) > 1)
        if len(values) > most:
            raise AcklabError(
                f"the key {short(key, keys)!r} has {len(values)} values, and {what} tell {most} "
                "apart\n  help: choose some with --where KEY=V1,V2, give the key to --x or "
                "--facet, or draw the sweep as a heat map"
            )


def _most(key: str, values: list[Any], place: int, two: bool) -> tuple[int, str]:
    if place:
        return len(style.DASHES), "dashes"
    if Scale.of(key, values).numbers is not None:
        return MOST_ORDERED, "colours"
    return (len(style.CATEGORICAL) if two else MOST_ORDERED), "colours"
