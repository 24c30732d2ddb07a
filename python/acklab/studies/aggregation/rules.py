"""Conditions on the wired runs that the language of claims cannot say."""

from __future__ import annotations

from itertools import pairwise

from acklab.studies.kit.fields import Field, constant, known, mapped
from acklab.studies.kit.truth import Truth, every
from acklab.studies.kit.words import Truths, change, compare

LOSS_BASED = ("cubic", "newreno")
#: Jain's index and rates swing if they go both ways.
_NONE = constant(0.0)


def _steps(of: Field, along: str) -> list[Field]:
    return [change(of, along, a, b) for a, b in pairwise(of.keys(along))]


def swings(of: Field, along: str, by: float = 0.0) -> Truths:
    """At one step it rises and at another it falls, each by the share `by` of its highest mean."""
    if not of.cells:
        return Truths((), {(): Truth.MISSING})
    least = constant(by * max(known(v).mean for v in of.cells.values()))
    steps = _steps(of, along)
    up = [compare(s, least, ">").cells.get((), Truth.MISSING) for s in steps]
    down = [compare(mapped(s, lambda x: -x), least, ">").cells.get(()) for s in steps]
    both = every([Truth.of(Truth.YES in up), Truth.of(Truth.YES in down)])
    return Truths((), {(): both})


def stepwise(of: Field, along: str, share: float = 1.0) -> Truths:
    """It falls, at no step rises, and no step takes more than this share of the whole fall."""
    if not of.cells:
        return Truths((), {(): Truth.MISSING})
    keys, steps = of.keys(along), _steps(of, along)
    rises = any(compare(s, _NONE, ">").cells[()] is Truth.YES for s in steps)
    whole = known(change(of, along, keys[0], keys[-1]).cells[()]).mean
    sizes = [known(s.cells[()]).mean for s in steps]
    return Truths((), {(): Truth.of(not rises and min(sizes) > share * whole)})


def differ(a: Field, b: Field, by: float = 0.0) -> Truths:
    """One exceeds the other by more than `by`, whichever it is."""
    least = constant(by)
    up = compare(_less(a, b), least, ">")
    down = compare(_less(b, a), least, ">")
    return Truths(
        up.axes,
        {k: Truth.of(Truth.YES in (t, down.cells.get(k))) for k, t in up.cells.items()},
    )


def _less(a: Field, b: Field) -> Field:
    from operator import sub

    from acklab.studies.kit.fields import combined

    return combined(a, b, sub)


def ahead(of: Field) -> Field:
    """Of pairs with one loss-based flow: by how much that flow leads."""
    at = of.axes.index("pair") if "pair" in of.axes else 0
    found = {}
    for key, value in of.cells.items():
        first, second = str(key[at]).split("-")
        if (first in LOSS_BASED) == (second in LOSS_BASED):
            continue
        sign = 1.0 if first in LOSS_BASED else -1.0
        one = Field((), {(): value})
        found[key] = mapped(one, lambda x, sign=sign: sign * x).cells[()]  # type: ignore[misc]
    return Field(of.axes, found)


def _of_flow(of: Field, loss_based: bool) -> Field:
    flow, pair = of.axes.index("flow"), of.axes.index("pair")
    found = {}
    for key, value in of.cells.items():
        each = str(key[pair]).split("-")
        at = key[flow]
        if len({cc in LOSS_BASED for cc in each}) != 2 or at not in (1, 2):
            continue
        if (each[int(at) - 1] in LOSS_BASED) is loss_based:
            found[key[:flow] + key[flow + 1 :]] = value
    return Field(of.without("flow"), found)


def loss_based(of: Field) -> Field:
    """Of pairs with one loss-based flow: that flow's number."""
    return _of_flow(of, True)


def other(of: Field) -> Field:
    """Of pairs with one loss-based flow: the other flow's number."""
    return _of_flow(of, False)


RULES = {
    "swings": swings,
    "stepwise": stepwise,
    "differ": differ,
    "ahead": ahead,
    "loss_based": loss_based,
    "other": other,
}
