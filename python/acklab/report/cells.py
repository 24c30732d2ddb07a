"""The table of a sweep's cells: a row each, to be sorted and filtered, and made again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from acklab.plots import style
from acklab.report import html
from acklab.report.summed import Summed
from acklab.report.top import name_of
from acklab.stats import estimate_by
from acklab.sweeps import values
from acklab.sweeps.grid import Axis, Grid, Key

if TYPE_CHECKING:
    import polars as pl

    from acklab.sweeps.results import SweepResult

#: Rows of the table: about 1,200 bytes of the page each.
MOST_ROWS = 1000


def grid_of(result: SweepResult) -> Grid:
    """The grid as the sweep's folder keeps it."""
    return Grid(
        tuple(
            Axis(tuple(Key(k["key"], n, values.read(k["key"], k["values"])) for n, k in a.items()))
            for a in result.manifest.axes
        )
    )


def means(summed: Summed, keys: Sequence[str]) -> pl.DataFrame:
    """`cell`, the keys, `seeds`, and a mean with half of its interval for each metric."""
    import polars as pl

    columns = []
    for metric in summed.metrics:
        found = estimate_by(summed.runs, ["cell"], metric)
        # One side may be cut at what the metric can be.
        upper, lower = pl.col("ci_high") - pl.col("mean"), pl.col("mean") - pl.col("ci_low")
        half = pl.max_horizontal(upper, lower)
        columns.append(found.select(pl.struct("mean", half.alias("half")).alias(metric)))
    heads = summed.runs.group_by("cell", maintain_order=True).agg(
        pl.col(list(keys)).first(), pl.len().alias("seeds")
    )
    return pl.concat([heads, *columns], how="horizontal").sort("cell", maintain_order=True)


def rendered(result: SweepResult, summed: Summed, beside: bool) -> str:
    """The section; `beside` is whether the page stands in the sweep's folder."""
    keys = result.keys
    frame = means(summed, keys)
    shown = frame.head(MOST_ROWS)
    heads = "".join(
        f'<th scope="col">{escape(h)}</th>'
        for h in (*keys, "seeds", *(_heading(m, summed) for m in summed.metrics))
    )
    commands = _Commands(result, beside)
    body = "\n".join(
        _row(row, len(keys), summed.metrics, commands) for row in shown.iter_rows(named=True)
    )
    cut = ""
    if len(frame) > len(shown):
        cut = (
            f'<p class="note">The first {len(shown):,} of {len(frame):,} cells. Every one is in '
            f'<code>acklab.open("{escape(result.folder.name)}").stats("{summed.metrics[0]}")'
            "</code>.</p>"
        )
    long = " long" if len(shown) > html.MOST_ON_PAPER else ""
    return (
        f'<section id="cells"><h2>Every cell</h2><p class="note">{_about(summed)}</p>'
        '<div class="filter" data-rows="#cells tbody tr" role="group" aria-label="Which cells">'
        '<input type="search" aria-label="Search the cells" '
        f'placeholder="words of a row, such as {escape(_example(frame, keys))}"><output></output>'
        f'</div>{cut}<div class="wide{long}" tabindex="0" role="region" aria-label="Every cell">'
        '<table class="sortable cells"><caption class="unseen">Every cell</caption>'
        f'<thead><tr>{heads}<th scope="col" class="plain">again</th></tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>{_on_paper(len(shown))}{commands.about()}</section>"
    )


def _heading(metric: str, summed: Summed) -> str:
    """A metric with its unit; a sum over flows says so, since other tables have means."""
    head = style.heading(metric)
    if metric not in summed.sums:
        return head
    name, comma, unit = head.partition(", ")
    return f"{name} (sum){comma}{unit}"


def _about(summed: Summed) -> str:
    told = "Mean over seeds ± half of its 95 % interval (Student's t)."
    if summed.most_flows == 1:
        return told
    names = [name_of(m) for m in summed.metrics if m in summed.sums]
    added = f" Sums over the flows of a run: {', '.join(names)}." if names else ""
    rest = [name_of(m) for m in summed.metrics if m not in summed.sums and m != "jain"]
    means = f" Means over these flows: {', '.join(rest)}." if rest else ""
    return f"{told}{escape(added)}{escape(means)}"


def _example(frame: pl.DataFrame, keys: Sequence[str]) -> str:
    return f"{keys[0]}={frame[keys[0]][0]}".replace(" ", "") if keys else "1"


def _on_paper(rows: int) -> str:
    if rows <= html.MOST_ON_PAPER:
        return ""
    return f'<p class="note on-paper">On paper the first {html.MOST_ON_PAPER} of {rows:,} rows.</p>'


class _Commands:
    """How each cell is run again with everything recorded."""

    def __init__(self, result: SweepResult, beside: bool) -> None:
        self._grid = grid_of(result)
        self._overrides = list(result.manifest.overrides.items())
        self._scenario = next(iter(result.scenarios), "scenario.toml")
        seeds = result.manifest.seeds
        self._seed = 1 if isinstance(seeds, int) else seeds[0]
        self._beside = beside

    def of(self, cell: int) -> str:
        """The command line."""
        words = ["acklab", "run", self._scenario]
        for key, value in (*self._overrides, *self._grid.overrides(cell)):
            words += ["--set", f"{key}={value}"]
        more = ["--seed", str(self._seed), "--record", "all", "--report", "--out", f"cells/{cell}"]
        return shlex.join([*words, *more])

    def cell(self, cell: int) -> str:
        """The last cell of a row: folded, the command and where it leaves its page."""
        page = f"cells/{cell}/report.html"
        link = f'<br>then <a href="{page}#series">open its page</a>' if self._beside else ""
        return (
            f'<td class="again"><details><summary>run<span class="unseen"> cell {cell} again'
            f"</span></summary><code>{escape(self.of(cell))}</code>{link}</details></td>"
        )

    def about(self) -> str:
        """Where to give the commands."""
        then = (
            " The link works once the command has run: it opens the run over time."
            if self._beside
            else ""
        )
        return (
            '<p class="note">Under <b>run</b> is the command that makes the first run of a cell '
            f"again with everything recorded. Give it in the folder of the sweep.{then}</p>"
        )


def _row(row: dict[str, object], keys: int, metrics: Sequence[str], commands: _Commands) -> str:
    names = list(row)[1 : keys + 1]
    told = "".join(html.cell(row[k]) for k in (*names, "seeds", *metrics))
    words = escape("\n".join(f"{k}={row[k]}".replace(" ", "") for k in names), quote=True)
    return f'<tr data-keys="{words}">{told}{commands.cell(int(str(row["cell"])))}</tr>'
