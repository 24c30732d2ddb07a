"""The little Markdown that our reports use, as HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  :root {{ color-scheme: light dark; }}
  body {{ font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 2.5rem auto;
         padding: 0 1rem; }}
  h1 {{ line-height: 1.2; }}
  h3 {{ margin-top: 2.2rem; }}
  table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
  th, td {{ padding: .2rem .8rem; border-bottom: 1px solid color-mix(in srgb, currentColor 18%,
            transparent); text-align: right; }}
  th:first-child, td:first-child {{ text-align: left; }}
  tr.group td {{ border-top: 2px solid color-mix(in srgb, currentColor 45%, transparent); }}
  img {{ max-width: 100%; background: white; }}
  code {{ background: color-mix(in srgb, currentColor 9%, transparent); padding: .1em .3em; }}
  .wide {{ overflow-x: auto; }}
</style>
{body}
</html>
"""


def to_html(markdown: str, title: str, inline: Mapping[str, str]) -> str:
    """A page that stands alone; `inline` has the pictures' contents as data URLs."""
    blocks = (b for b in re.split(r"\n{2,}", markdown.strip()) if b.strip())
    body = "\n".join(_block(b.strip("\n"), inline) for b in blocks)
    return _PAGE.format(title=html.escape(title), body=body)


def _block(block: str, inline: Mapping[str, str]) -> str:
    if heading := re.match(r"(#+) (.*)", block):
        level = len(heading[1])
        return f"<h{level}>{_spans(heading[2], inline)}</h{level}>"
    if block.startswith("|"):
        return '<div class="wide"><table>\n' + "\n".join(_rows(block, inline)) + "\n</table></div>"
    if block.startswith("- "):
        items = re.split(r"\n- ", block[2:])
        return "<ul>" + "".join(f"<li>{_spans(i, inline)}</li>" for i in items) + "</ul>"
    return f"<p>{_spans(block, inline)}</p>"


def _rows(block: str, inline: Mapping[str, str]) -> Iterator[str]:
    before = None
    for i, line in enumerate(block.splitlines()):
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if i == 1:
            continue
        tag = "th" if i == 0 else "td"
        group = ' class="group"' if i > 2 and cells[0] != before else ""
        before = cells[0]
        row = "".join(f"<{tag}>{_spans(c, inline)}</{tag}>" for c in cells)
        yield f"<tr{group}>{row}</tr>"


def _spans(text: str, inline: Mapping[str, str]) -> str:
    text = html.escape(text, quote=False)
    text = re.sub(
        r"!\[(.*?)\]\((.*?)\)",
        lambda m: f'<img alt="{html.escape(m[1])}" src="{inline.get(m[2], m[2])}">',
        text,
    )
    text = re.sub(r"\[(.*?)\]\((.*?)\)", r'<a href="\2">\1</a>', text)
    text = re.sub(r"`(.*?)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*(.*?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\*(.*?)\*", r"<em>\1</em>", text)
