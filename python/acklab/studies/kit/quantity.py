"""How a study declares the quantities that it measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from acklab.studies.kit.language import Scope, number
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.vocabulary import Quantity, Vocabulary

if TYPE_CHECKING:
    from acklab.results import Result


def quantity(
    unit: str,
    *groups: str,
    digits: int = 2,
    axis: str | None = None,
    signed: bool = False,
    most: float = inf,
) -> Callable[[Callable[[Result], Any]], Quantity]:
    """Makes a function of a run a quantity of that name; its first line of text defines it.

        @quantity("Mbit/s")
        def goodput(run):
            \"\"\"Payload that arrived, over the measured time.\"\"\"
            return of_flow(run, "goodput_mbps")

    It is measured of the runs of `groups`, or of all. With `axis` the function returns numbers by
    key on that axis, as a series over time does. `signed` says that it can be below zero, `most`
    how large it can be: an interval beyond these bounds is not shown.
    """

    def of(function: Callable[[Result], Any]) -> Quantity:
        text = (function.__doc__ or "").strip().partition("\n")[0]
        return Quantity(function.__name__, unit, text, function, groups, digits, axis, signed, most)

    return of


def derived(
    name: str, unit: str, text: str, expression: str, *groups: str, digits: int = 2
) -> Quantity:
    """Makes a quantity of others, once all runs have ended, such as a ratio to another cell.

        share = derived("share", "", "Goodput over that without thinning.",
                        "goodput / plain.goodput", "thinner")

    The expression is one of the language of claims. A quantity in it is the group's own unless
    another group is named. It may use derived quantities that stand before it in `QUANTITIES`.
    """
    return Quantity(
        name, unit, text, lambda _: None, groups, digits, signed=True, expression=expression
    )


def with_derived(vocabulary: Vocabulary, measured: Numbers) -> Numbers:
    """The numbers with those of derived quantities."""
    found = dict(measured)
    for q in vocabulary.quantities.values():
        for group in vocabulary.groups_of(q.name) if q.expression else ():
            field = number(q.expression, Scope(replace(vocabulary, home=group), found))
            if field.cells:
                found[group, q.name] = field
    return found


def shown_of(of: Quantity, run: Result) -> str:
    """The quantity of one run in a line; of a series, how many numbers there are."""
    if of.expression:
        return f"{of.name}: needs other cells ({of.expression})"
    value = of.of(run)
    unit = f" {of.unit}" if of.unit else ""
    if value is None:
        return f"{of.name}: none"
    if of.axis is not None:
        return f"{of.name}: {len(value)} numbers over {of.axis}{unit and f', in{unit}'}"
    return f"{of.name}: {value:.{of.digits}f}{unit}"
