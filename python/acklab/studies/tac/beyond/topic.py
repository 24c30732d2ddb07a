"""A question beyond the paper: a list of points, each with and without filters; table, figure, "
"words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.metrics import jain_index
from acklab.plots import style
from acklab.stats import AMOUNT, SHARE, Estimate, estimate
from acklab.studies.study import Artefact, Cell, Effort, Outcome
from acklab.studies.tac.quantities import measured
from acklab.studies.tac.rivals import title
from acklab.studies.tac.setup import Setting, duration
from acklab.studies.tac.stacks import MODERN

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

SEEDS = 3
#: What each point is run with.
SCHEMES: Sequence[tuple[str, ...]] = (("agg",), ("tac-guarded",), ("cake",), ("per-station",))
_ALWAYS = ("jain", "throughput_mbps", "queue_wait_ms", "rtt_mean_ms", "ack_loss_mean", "rtos")
_SHOWN: Mapping[str, str] = {
    "jain": "Jain's index",
    "throughput_mbps": "throughput, Mbit/s",
    "queue_wait_ms": "wait in the AP, ms",
}

#: Of a cell without a number.
_NONE = estimate([])

#: How a quantity of its own is read from a run.
Read = Callable[["Result"], float | None]


@dataclass(frozen=True)
class Point:
    """One value of what is varied: what it changes in the setting."""

    label: str
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
    caption: str = ""
    #: Tables laid over every scenario, such as what is recorded.
    tables: Mapping[str, Any] = field(default_factory=dict)

    def cells(self, effort: Effort) -> list[Cell]:
        """Every point with every scheme; quick, the first and the last one."""
        points = [self.points[0], self.points[-1]] if effort.quick else self.points
        return [
            Cell(
                {"point": p.label, "scheme": "+".join(names)},
                {**_setting(p, names).scenario(duration(effort)), **self.tables},
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
                    e = estimate(values, within=SHARE if "jain" in name else AMOUNT)
                    row = {**o.keys, "quantity": name, "value": e.mean, "ci_low": e.low}
                    rows.append({**row, "ci_high": e.high, "n": e.n})
        return pl.DataFrame(rows, infer_schema_length=None)

    def plot(self, table: pl.DataFrame, stem: Path) -> Path:
        """A row per point, a panel per quantity, a mark per scheme."""
        found = Numbers(table)
        names = [n for n in (*self.shown,) if any(found.has(n, p) for p in found.points)]
        size = (3.2 * len(names) + 1.6, 0.34 * len(found.points) + 1.5)
        fig, axes = style.figure(1, len(names), size, share=False)
        y = list(range(len(found.points)))[::-1]
        for ax, quantity in zip(axes[0], names, strict=True):
            for i, scheme in enumerate(found.schemes):
                middle = (len(found.schemes) - 1) / 2
                at = [v + 0.18 * (middle - i) for v in y]
                es = [found(quantity, p, scheme) for p in found.points]
                bars = [[_bar(e.mean - e.low) for e in es], [_bar(e.high - e.mean) for e in es]]
                look: Any = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i]}
                line = {"linestyle": "none", "markersize": 4.5, "capsize": 2, "elinewidth": 0.8}
                ax.errorbar(
                    [e.mean for e in es], at, xerr=bars, label=title(scheme), **line, **look
                )
            ax.set_yticks(y, found.points if ax is axes[0][0] else [], fontsize=8)
            ax.set_xlabel(self.shown[quantity])
            if "jain" not in quantity:
                ax.set_xlim(left=0)
        handles, labels = axes[0][0].get_legend_handles_labels()
        if len(labels) > 1:
            fig.legend(handles, labels, loc="outside upper center", ncols=len(labels))
        return style.save(fig, stem)


def _setting(point: Point, names: tuple[str, ...]) -> Setting:
    return replace(Setting(names, stack=point.stack), over=point.over, flow=point.flow)


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

    def row(self, quantity: str, point: str, digits: int = 2) -> str:
        """The means of all schemes, in their order."""
        return " / ".join(f"{self(quantity, point, s).mean:.{digits}f}" for s in self.schemes)


def artefact(topic: Topic) -> Artefact:
    """What is made of a topic."""

    def text(table: pl.DataFrame) -> str:
        found = Numbers(table)
        order = " / ".join(title(s) for s in found.schemes)
        told = f" (Numbers in the order {order}.)" if len(found.schemes) > 1 else ""
        n = max(table["n"].to_list())
        seeds = "one seed" if n == 1 else f"{n} seeds"
        return f"**Advice** ({seeds}). {topic.advice(found)}{told}"

    return Artefact(
        topic.name,
        f"Beyond the paper: {topic.title}",
        topic.table,
        topic.plot,
        text,
        group=topic.name,
        caption=topic.caption,
    )


def jain_of(prefix: str) -> Read:
    """Jain's index of the flows whose names begin so."""

    def read(r: Result) -> float | None:
        return jain_index(_goodputs(r, prefix))

    return read


def of_measured(quantity: str) -> Read:
    """A quantity that the whole study has, of which this topic tells."""
    return lambda r: measured(r).get(quantity)


def sum_of(prefix: str) -> Read:
    """Their goodputs together."""
    return lambda r: sum(_goodputs(r, prefix))


def _goodputs(r: Result, prefix: str) -> list[float]:
    flows = r.columns("flows")
    named = zip(flows["flow"], flows["goodput_mbps"], strict=True)
    return [float(v) for name, v in named if name.startswith(prefix)]


def _bar(half: float) -> float:
    return half if half == half else 0.0
