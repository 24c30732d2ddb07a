"""How a study declares what it measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from acklab.studies.kit.vocabulary import Quantity

if TYPE_CHECKING:
    from acklab.results import Result


def quantity(
    unit: str, *groups: str, digits: int = 2, axis: str | None = None
) -> Callable[[Callable[[Result], Any]], Quantity]:
    """Makes a function of a run a quantity of that name; its first line of text says what it is.

        @quantity("Mbit/s")
        def goodput(run):
            \"\"\"Payload that arrived, over the measured time.\"\"\"
            return of_flow(run, "goodput_mbps")

    It is measured of the runs of `groups`, or of all. With `axis` the function returns numbers by
    key on that axis, as a series over time does.
    """

    def of(function: Callable[[Result], Any]) -> Quantity:
        text = (function.__doc__ or "").strip().partition("\n")[0]
        return Quantity(function.__name__, unit, text, function, groups, digits, axis)

    return of


def shown_of(of: Quantity, run: Result) -> str:
    """The quantity of one run in a line; of a series, how many numbers there are."""
    value = of.of(run)
    unit = f" {of.unit}" if of.unit else ""
    if value is None:
        return f"{of.name}: none"
    if of.axis is not None:
        return f"{of.name}: {len(value)} numbers over {of.axis}{unit and f', in{unit}'}"
    return f"{of.name}: {value:.{of.digits}f}{unit}"
