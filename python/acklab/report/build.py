"""The page: the answer and the claims first, then the sections, then how it was made."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path

import acklab
from acklab.errors import AcklabError
from acklab.folder import write_atomically
from acklab.report import html
from acklab.report.charts import Charts
from acklab.report.claims import claims_section
from acklab.report.parts import Claim, Section

_HERE = Path(__file__).parent

#: Bytes; beyond it mail servers and phones refuse.
MOST_BYTES = 10_000_000

#: A longer table of contents is folded.
_SHORT = 10

#: The browser itself keeps the page from asking a network for anything.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def build(
    title: str,
    claims: Sequence[Claim] = (),
    sections: Sequence[Section] = (),
    meta: Mapping[str, str] | None = None,
    note: str = "",
    answer: str = "",
    top: str = "",
) -> str:
    """The report as one HTML page that needs nothing else; the same input gives the same bytes.

    `claims` come first, if there are some. `meta` says how it was made (seeds, the command that
    makes it again, the source); the version is added. Claims refer to sections by their `name`.
    `note`, in Markdown, says above the claims how to read them; `answer`, in Markdown, leads the
    page. `top` is HTML that stands for the head of the page, as `acklab.report.top` makes it.
    """
    anchors = [s.anchor for s in sections]
    if twice := {a for a in anchors if anchors.count(a) > 1}:
        raise ValueError(f"sections with the same name: {sorted(twice)}")
    charts = Charts(sections)
    parts = [top or f"<header><h1>{escape(title)}</h1>{_meta(meta or {})}</header>"]
    parts.append(_contents([s for s in sections if not s.folded], bool(claims)))
    if answer:
        _check_links(answer, {"claims", *anchors})
        parts.append(_section(Section("In short", answer), charts))
    if claims:
        parts.append(claims_section(claims, anchors, note))
    parts += [_section(s, charts) for s in sections if not s.folded]
    if folded := [_folded(s, charts) for s in sections if s.folded]:
        parts.append('<div class="folds">' + "\n".join(folded) + _ON_PAPER + "</div>")
    return whole(title, "\n".join(parts), with_charts=any(s.charts for s in sections))


def _check_links(markdown: str, anchors: Collection[str]) -> None:
    """Every link into the page itself must lead somewhere."""
    if lost := sorted(set(re.findall(r"\]\(#([^)]+)\)", markdown)) - set(anchors)):
        raise ValueError(f"the answer links to {lost}; the sections are {sorted(anchors)}")


def save(page: str, path: str | os.PathLike[str]) -> Path:
    """Writes the page, complete or not at all."""
    path = Path(path)
    size = len(page.encode())
    if size > MOST_BYTES:
        raise AcklabError(
            f"the report {path} would have {size / 1e6:.1f} MB, more than {MOST_BYTES / 1e6:.0f}\n"
            "  help: give fewer or smaller figures; charts are reduced already"
        )
    write_atomically(path, page)
    return path


def _meta(meta: Mapping[str, str]) -> str:
    items = {**meta, "made by": f"acklab {acklab.__version__}"}
    rows = "".join(
        f"<div><dt>{escape(k)}</dt><dd>{html.words(v)}</dd></div>" for k, v in items.items()
    )
    return f'<dl class="meta">{rows}</dl>'


def _contents(sections: Sequence[Section], claims: bool) -> str:
    if len(sections) < 3:
        return ""
    places = [("claims", "Claims")] * claims + [(s.anchor, s.title) for s in sections]
    links = "".join(f'<li><a href="#{a}">{escape(title)}</a></li>' for a, title in places)
    listed = f"<ol>{links}</ol>"
    if len(places) > _SHORT:
        # A long list is folded, so that the first screen has room for the verdicts and numbers.
        listed = f"<details><summary>Contents ({len(places)})</summary>{listed}</details>"
    return f'<nav aria-label="Contents">{listed}</nav>'


_ON_PAPER = '<p class="note on-paper">On paper are the sections that were unfolded.</p>'


def _section(section: Section, charts: Charts) -> str:
    head = f'<section id="{section.anchor}">\n<h2>{escape(section.title)}</h2>'
    return "\n".join([head, *_content(section, charts), "</section>"])


def _folded(section: Section, charts: Charts) -> str:
    """The same under its title, which unfolds it."""
    note = f'<span class="note">{escape(section.note)}</span>' if section.note else ""
    head = f"<summary><h2>{escape(section.title)}</h2>{note}</summary>"
    content = "\n".join(_content(section, charts))
    return f'<section id="{section.anchor}"><details>{head}\n{content}\n</details></section>'


def _content(section: Section, charts: Charts) -> list[str]:
    parts = []
    if section.markdown:
        parts.append(html.prose(section.markdown))
    still = html.picture(section.picture) if section.picture is not None else ""
    if section.charts and section.folded:
        # A reader who unfolded a section wants its charts at once.
        parts.append(f'<div class="charts">{charts.of(section)}</div>')
        parts.append(_still(still) if still else "")
    elif section.charts and still:
        parts += [still, _interactive(charts.of(section))]
    elif section.charts:
        parts.append(f'<div class="charts">{charts.of(section)}</div>')
    elif still:
        parts.append(still)
    if section.table is not None:
        parts.append(html.table(section.table, section.title, section.sortable))
    return parts


def _interactive(charts: str) -> str:
    """Below a static figure they are unfolded by who wants them."""
    return (
        '<details class="interactive"><summary>Interactive: zoom, read values</summary>'
        f'<div class="charts">{charts}</div></details>'
    )


def _still(figure: str) -> str:
    return f'<details class="still"><summary>The same as a figure</summary>{figure}</details>'


def whole(title: str, body: str, with_charts: bool, own: Sequence[str] = ()) -> str:
    """The page about `body`; `own` names the style sheets and scripts of one kind of page."""
    names = ("assets/house.css", *(own or ("assets/page.css",)))
    css = "".join(_asset(name) for name in names if name.endswith(".css"))
    scripts = ["assets/page.js", *(name for name in own if name.endswith(".js"))]
    licence = ""
    if with_charts:
        css = _asset("vendor/uplot/uPlot.min.css") + css
        scripts += ["vendor/uplot/uPlot.iife.min.js", "assets/lines.js", "assets/heat.js"]
        licence = f"<!-- The charts are drawn by uPlot.\n{_asset('vendor/uplot/LICENSE')}-->\n"
    script = "\n".join(_asset(name) for name in [*scripts, "assets/start.js"])
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
{licence}<style>
{css}</style>
</head>
<body>
<main>
{body}
</main>
<script>
{script}</script>
</body>
</html>
"""


@cache
def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
