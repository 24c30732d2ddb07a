"""Interactive charts: their data as JSON, reduced and with a note of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.plots.reduce import allowance, m4
from acklab.report.parts import Chart, Line, Section

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Charts:
    """All charts of a page; they share its budget of points."""

    def __init__(self, sections: Sequence[Section]) -> None:
        lines = [line for s in sections for c in s.charts for line in c.lines]
        self._most = allowance([len(line.x) for line in lines])

    def of(self, section: Section) -> str:
        """The charts of `section`; the page's script draws them when they come into view."""
        return "\n".join(self._chart(c) for c in section.charts)

    def _chart(self, chart: Chart) -> str:
        points = sum(len(line.x) for line in chart.lines)
        lines = [_reduced(line, self._most) for line in chart.lines]
        kept = sum(len(line["x"]) for line in lines)
        n = len(lines)
        spec = {
            "title": chart.title,
            "x": chart.x,
            "y": chart.y,
            "log": chart.log,
            "kinds": [line.kind or chart.kind for line in chart.lines],
            "lines": lines,
            "light": style.ordered(n) if chart.ordered else style.cycle(n),
            "dark": style.ordered(n, dark=True) if chart.ordered else style.cycle(n, dark=True),
            "dashes": [style.dash_pixels(i) for i in range(n)],
        }
        title = escape(chart.title, quote=True)
        return f"""<div class="chart">
<div class="head"><h4>{escape(chart.title)}</h4></div>
<div class="plot" role="img" aria-label="Chart: {title}"></div>
<script type="application/json">{_json(spec)}</script>
{_note(points, kept)}</div>"""


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
        return f'<p class="note">All {points:,} points.</p>'
    return (
        f'<p class="note">{kept:,} of {points:,} points: of each narrow interval the first, last, '
        "lowest and highest (M4), so extremes are true.</p>"
    )


def _json(spec: dict[str, Any]) -> str:
    # Nothing in it can end the script element, or begin a comment in it.
    return json.dumps(spec, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
