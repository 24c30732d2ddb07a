"""Results in a notebook: a line of words, a small table, a small figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from acklab.comparing import Comparison
    from acklab.opening import SavedRun
    from acklab.results import Result
    from acklab.scenario import Scenario
    from acklab.sweeps.results import SweepResult

#: Rows of a table.
MOST_ROWS = 8
#: Columns of flows that say most.
_COLUMNS = ("flow", "cc", "goodput_mbps", "rtt_p50_ms", "retransmissions")
_SIZE = (5.2, 1.9)


def run(result: Result | SavedRun) -> str:
    """A run: its flows, and goodput over time, or a bar each if no time was sampled."""
    flows = result.flows
    table = flows.select(c for c in _COLUMNS if c in flows.columns)
    words = f"{result.name}, seed {result.seed}, acklab {result.version}"
    return _page("Run of", words, table, lambda: _over_time(result))


def sweep(result: SweepResult) -> str:
    """A sweep: its keys, and a metric over them."""
    import polars as pl

    about = result.manifest
    words = f"{result.name}: {about.cells:,} cells, {about.runs:,} runs, in {result.folder}"
    keys = [(k, _values(a[k]["values"])) for a in about.axes for k in a]
    table = pl.DataFrame(keys, schema=["key", "values"], orient="row")
    return _page("Sweep of", words, table, lambda: _of_sweep(result))


def scenario(given: Scenario) -> str:
    """A scenario: its flows, and its network."""
    import tomllib

    import polars as pl

    from acklab.plots import topology

    spec = tomllib.loads(given.resolved)
    rows = [
        {"flow": f["name"], "from": f["from"], "to": f["to"], "controller": _named(f.get("cc"))}
        for f in spec["flow"]
    ]
    words = f"{given.name}: {spec['duration']}, {len(rows)} flows"
    return _page("Scenario", words, pl.DataFrame(rows), lambda: topology.draw(given.resolved))


def comparison(given: Comparison) -> str:
    """A comparison: goodput and RTT of each result, and boxes of the goodput."""
    import polars as pl

    table = given.table(["goodput_mbps", "rtt_p50_ms"]).select(
        pl.exclude("ci_low", "ci_high", "n", "difference"),
        (100 * pl.col("difference")).alias("difference, %"),
    )
    words = f"{len(given.names)} {given.kind}: {', '.join(given.names)}"
    return _page("Comparison of", words, table, lambda: _side_by_side(given))


def _values(given: Any) -> str:
    return given if isinstance(given, str) else ", ".join(map(str, given))


def _side_by_side(given: Comparison) -> Figure:
    """Boxes of what was sampled or swept, else a bar for each flow."""
    import polars as pl

    try:
        return given.plot("box")[0]
    except AcklabError:
        table = given.table(["goodput_mbps"])
        names = pl.concat_str("result", "flow", separator=", ")
        return _bars(table.select(names), table["mean"])


def _named(value: Any) -> str:
    return str(value.get("name", "")) if isinstance(value, dict) else str(value or "")


def _page(title: str, words: str, table: pl.DataFrame, figure: Callable[[], Figure | None]) -> str:
    try:
        drawn = figure()
    except AcklabError:
        # Some results have nothing to draw; their table says what there is.
        drawn = None
    svg = "" if drawn is None else _inline(drawn)
    head = f"<p><b>{escape(title)}</b> {escape(words)}</p>"
    return f"<div>{head}{_table(table)}{svg}</div>"


def _inline(figure: Figure) -> str:
    """The figure's SVG without what only a file needs; it shrinks with the notebook's column."""
    from acklab.plots import style

    text = style.render(figure, "svg").decode()
    _, _, svg = text.partition("<svg ")
    return f'<svg style="max-width:100%;background:#fff" {svg}'


def _table(frame: pl.DataFrame) -> str:
    head = "".join(f"<th>{escape(c)}</th>" for c in frame.columns)
    rows = "".join(_row(r) for r in frame.head(MOST_ROWS).iter_rows())
    more = len(frame) - MOST_ROWS
    rest = f'<tr><td colspan="{frame.width}">and {more:,} more</td></tr>' if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}{rest}</tbody></table>"


def _row(values: Sequence[Any]) -> str:
    return f"<tr>{''.join(f'<td>{escape(_text(v))}</td>' for v in values)}</tr>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _over_time(result: Result | SavedRun) -> Figure:
    from acklab.plots import legend, lines, rates, style
    from acklab.plots.kinds import recorded
    from acklab.plots.order import in_order, places

    source = recorded(result)
    at = places(source)
    series = source.table("series")
    if series is None:
        return _bars(result.flows.select("flow"), result.flows["goodput_mbps"])
    with style.house():
        fig, axes = style.figure(1, 1, _SIZE)
        ax = axes[0][0]
        rate = rates.goodput(series, rates.window_of(series, None))
        lines.draw(ax, in_order(rate, at), "mbps", "flow", "steps-pre", at)
        ax.set(xlabel="time, s", ylabel="goodput\nMbit/s")
        if rate["flow"].n_unique() <= MOST_ROWS:
            legend.outside(fig, ax)
    return fig


def _bars(names: pl.DataFrame, goodput: pl.Series) -> Figure:
    from acklab.plots import style

    labels = names.to_series().head(MOST_ROWS).to_list()
    with style.house():
        fig, axes = style.figure(1, 1, _SIZE)
        ax = axes[0][0]
        colours = [style.colour(i) for i in range(len(labels))]
        ax.barh(range(len(labels)), goodput.head(MOST_ROWS).to_list(), color=colours)
        ax.set_yticks(range(len(labels)), labels)
        ax.invert_yaxis()
        ax.set_xlabel("goodput, Mbit/s")
    return fig


def _of_sweep(result: SweepResult) -> Figure | None:
    try:
        drawn = result.plot.line()
    except AcklabError:
        drawn = result.plot.box()
    return drawn.figure
