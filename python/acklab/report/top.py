"""The first screen of a page: what it is of, the answer, a small table, one picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from acklab.metrics import DEFINITIONS
from acklab.plots import style
from acklab.report import html
from acklab.report.paper.drawing import Panel, key, panel

#: Digits of a number in a sentence.
DIGITS = 3


def header(
    of: str,
    title: str,
    answer: str,
    picture: str = "",
    more: str = "",
    warnings: Sequence[str] = (),
) -> str:
    """The head of a page: `of` says what kind of page it is, `answer` is Markdown, the rest HTML.

    The picture stands beside the words on a wide screen and below them on a narrow one.
    """
    warned = "".join(f'<p class="warn" role="note">{escape(w)}</p>' for w in warnings)
    return (
        f'<header class="top" id="answer"><div><p class="study">{escape(of)}</p>'
        f"<h1>{escape(title)}</h1>{warned}"
        f'<div class="answer">{_kept(html.prose(answer))}</div></div>{picture}'
        f"{f'<div>{more}</div>' if more else ''}</header>"
    )


def _kept(text: str) -> str:
    """No line begins with a unit: the blank between it and its number does not break."""
    return re.sub(r"(?<=\d) (?=(?:%|\w+/s|[mµ]?s|BDP|packets)\W)", "\u00a0", text)


def picture(
    panels: Sequence[tuple[Panel, str, str]],
    bounds: Sequence[tuple[float, float]],
    caption: str,
) -> str:
    """Small charts below each other, each with the names of its axes; `caption` is Markdown."""
    charts, lines = "", {s.name: (s.name, s.look, s.theirs) for p, _, _ in panels for s in p.series}
    for (of, x, y), (low, high) in zip(panels, bounds, strict=True):
        label = f"{y} by {x}: {', '.join(s.name for s in of.series)}"
        head = f"<figcaption>{escape(of.title)}</figcaption>" if of.title else ""
        drawn = panel(of, label, low, high, x, y)
        charts += f'<figure>{head}<p class="y-name">{escape(y)}</p>{drawn}</figure>'
    legend = key(list(lines.values())) if len(lines) > 1 else ""
    return (
        f'<figure class="picture"><div class="multiples">{charts}</div>{legend}'
        f"<figcaption>{html.words(caption)}</figcaption></figure>"
    )


def amount(value: float | None, column: str = "") -> str:
    """A number in a sentence, with the unit of its column: "9.64 Mbit/s"."""
    if value is None or value != value:
        return "no number"
    unit = unit_of(column)
    whole = abs(value) >= 10**DIGITS or float(value).is_integer()
    told = f"{value:,.0f}" if whole else f"{value:.{DIGITS}g}"
    return f"{told} {unit}" if unit else told


def unit_of(column: str) -> str:
    """The unit of a column; nothing for counts, shares and words."""
    _, comma, unit = style.heading(column).rpartition(", ")
    if comma:
        return unit
    return DEFINITIONS[column].unit if column in DEFINITIONS else ""


def name_of(column: str) -> str:
    """A column in a sentence, without its unit."""
    return style.heading(column).partition(", ")[0]


def short(value: Any) -> str:
    """A value of a key for a reader: of a building block its name, then its parameters."""
    if isinstance(value, bool):
        return str(value).lower()
    block = re.fullmatch(r"""\{\s*name\s*=\s*["'](.*?)["']\s*,?\s*(.*?)\s*\}""", str(value))
    return " ".join(block.groups()).strip() if block else str(value)


def glossary(columns: Sequence[str]) -> str:
    """Each of the columns that has a definition, in Markdown: its heading, unit, what it is."""
    rows = [
        f"| {style.heading(c).partition(', ')[0]} | `{c}` | {unit_of(c) or 'no unit'} | "
        f"{_plain(DEFINITIONS[c].text)} |"
        for c in dict.fromkeys(columns)
        if c in DEFINITIONS
    ]
    return "\n".join(["| quantity | column | unit | definition |", "|---|---|---|---|", *rows])


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def ticks_of(times: Sequence[float]) -> tuple[list[float], list[str]]:
    """The places along a time axis: every time, and round ones that have a label."""
    from acklab.report.paper.drawing import ticks

    if not times:
        return [], []
    marks = {round(t, 9): f"{t:.6g}" for t in ticks(min(times), max(times), 5)}
    every = sorted({round(t, 9) for t in times} | set(marks))
    return every, [marks.get(t, "") for t in every]
