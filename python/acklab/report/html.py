"""Pieces of the page as HTML: prose, tables, pictures."""

from __future__ import annotations

import base64
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from acklab.errors import AcklabError
from acklab.report.parts import Picture, shown

if TYPE_CHECKING:
    import polars as pl
    from markdown_it import MarkdownIt

#: Longer tables are cut, with a note: a page is read, the files beside it have every row.
MOST_ROWS = 400

#: Letters of a cell up to which it is kept on one line.
LONGEST_NAME = 24

_WIDE = '<div class="wide" tabindex="0" role="region" aria-label="{}">\n'


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    md = MarkdownIt("commonmark", {"html": False}).enable("table")
    md.add_render_rule("table_open", lambda *_: _WIDE.format("table") + '<table class="sortable">')
    md.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return md


def prose(markdown: str) -> str:
    """CommonMark with tables; HTML within it is shown, not obeyed."""
    return str(_markdown().render(markdown))


def words(markdown: str) -> str:
    """The same within a line."""
    return str(_markdown().renderInline(markdown))


def table(frame: pl.DataFrame, title: str) -> str:
    """A table that can be sorted by any column."""
    head = "".join(f'<th scope="col">{escape(c)}</th>' for c in frame.columns)
    body = "\n".join(_row(r) for r in frame.head(MOST_ROWS).iter_rows())
    cut = ""
    if frame.height > MOST_ROWS:
        cut = f'<p class="note">The first {MOST_ROWS} of {frame.height} rows.</p>'
    return (
        _WIDE.format(escape(title))
        + f'<table class="sortable"><caption class="unseen">{escape(title)}</caption>\n'
        + f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{cut}"
    )


def _row(values: tuple[Any, ...]) -> str:
    return "<tr>" + "".join(map(_cell, values)) + "</tr>"


def _cell(value: Any) -> str:
    text = shown(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Sorting goes by the number, not by its four digits.
        return f'<td class="number" data-value="{value!r}">{text}</td>'
    # Names such as `left->right` are not to be broken.
    mark = ' class="name"' if len(text) <= LONGEST_NAME else ""
    return f"<td{mark}>{escape(text)}</td>"


def picture(figure: Picture) -> str:
    """A figure within the page. As an image, an SVG's names stay its own."""
    caption = f"<figcaption>{words(figure.caption)}</figcaption>" if figure.caption else ""
    alt = escape(figure.alt, quote=True)
    return f'<figure><img alt="{alt}" src="{_data_url(figure)}">{caption}</figure>'


def _data_url(figure: Picture) -> str:
    if isinstance(figure.image, bytes):
        return _svg_url(figure.image)
    path = figure.image
    try:
        data = path.read_bytes()
    except OSError as e:
        raise AcklabError(f"cannot read the figure {path}: {e.strerror or e}") from None
    if path.suffix == ".svg":
        return _svg_url(data)
    if path.suffix == ".png":
        return "data:image/png;base64," + base64.b64encode(data).decode()
    raise AcklabError(f"a report cannot hold {path}\n  help: give it as SVG or PNG")


def _svg_url(data: bytes) -> str:
    # Shorter than base64, for SVG is nearly all characters that need no escape.
    return "data:image/svg+xml," + quote(data, safe=" ='/:;,.()-+*!?@$[]{}|~_")
