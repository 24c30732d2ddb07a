"""The keyword arguments of each plot, typed: the parts of a `Choice` that it heeds."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, Literal, ParamSpec, TypedDict, TypeVar, get_type_hints

#: Keys of a sweep: one, or several.
Keys = str | Sequence[str]


class OfLook(TypedDict, total=False):
    """What every plot takes."""

    title: str | None
    size: Literal["column", "page", "slide"] | None
    style: str | None


class OfTimes(OfLook, total=False):
    """Seconds of the run."""

    start: float | None
    end: float | None


class OfTime(OfTimes, total=False):
    """Flows over time."""

    flows: Sequence[str] | None


class OfRates(OfTime, total=False):
    """Flows over time, and seconds over which rates are averaged."""

    window: float | None


class OfBoxes(OfTime, total=False):
    """A metric of a run's samples or of a sweep's runs."""

    value: str | None
    where: Mapping[str, Any] | None


class OfDistributions(OfBoxes, total=False):
    """The same in groups: keys told apart by colour, by panels, or not at all."""

    by: Keys | None
    facet: Keys | None
    over: Keys | None


class OfMaps(OfLook, total=False):
    """Keys along both axes, and the metric in the cells."""

    flows: Sequence[str] | None
    x: str | None
    y: str | None
    value: str | None
    facet: Keys | None
    over: Keys | None
    where: Mapping[str, Any] | None


class OfLines(OfLook, total=False):
    """A key along `x`, a metric along `y`, and the places of the other keys."""

    flows: Sequence[str] | None
    x: str | None
    y: str | None
    by: Keys | None
    facet: Keys | None
    over: Keys | None
    where: Mapping[str, Any] | None
    interval: Literal["ci", "range", "none"] | None
    log: Literal["x", "y", "xy", "none"] | None


class Options(OfRates, OfLines, total=False):
    """What any plot takes; a plot refuses what has no effect on it."""

    value: str | None


#: What each argument means, for `help()`.
_MEANING = {
    "flows": "names of the flows to show; all by default",
    "start": "seconds of the run from which on it is shown",
    "end": "seconds of the run up to which it is shown",
    "window": "seconds over which rates are averaged",
    "x": "the key along the horizontal axis",
    "y": "the key (of a heat map) or the metric (of a line) along the vertical axis",
    "value": "the metric",
    "by": "keys whose values become colours, and of a second key dashes",
    "facet": "keys whose values become panels, and of a second key rows of panels",
    "over": "keys over which runs are averaged or merged",
    "where": "only runs with these values of keys, such as {'cc': ['cubic', 'bbr3']}",
    "interval": "what bars show: 'ci' (95 % of the mean, Student's t), 'range' or 'none'",
    "log": "which axes are logarithmic",
    "title": "a title; none by default",
    "size": "'column' (3.35 in wide), 'page' (7 in) or 'slide' (10 by 5.6 in)",
    "style": "'house', 'serif', 'grey', or a style sheet of Matplotlib, FILE.mplstyle",
}

P = ParamSpec("P")
S = TypeVar("S")
R = TypeVar("R")


def spelled(
    options: type,
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Lets `help()` and completion show the keyword arguments that a method takes as `**choice`."""
    hints = get_type_hints(options)
    names = [n for n in _MEANING if n in hints]

    def spell(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        @functools.wraps(method)
        def call(self: S, /, *args: P.args, **choice: P.kwargs) -> R:
            return method(self, *args, **choice)

        own = [
            p
            for p in inspect.signature(method).parameters.values()
            if p.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        shown = [
            inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hints[n])
            for n in names
        ]
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [*own, *shown], return_annotation="Drawn"
        )
        meanings = "\n".join(f"    {n}: {_MEANING[n]}" for n in names)
        call.__doc__ = f"{method.__doc__}\n\n{meanings}\n"
        return call

    return spell
