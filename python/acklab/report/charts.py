"""Interactive charts: their data as JSON, reduced and with a note of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from acklab.plots import lines as static
from acklab.plots import style
from acklab.plots.reduce import allowance, m4
from acklab.report.interactive import Bars, Chart, HeatMap, Interactive, Line
from acklab.report.parts import Section

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

#: Bars of a chart: more than a screen has columns of pixels for, zoomed in tenfold.
MOST_BARS = 15_000


class Charts:
    """All charts of a page; their lines share its budget of points."""

    def __init__(self, sections: Sequence[Section]) -> None:
        charts = [c for s in sections for c in s.charts if isinstance(c, Chart)]
        self._most = allowance([len(line.x) for c in charts for line in c.lines])

    def of(self, section: Section) -> str:
        """The charts of `section`; the page's script draws them when they come into view."""
        return "\n".join(self._drawn(c) for c in section.charts)

    def _drawn(self, chart: Interactive) -> str:
        if isinstance(chart, Bars):
            return _place("bars", chart.title, *_bars(chart))
        if isinstance(chart, HeatMap):
            return _place("heat", chart.title, *_heat(chart))
        return _place("lines", chart.title, *_lines(chart, self._most))


def _place(kind: str, title: str, spec: dict[str, Any], note: str) -> str:
    label = escape(title, quote=True)
    noted = f'<p class="note">{escape(note)}</p>' if note else ""
    return f"""<div class="chart" data-kind="{kind}">
<div class="head"><h3>{escape(title)}</h3></div>
<div class="plot" role="group" aria-label="Chart: {label}"></div>
<script type="application/json">{_json(spec)}</script>
{noted}</div>"""


def _lines(chart: Chart, most: int) -> tuple[dict[str, Any], str]:
    import numpy as np

    points = sum(len(line.x) for line in chart.lines)
    lines = [_reduced(line, most) for line in chart.lines]
    kept = sum(len(line["x"]) for line in lines)
    values = np.array([v for line in lines for v in line["y"] if v is not None], dtype=np.float64)
    top = static.ceiling(values)
    looks = chart.looks or range(len(lines))
    colours = style.ordered if chart.ordered else style.cycle
    light, dark = (colours(max(looks, default=0) + 1, dark=dark) for dark in (False, True))
    spec = {
        "x": chart.x,
        "y": chart.y,
        "log": chart.log,
        "top": top,
        "kinds": [line.kind or chart.kind for line in chart.lines],
        "lines": lines,
        "light": [light[i] for i in looks],
        "dark": [dark[i] for i in looks],
        "dashes": [style.dash_pixels(i) for i in looks],
    }
    note = _note(points, kept)
    if top is not None:
        note += f" A peak of {values.max():.3g} is beyond the scale; zoom in on it to see it."
    return spec, note


def _reduced(line: Line, most: int) -> dict[str, Any]:
    import numpy as np

    x = np.asarray(line.x, dtype=np.float64)
    y = np.asarray([np.nan if v is None else v for v in line.y], dtype=np.float64)
    order = np.argsort(x, kind="stable")
    x, y = m4(x[order], y[order], most)
    return {"name": line.name, "x": _digits(x, 8), "y": _digits(y, 5)}


def _digits(values: NDArray[np.float64], digits: int) -> list[float | int | None]:
    """Numbers with so many digits as the eye has use for, so that the page stays small."""
    import math

    numbers = (float(f"{v:.{digits}g}") if math.isfinite(v) else None for v in values.tolist())
    return [int(v) if v is not None and v.is_integer() else v for v in numbers]


def _note(points: int, kept: int) -> str:
    if kept == points:
        return f"All {points:,} points."
    return (
        f"{kept:,} of {points:,} points: of each narrow interval the first, last, "
        "lowest and highest (M4), so extremes are true."
    )


def _bars(chart: Bars) -> tuple[dict[str, Any], str]:
    spans, shortest = _longest(chart.spans)
    states = [s for s in chart.light if s in set(spans["state"])]
    abouts = spans["about"].unique(maintain_order=True).to_list() if "about" in spans else []
    said = {about: i for i, about in enumerate(abouts)}
    rows = []
    for (flow,), own in spans.group_by("flow", maintain_order=True):
        codes = [states.index(s) for s in own["state"]]
        start, end = (_digits(own[c].to_numpy(), 8) for c in ("start_s", "end_s"))
        row = {"name": str(flow), "start": start, "end": end, "state": codes}
        rows.append(row | {"about": [said[a] for a in own["about"]]} if said else row)
    spec = {
        "x": chart.x,
        "unit": chart.unit,
        "rows": rows,
        "abouts": abouts,
        "states": states,
        "heights": [chart.heights.get(s, 0.76) for s in states],
        "light": [chart.light[s] for s in states],
        "dark": [chart.dark[s] for s in states],
    }
    kept, of = len(spans), len(chart.spans)
    if kept == of:
        return spec, chart.note or f"All {of:,} bars."
    return spec, f"{kept:,} of {of:,} bars: those of {1e3 * shortest:.3g} ms and longer."


def _longest(spans: pl.DataFrame) -> tuple[pl.DataFrame, float]:
    """The longest bars, in their order, and how long the shortest of them is."""
    import polars as pl

    length = pl.col("end_s") - pl.col("start_s")
    if len(spans) <= MOST_BARS:
        return spans, 0.0
    shortest = float(spans.select(length.top_k(MOST_BARS).min()).item())
    return spans.filter(length >= shortest).head(MOST_BARS), shortest


def _heat(chart: HeatMap) -> tuple[dict[str, Any], str]:
    frame = chart.cells
    steps = {k: frame[k].unique(maintain_order=True).to_list() for k in (chart.x, chart.y)}
    at = {k: {v: i for i, v in enumerate(values)} for k, values in steps.items()}
    width, size = len(steps[chart.x]), len(steps[chart.x]) * len(steps[chart.y])
    panels = []
    for (panel,), own in frame.group_by("panel", maintain_order=True):
        measures = {}
        for (measure,), rows in own.group_by("measure", maintain_order=True):
            columns = zip(rows[chart.x], rows[chart.y], strict=True)
            places = [at[chart.y][y] * width + at[chart.x][x] for x, y in columns]
            measures[str(measure)] = {c: _at(places, rows[c], size) for c in ("mean", "half")}
        panels.append({"name": str(panel), "measures": measures})
    spec = {
        "x": chart.x,
        "y": chart.y,
        "xs": list(map(str, steps[chart.x])),
        "ys": list(map(str, steps[chart.y])),
        "panels": panels,
        "scale": style.ordered(24, whole=True),
    }
    return spec, chart.note


def _at(places: list[int], values: pl.Series, size: int) -> list[float | int | None]:
    """The values where they belong among `size` cells; what there is none of is empty."""
    found: list[float | int | None] = [None] * size
    numbers = _digits(values.fill_null(float("nan")).to_numpy(), 4)
    for place, number in zip(places, numbers, strict=True):
        found[place] = number
    return found


def _json(spec: dict[str, Any]) -> str:
    # Nothing in it can end the script element, or begin a comment in it.
    return json.dumps(spec, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
