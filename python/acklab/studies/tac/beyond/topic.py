"""A question beyond the paper: a list of points, each with and without filters; table and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.metrics import jain_index
from acklab.stats import AMOUNT, SHARE, Estimate, estimate
from acklab.studies.study import Artefact, Cell, Effort, Outcome
from acklab.studies.tac.beyond import figures
from acklab.studies.tac.quantities import measured
from acklab.studies.tac.rivals import title
from acklab.studies.tac.setup import Setting, duration
from acklab.studies.tac.stacks import MODERN, WINDOW

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

SEEDS = 3
#: Where a point does not say otherwise.
STATIONS = 20
#: What each point is run with.
SCHEMES: Sequence[tuple[str, ...]] = (("agg",), ("tac-guarded",), ("cake",), ("per-station",))
_ALWAYS = ("jain", "throughput_mbps", "queue_wait_ms", "rtt_mean_ms", "ack_loss_mean", "rtos")
_SHOWN: Mapping[str, str] = {
    "jain": "Jain's index",
    "throughput_mbps": "throughput, Mbit/s",
    "queue_wait_ms": "wait in the AP, ms",
}


@dataclass(frozen=True)
class Told:
    """A column of the table below the advice."""

    quantity: str
    heading: str
    digits: int = 0
    scale: float = 1.0


_TOLD = (
    Told("jain", "Jain's index", 3),
    Told("throughput_mbps", "Mbit/s", 1),
    Told("queue_wait_ms", "wait in the AP, ms"),
)

#: Of a cell without a number.
_NONE = estimate([])

#: How a quantity of its own is read from a run.
Read = Callable[["Result"], float | None]


@dataclass(frozen=True)
class Point:
    """One value of what is varied: what it changes in the setting."""

    label: str
    stations: int = STATIONS
    over: Mapping[str, Any] = field(default_factory=dict)
    flow: Mapping[str, Any] = field(default_factory=dict)
    stack: str = MODERN


@dataclass(frozen=True)
class Topic:
    """A question, with its points; `advice` puts its answer into words."""

    name: str
    title: str
    points: Sequence[Point]
    advice: Callable[[Numbers], str]
    schemes: Sequence[tuple[str, ...]] = SCHEMES
    #: Quantities of its own, with the labels of those that are drawn.
    more: Mapping[str, Read] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=lambda: _SHOWN)
    #: What the table below the advice has.
    told: Sequence[Told] = _TOLD
    #: Of what is drawn, that with a logarithmic axis.
    logarithmic: Sequence[str] = ()
    #: Draws it otherwise than by a row for each point.
    draw: Callable[[Topic, Numbers, Path], Path] | None = None
    caption: str = ""
    #: What is run where a point's label does not say otherwise.
    where: str = f"{STATIONS} stations, Linux's TCP, windows of {WINDOW} packets"

    def cells(self, effort: Effort) -> list[Cell]:
        """Every point with every scheme; quick, the first and the last one."""
        points = [self.points[0], self.points[-1]] if effort.quick else self.points
        return [
            Cell(
                {"point": p.label, "scheme": "+".join(names)},
                _setting(p, names).scenario(duration(effort)),
                SEEDS,
            )
            for p in points
            for names in self.schemes
        ]

    def table(self, outcomes: Sequence[Outcome]) -> pl.DataFrame:
        """A row per cell and quantity."""
        import polars as pl

        rows: list[dict[str, Any]] = []
        for o in outcomes:
            for name in (*_ALWAYS, *self.more):
                own = self.more.get(name)
                found = [own(r) if own else measured(r)[name] for r in o.results]
                values = [v for v in found if v is not None]
                if values:
                    e = estimate(
                        values, within=SHARE if "jain" in name or name.endswith("share") else AMOUNT
                    )
                    row = {**o.keys, "quantity": name, "value": e.mean, "ci_low": e.low}
                    rows.append({**row, "ci_high": e.high, "n": e.n})
        return pl.DataFrame(rows, infer_schema_length=None)


def _setting(point: Point, names: tuple[str, ...]) -> Setting:
    setting = Setting(names, point.stations, stack=point.stack)
    return replace(setting, over=point.over, flow=point.flow)


class Numbers:
    """A topic's numbers by quantity, point and scheme; not-a-number where there are none."""

    def __init__(self, table: pl.DataFrame) -> None:
        self._of = {
            (r["quantity"], r["point"], r["scheme"]): Estimate(
                r["value"], r["ci_low"], r["ci_high"], r["n"]
            )
            for r in table.iter_rows(named=True)
        }
        self.points: list[str] = table["point"].unique(maintain_order=True).to_list()
        self.schemes: list[str] = table["scheme"].unique(maintain_order=True).to_list()

    def __call__(self, quantity: str, point: str, scheme: str) -> Estimate:
        """The estimate of a cell."""
        return self._of.get((quantity, point, scheme), _NONE)

    def has(self, quantity: str, point: str) -> bool:
        """Whether any scheme has that there."""
        return any((quantity, point, s) in self._of for s in self.schemes)

    def row(self, told: Told, point: str) -> str:
        """The means of all schemes, in their order; a dash where a short run has none."""
        means = [told.scale * self(told.quantity, point, s).mean for s in self.schemes]
        return " / ".join("-" if v != v else f"{v:.{told.digits}f}" for v in means)


def artefact(topic: Topic) -> Artefact:
    """What is made of a topic."""

    def text(table: pl.DataFrame) -> str:
        found = Numbers(table)
        n = max(table["n"].to_list())
        seeds = "one seed" if n == 1 else f"{n} seeds"
        run = f"{seeds}; {topic.where}, unless a row says otherwise"
        return f"**Advice** ({run}). {topic.advice(found)}\n\n{_rows(topic, found)}"

    def plot(table: pl.DataFrame, stem: Path) -> Path:
        draw = topic.draw or figures.by_point
        return draw(topic, Numbers(table), stem)

    return Artefact(
        topic.name,
        f"Beyond the paper: {topic.title}",
        topic.table,
        plot,
        text,
        group=topic.name,
        caption=f"{topic.where}, unless a row says otherwise. {topic.caption}".rstrip(),
    )


def _rows(topic: Topic, found: Numbers) -> str:
    """Each point's means, in the order of the schemes."""
    columns = [t for t in topic.told if any(found.has(t.quantity, p) for p in found.points)]
    order = " / ".join(title(s) for s in found.schemes)
    first = order if len(found.schemes) > 1 else ""
    lines = [[first, *(t.heading for t in columns)], ["---", *["--:"] * len(columns)]]
    lines += [[p, *(found.row(t, p) for t in columns)] for p in found.points]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def jain_of(prefix: str) -> Read:
    """Jain's index of the flows whose names begin so."""

    def read(r: Result) -> float | None:
        return jain_index(_goodputs(r, prefix))

    return read


def of_measured(quantity: str) -> Read:
    """A quantity that the whole study has, of which this topic tells."""
    return lambda r: measured(r).get(quantity)


def sum_of(prefix: str) -> Read:
    """Their goodputs together, if there are any."""
    return lambda r: sum(found) if (found := _goodputs(r, prefix)) else None


def _goodputs(r: Result, prefix: str) -> list[float]:
    flows = r.columns("flows")
    named = zip(flows["flow"], flows["goodput_mbps"], strict=True)
    return [float(v) for name, v in named if name.startswith(prefix)]
