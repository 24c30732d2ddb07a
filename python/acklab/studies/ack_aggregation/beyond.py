"""Beyond the thesis: other timers, paths, buffers, and rivals of the aggregating queue.

Each grid changes one thing of the stated set-up in the Linux stack, whose receiver and sender are
those that people run. Throughput is given as a share of the same cell without aggregation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.stats import estimate
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS, SETUPS, scenario
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.study import Cell, Effort, Outcome

if TYPE_CHECKING:
    import polars as pl

#: Ratios of the grids; the first is the baseline.
RATIOS = (1, 2, 4, 8, 16)
SEEDS = 3
TIMERS = ("1 ms", "2 ms", "5 ms", "10 ms", "20 ms", "50 ms")
RATES = ("1 Mbit/s", "10 Mbit/s", "100 Mbit/s", "1000 Mbit/s")
DELAYS = ("5 ms", "20 ms", "50 ms", "100 ms", "200 ms")
BUFFERS = ("0.25 BDP", "0.5 BDP", "1 BDP", "2 BDP", "4 BDP")
#: In place of the aggregating queue: a filter of the reverse path, or another receiver.
RIVALS: Mapping[str, tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]] = {
    "CAKE's ack-filter": ({"name": "cake"}, None),
    "delayed, 2": (None, {"name": "delayed"}),
    "bytes, L = 8": (None, {"name": "byte-counting", "l": 8}),
    "periodic, 10 ms": (None, {"name": "periodic", "alpha": "10 ms"}),
}
#: A run lasts so many RTTs, but not shorter or longer than so many seconds.
_RTTS, _SHORTEST, _LONGEST = 200, 10, 30


def cells(effort: Effort) -> list[Cell]:
    """The grids, one cell per controller, value and ratio."""
    grids = {"timer": TIMERS, "rate": RATES, "rtt": DELAYS, "buffer": BUFFERS}
    found = [
        _cell(grid, value, cc, ratio, effort)
        for grid, values in grids.items()
        for value in (values[::2] if effort.quick else values)
        for cc in PAPER_CONTROLLERS
        for ratio in RATIOS
    ]
    return found + [
        Cell(
            {"grid": "rival", "value": name, "cc": cc, "ratio": 1},
            _rival(cc, ack_filter, policy, effort),
            seeds=SEEDS,
        )
        for name, (ack_filter, policy) in RIVALS.items()
        for cc in PAPER_CONTROLLERS
    ]


def _cell(grid: str, value: str, cc: str, ratio: int, effort: Effort) -> Cell:
    base = _base(cc, ratio, effort)
    bottleneck = base["topology"]["bottleneck"]
    bottleneck["queue"] = "1 BDP"
    if grid == "timer" and ratio > 1:
        bottleneck["reverse"]["ack_filter"]["timeout"] = value
    elif grid == "rate":
        bottleneck["rate"] = value
        base["topology"]["access"]["rate"] = "10 Gbit/s"
    elif grid == "rtt":
        rtt_ms = float(value.split()[0])
        # Access links this short leave room for an RTT of 5 ms.
        base["topology"]["access"]["delay"] = "0.5 ms"
        bottleneck["delay"] = f"{(rtt_ms - 2) / 2} ms"
        base["duration"] = f"{_seconds(rtt_ms * 1e-3)} s"
    elif grid == "buffer":
        bottleneck["queue"] = value
    return Cell({"grid": grid, "value": value, "cc": cc, "ratio": ratio}, base, seeds=SEEDS)


def _base(cc: str, ratio: int, effort: Effort) -> dict[str, Any]:
    spec = scenario(SETUPS["linux"], (cc,), ratio, effort)
    flow = {**spec["flow"][0], "app": {"kind": "bulk"}}
    return {**spec, "sample_every": "off", "flow": [flow], "duration": f"{_seconds(0.048)} s"}


def _rival(
    cc: str,
    ack_filter: Mapping[str, Any] | None,
    policy: Mapping[str, Any] | None,
    effort: Effort,
) -> dict[str, Any]:
    base = _base(cc, 1, effort)
    base["topology"]["bottleneck"]["queue"] = "1 BDP"
    if ack_filter is not None:
        base["topology"]["bottleneck"]["reverse"] = {"ack_filter": dict(ack_filter)}
    if policy is not None:
        base["flow"][0]["ack"] = dict(policy)
    return base


def _seconds(rtt: float) -> int:
    return int(min(max(_RTTS * rtt, _SHORTEST), _LONGEST))


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Goodput, Mbit/s, and what share of the unaggregated goodput that is."""
    import polars as pl

    rows = []
    for o in outcomes:
        e = estimate([r.flows["goodput_mbps"][0] for r in o.results])
        acks = estimate([float(r.flows["acks_received"][0]) for r in o.results])
        rows.append(
            {
                **o.keys,
                "paper": None,
                "acklab": e.mean,
                "ci_low": e.low,
                "ci_high": e.high,
                "seeds": e.n,
                "acks": acks.mean,
            }
        )
    frame = pl.DataFrame(rows, schema_overrides={"paper": pl.Float64}, infer_schema_length=None)
    base = frame.filter((pl.col("ratio") == 1) & (pl.col("grid") != "rival"))
    plain = base.filter((pl.col("grid") == "buffer") & (pl.col("value") == "1 BDP"))
    rivals = plain.select("cc", pl.col("acklab").alias("plain"))
    own = base.select("grid", "value", "cc", pl.col("acklab").alias("own"))
    return (
        frame.join(own, on=["grid", "value", "cc"], how="left")
        .join(rivals, on="cc", how="left")
        .with_columns((pl.col("acklab") / pl.coalesce("own", "plain")).alias("share"))
        .drop("own", "plain")
    )


def plot(frame: pl.DataFrame, stem: Path) -> Path:
    """A heat map per grid and controller: the share of throughput that aggregation leaves."""
    import polars as pl

    grids = ["timer", "rate", "rtt", "buffer"]
    fig, axes = style.figure(len(grids), len(PAPER_CONTROLLERS), (11, 9), share=False)
    image = None
    for row, grid in zip(axes, grids, strict=True):
        for ax, cc in zip(row, PAPER_CONTROLLERS, strict=True):
            part = frame.filter((pl.col("grid") == grid) & (pl.col("cc") == cc))
            values = list(dict.fromkeys(part["value"]))
            shares = [
                part.filter(pl.col("value") == v).sort("ratio")["share"].to_list() for v in values
            ]
            image = ax.imshow(shares, cmap="cividis", vmin=0, vmax=1, aspect="auto")
            for y, line in enumerate(shares):
                for x, share in enumerate(line):
                    ink = "white" if share < 0.55 else "black"
                    ax.text(x, y, f"{share:.2f}", ha="center", va="center", fontsize=7, color=ink)
            ax.set_title(CC_NAMES[cc] if grid == grids[0] else "")
            ax.set_xticks(range(len(RATIOS)), [f"{r}:1" for r in RATIOS])
            ax.set_yticks(range(len(values)), values if cc == PAPER_CONTROLLERS[0] else [])
            ax.grid(visible=False)
        row[0].set_ylabel({"rtt": "RTT", "rate": "bottleneck"}.get(grid, grid))
    if image is not None:
        fig.colorbar(
            image, ax=axes, shrink=0.5, label="share of the throughput without aggregation"
        )
    return style.save(fig, stem)


def advice(frame: pl.DataFrame) -> str:
    """A line per controller, every number from the table."""
    import polars as pl

    lines = []
    for cc in PAPER_CONTROLLERS:
        part = frame.filter((pl.col("cc") == cc) & (pl.col("grid") != "rival"))
        bad = part.filter(pl.col("share") < 0.9)
        worst = part.sort("share").row(0, named=True)
        first = min(bad["ratio"].to_list(), default=None)
        from_ = "nowhere" if first is None else f"at {first}:1"
        rivals = frame.filter((pl.col("cc") == cc) & (pl.col("grid") == "rival")).sort("share")
        best = rivals.row(-1, named=True)
        lines.append(
            f"- **{CC_NAMES[cc]}**: {bad.height} of {part.height} cells lose a tenth or more. "
            f"Losses begin {from_}. The worst is {worst['grid']} {worst['value']} at "
            f"{worst['ratio']}:1, which keeps {worst['share']:.0%}. Best rival: {best['value']}, "
            f"{best['share']:.0%} with {best['acks']:.0f} ACKs."
        )
    return "\n".join(lines)
