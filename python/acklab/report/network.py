"""The network of a run as a small drawing in the page's own colours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from acklab.plots.topology import MOST_NODES, Edge, edges_of, places

#: Units of the drawing from column to column, from row to row, and around it.
_ACROSS, _DOWN, _ROUND = 150, 50, 22
#: A node's box, and the width of a letter in it.
_HIGH, _LETTER = 22, 6.2
#: Hosts at the same place and with equal links are drawn one by one up to this number.
MOST_ALIKE = 4


def drawn(spec: Mapping[str, Any]) -> str:
    """The drawing of a resolved scenario as a figure; nothing if it has too many nodes, or none."""
    nodes = [str(n["name"]) for n in spec.get("node", [])]
    senders = [str(f["from"]) for f in spec.get("flow", []) if "from" in f]
    nodes, edges, whose = _together(nodes, edges_of(spec))
    if not 1 < len(nodes) <= MOST_NODES:
        return ""
    at = places(nodes, edges, list(dict.fromkeys(whose.get(s, s) for s in senders)))
    rows = [y for _, y in at.values()]
    wide = 2 * (_ROUND + 40) + _ACROSS * max(x for x, _ in at.values())
    high = 2 * _ROUND + _DOWN * (max(rows) - min(rows))

    def place(node: str) -> tuple[float, float]:
        x, y = at[node]
        return _ROUND + 40 + _ACROSS * x, _ROUND + _DOWN * (max(rows) - y)

    body = "".join(_edge(place(e.a), place(e.b), e) for e in edges)
    for a, b, words in _filtered(spec):
        if a in at and b in at:
            x, y = ((p + q) / 2 for p, q in zip(place(a), place(b), strict=True))
            body += _text(x, y + 13, words)
    body += "".join(_node(place(n), n) for n in nodes)
    told = ", ".join(f"{e.a} to {e.b} ({_words(e)})" for e in edges)
    label = escape(f"The network: {told}", quote=True)
    return (
        f'<figure class="network"><svg viewBox="0 0 {wide:.0f} {high:.0f}" role="img" '
        f'aria-label="{label}" style="max-width:{wide:.0f}px">{body}</svg></figure>'
    )


def _together(nodes: list[str], edges: list[Edge]) -> tuple[list[str], list[Edge], dict[str, str]]:
    """Many hosts with one equal link each to the same node become one; and the name of each."""
    own: dict[str, list[Edge]] = {n: [] for n in nodes}
    for e in edges:
        own[e.a].append(e)
        own[e.b].append(e)
    alike: dict[tuple[str, str, bool], list[str]] = {}
    for node, (*more, edge) in ((n, of) for n, of in own.items() if of):
        if not more:
            other = edge.b if edge.a == node else edge.a
            alike.setdefault((other, edge.text, edge.radio), []).append(node)
    whose = {
        node: f"{of[0]} … {of[-1]}" for of in alike.values() if len(of) > MOST_ALIKE for node in of
    }
    kept = list(dict.fromkeys(whose.get(n, n) for n in nodes))
    renamed = [Edge(whose.get(e.a, e.a), whose.get(e.b, e.b), e.text, e.radio) for e in edges]
    return kept, list(dict.fromkeys(renamed)), whose


def _words(edge: Edge) -> str:
    return edge.text.strip(", ") or "a link"


def _edge(a: tuple[float, float], b: tuple[float, float], edge: Edge) -> str:
    """A line with rate and delay; radio is dotted."""
    look = ' stroke-dasharray="1 4" stroke-linecap="round"' if edge.radio else ""
    x, y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    return (
        f'<line x1="{a[0]:.0f}" y1="{a[1]:.0f}" x2="{b[0]:.0f}" y2="{b[1]:.0f}" '
        f'stroke="var(--soft)" stroke-width="1.6"{look}/>'
        f"{_text(x, y - 5, _words(edge))}"
    )


def _text(x: float, y: float, words: str) -> str:
    return (
        f'<text class="beside small" x="{x:.0f}" y="{y:.0f}" text-anchor="middle">'
        f"{escape(words)}</text>"
    )


def _filtered(spec: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The ends of links with an ACK filter in either direction, and its name."""
    for link in spec.get("link", []):
        for way in (link, link.get("reverse", {})):
            given = way.get("ack_filter", "none")
            each = given if isinstance(given, list) else [given]
            names = [str(f.get("name", "")) if isinstance(f, dict) else str(f) for f in each]
            if names != ["none"]:
                yield str(link["a"]), str(link["b"]), f"ACK filter: {', '.join(names)}"


def _node(at: tuple[float, float], name: str) -> str:
    wide = max(34.0, 14 + _LETTER * len(name))
    return (
        f'<rect x="{at[0] - wide / 2:.1f}" y="{at[1] - _HIGH / 2:.1f}" width="{wide:.1f}" '
        f'height="{_HIGH}" rx="5" fill="var(--card)" stroke="var(--l0)"/>'
        f'<text x="{at[0]:.0f}" y="{at[1] + 4:.0f}" text-anchor="middle">{escape(name)}</text>'
    )
