"""Pieces of the page as HTML: prose, tables, pictures."""

from __future__ import annotations

import base64
import re
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from acklab.errors import AcklabError
from acklab.report.parts import Picture, shown, spread

if TYPE_CHECKING:
    import polars as pl
    from markdown_it import MarkdownIt

#: Longer tables are cut, with a note: a page is read, the files beside it have every row.
MOST_ROWS = 400

#: Rows that paper shows, and after which a table on a screen gets a bar to scroll it by.
MOST_ON_PAPER = 40

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
    # Readers without a mouse scroll a long line with the keys.
    return str(_markdown().render(markdown)).replace("<pre>", '<pre tabindex="0">')


def words(markdown: str) -> str:
    """The same within a line."""
    return str(_markdown().renderInline(markdown))


def table(frame: pl.DataFrame, title: str, sortable: bool = True) -> str:
    """A table that can be sorted by any column; intervals are structs of `mean` and `half`."""
    head = "".join(f'<th scope="col">{_heading(c)}</th>' for c in frame.columns)
    body = "\n".join(_row(r) for r in frame.head(MOST_ROWS).iter_rows())
    notes = ""
    if frame.height > MOST_ROWS:
        notes = f'<p class="note">The first {MOST_ROWS} of {frame.height} rows.</p>'
    if frame.height > MOST_ON_PAPER:
        notes += (
            f'<p class="note on-paper">On paper the first {MOST_ON_PAPER} of '
            f"{frame.height} rows.</p>"
        )
    wide = _WIDE.format(escape(title))
    if frame.height > MOST_ON_PAPER:
        wide = wide.replace('class="wide"', 'class="wide long"')
    opening = '<table class="sortable">' if sortable else "<table>"
    return (
        f"{wide}{opening}"
        f'<caption class="unseen">{escape(title)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{notes}"
    )


def _heading(column: str) -> str:
    """A column's name, which may be broken where its words end."""
    return escape(column).replace("_", "_<wbr>").replace(".", ".<wbr>")


def _row(values: tuple[Any, ...]) -> str:
    return "<tr>" + "".join(map(cell, values)) + "</tr>"


def cell(value: Any) -> str:
    """A cell of a table; numbers have their whole value to be sorted by."""
    if isinstance(value, dict):
        return _interval(value["mean"], value["half"])
    text = shown(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Sorting goes by the number, not by its four digits.
        return f'<td class="number" data-value="{value!r}">{text}</td>'
    # Names such as `left->right` are not to be broken.
    mark = ' class="name"' if len(text) <= LONGEST_NAME else ""
    return f"<td{mark}>{escape(text)}</td>"


def _interval(mean: float | None, half: float | None) -> str:
    if mean is None:
        return '<td class="number" data-value=""></td>'
    more = f' <span class="half">± {spread(half, mean)}</span>' if half is not None else ""
    return f'<td class="number" data-value="{mean!r}">{shown(mean)}{more}</td>'


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
    # Line ends, indents and double quotes are a sixth of a figure once escaped, and mean nothing.
    data = re.sub(rb"\s*\n\s*", b" ", data)
    data = data if b"'" in data else data.replace(b'"', b"'")
    # Shorter than base64, for SVG is nearly all characters that need no escape.
    return "data:image/svg+xml," + quote(data, safe=" ='/:;,.()-+*!?@$[]{}|~_")
