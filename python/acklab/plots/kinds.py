"""The named plots: each with the tables that it needs."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError, UsageError
from acklab.plots.recorded import InMemory, Opened, Recorded, required

if TYPE_CHECKING:
    from acklab.plots.drawn import Choice, Drawn

Draw = Callable[[Recorded, "Choice"], "Drawn"]


@dataclass(frozen=True)
class Kind:
    """A named plot."""

    name: str
    about: str
    #: Tables without which it cannot be drawn.
    needs: tuple[str, ...]
    #: Fields of a `Choice` that it uses.
    takes: tuple[str, ...]
    #: Where its function `draw` is, or another one after a colon; loaded at the first use.
    where: str

    def draw(self, source: Recorded, choice: Choice) -> Drawn:
        """Draws it in the house's style, with a footer; what is missing is an error with help."""
        from acklab.plots import style
        from acklab.plots.look import Look, looking

        self._heed(source, choice)
        for table in self.needs:
            required(source, self.name, table)
        module, _, function = self.where.partition(":")
        draw: Draw = getattr(import_module(f"acklab.plots.{module}"), function or "draw")
        with looking(Look.of(choice.title, choice.size, choice.style)) as look, style.house():
            drawn = draw(source, choice)
            # A paper says in its caption where a figure comes from; the file says it inside.
            told = (drawn.note, "" if look.size else source.provenance)
            if any(told):
                style.footer(drawn.figure, "\n".join(t for t in told if t))
        return replace(drawn, provenance=source.provenance)

    def _heed(self, source: Recorded, choice: Choice) -> None:
        """An error if something was chosen that would have no effect."""
        without = TIMES if source.table("runs") is not None else OF_SWEEPS
        takes = (*(t for t in self.takes if t not in without), *LOOK)
        for name, value in vars(choice).items():
            if value is not None and name not in takes:
                known = ", ".join(f"--{_OPTIONS.get(t, t)}" for t in takes) or "no such option"
                raise UsageError(
                    f"the plot {self.name} does nothing with --{_OPTIONS.get(name, name)}\n"
                    f"  help: of {source.name} it takes {known}"
                )
        if self.name == "sequence" and len(choice.flows or ()) > 1:
            raise AcklabError(
                "the plot sequence shows one flow\n  help: name one of them with --flows"
            )


#: Options whose names are not those of `Choice`.
_OPTIONS = {"start": "from", "end": "to"}
TIMES = ("start", "end")
#: Options that group and select the runs of a sweep, and those that every plot takes.
OF_SWEEPS = ("by", "facet", "over", "where")
LOOK = ("title", "size", "style")
_OVER_TIME = ("flows", *TIMES)

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "series",
            "goodput, srtt, cwnd, pacing rate and queues over time",
            ("series",),
            (*_OVER_TIME, "window"),
            "series",
        ),
        Kind(
            "sequence",
            "time-sequence of one flow: segments, ACK line, window, SACK blocks",
            ("packets",),
            _OVER_TIME,
            "sequence",
        ),
        Kind("phases", "the controllers' states over time", ("series",), _OVER_TIME, "phases"),
        Kind(
            "fairness",
            "Jain's index over time",
            ("series",),
            (*_OVER_TIME, "window"),
            "fairness",
        ),
        Kind(
            "cdf",
            "distribution over a sweep's runs or a run's samples",
            (),
            (*_OVER_TIME, "value", *OF_SWEEPS),
            "distributions:cdf",
        ),
        Kind(
            "box",
            "boxes over a sweep's runs or a run's samples",
            (),
            (*_OVER_TIME, "value", "where"),
            "distributions:box",
        ),
        Kind(
            "ellipse",
            "throughput against latency, up and right is better",
            (),
            (*_OVER_TIME, "value", *OF_SWEEPS),
            "distributions:ellipse",
        ),
        Kind(
            "heatmap",
            "a metric over two keys of a sweep",
            ("runs",),
            ("flows", "x", "y", "value", "facet", "over", "where"),
            "heatmap",
        ),
        Kind(
            "line",
            "a metric of a sweep over a key, with intervals over seeds; colours, dashes, panels",
            ("runs",),
            ("flows", "x", "y", *OF_SWEEPS, "interval", "log"),
            "curves",
        ),
        Kind(
            "ack-spacing",
            "time between ACKs as they reach the sender",
            ("acks",),
            _OVER_TIME,
            "histograms:spacing",
        ),
        Kind(
            "segments-per-ack",
            "segments that each ACK newly acknowledges; the column of that name counts those sent",
            ("acks",),
            _OVER_TIME,
            "histograms:segments",
        ),
        Kind(
            "air-timeline",
            "who held the air when: a lane per station, a bar per PPDU",
            ("ppdus",),
            TIMES,
            "air",
        ),
        Kind(
            "airtime",
            "what airtime went to, of each radio channel and of each station",
            ("airtime", "stations"),
            (),
            "airtime",
        ),
        Kind(
            "ampdu-sizes",
            "how many MPDUs each station sent at once",
            ("ampdu_sizes",),
            (),
            "ampdus",
        ),
    )
}


#: Short names.
ALIASES = {"heat": "heatmap"}


def named(name: str) -> Kind:
    """The plot of that name."""
    kind = KINDS.get(ALIASES.get(name, name))
    if kind is None:
        near = difflib.get_close_matches(name, KINDS, n=1)
        mean = f"did you mean {near[0]}? " if near else ""
        raise AcklabError(
            f"there is no plot called {name!r}\n  help: {mean}the plots are {', '.join(KINDS)}"
        )
    return kind


def recorded(source: Any) -> Recorded:
    """The tables of a result, fresh or saved, or of a result folder."""
    from acklab.opening import SavedRun, open
    from acklab.sweeps.results import SweepResult

    if isinstance(source, str | Path):
        return Opened(open(source))
    return Opened(source) if isinstance(source, SavedRun | SweepResult) else InMemory(source)


def chosen(kind: Kind, given: Mapping[str, Any]) -> Choice:
    """The arguments of a call as a choice; one that does not exist is an error that lists them."""
    from acklab.plots.drawn import Choice

    known = [f.name for f in fields(Choice)]
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            mean = f"did you mean {near[0]}? " if near else ""
            raise AcklabError(
                f"the plot {kind.name} has no argument {name!r}\n"
                f"  help: {mean}it takes {', '.join((*kind.takes, *LOOK))}"
            )
    return Choice(**given)
