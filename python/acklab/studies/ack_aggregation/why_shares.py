"""Who has more of a pair, seed by seed, so that a winner can be told from a draw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acklab.plots import style
from acklab.stats import estimate
from acklab.studies.ack_aggregation.cells import PAIRS, RATIOS
from acklab.studies.ack_aggregation.figures import CC_NAMES, STACK_NAMES
from acklab.studies.ack_aggregation.tables import jain
from acklab.studies.study import Outcome

if TYPE_CHECKING:
    import polars as pl


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Every seed of every pair, long as the tables of `traces`.

    `gap_mbps` is the goodput of the pair's first flow less that of its second, over the whole run.
    """
    import polars as pl

    rows = [
        {**o.keys, "seed": r.seed, "quantity": name, "time_s": None, "value": value}
        for o in outcomes
        for r in o.results
        for name, value in _quantities([float(v) for v in r.flows["goodput_mbps"]]).items()
    ]
    return pl.DataFrame(rows, schema_overrides={"time_s": pl.Float64}, infer_schema_length=None)


def _quantities(goodputs: list[float]) -> dict[str, float]:
    return {"gap_mbps": goodputs[0] - goodputs[1], "jain": jain(goodputs)}


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """A panel per mixed pair: the gap against the ratio, means over seeds with 95 % intervals."""
    mixed = [p for p in PAIRS if p[0] != p[1]]
    fig, axes = style.figure(2, 3, (10, 5.4))
    for ax, (first, second) in zip(axes.flat, mixed, strict=True):
        ax.set_title(f"{CC_NAMES[first]} less {CC_NAMES[second]}")
        for i, stack in enumerate(STACK_NAMES):
            of = table.filter(stack=stack, pair=f"{first}-{second}", quantity="gap_mbps")
            means = [estimate(of.filter(ratio=r)["value"].to_list()) for r in RATIOS]
            ax.errorbar(
                [x + 0.08 * (i - 1) for x in range(len(RATIOS))],
                [e.mean for e in means],
                yerr=[[e.mean - e.low if e.n > 1 else 0.0 for e in means]] * 2,
                label=STACK_NAMES[stack],
                marker=style.MARKERS[i],
                markersize=4.5,
                **style.line(i),
            )
        ax.axhline(0, color="k", linewidth=0.8)
        ax.set_xticks(range(len(RATIOS)), [f"{r}:1" for r in RATIOS])
    style.label_outer(axes, "ACKs aggregated", ["difference of\ngoodputs, Mbit/s"] * 2)
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=3)
    return style.save(fig, stem)
