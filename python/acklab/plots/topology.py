"""A scenario as a small drawing: hosts, links with rate and delay, radio channels."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acklab.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: More nodes are not told apart in a small drawing.
MOST_NODES = 16
#: Inches from column to column and from node to node.
_ACROSS, _DOWN = 1.55, 0.5


@dataclass(frozen=True)
class Edge:
    """A link, or the radio between an access point and a station."""

    a: str
    b: str
    text: str
    radio: bool


def draw(resolved: str) -> Figure | None:
    """The drawing of a resolved scenario; `None` if it has too many nodes, or none."""
    spec = tomllib.loads(resolved)
    nodes = [str(n["name"]) for n in spec.get("node", [])]
    if not 1 < len(nodes) <= MOST_NODES:
        return None
    edges = edges_of(spec)
    at = places(nodes, edges, [str(f["from"]) for f in spec.get("flow", [])])
    columns = max(x for x, _ in at.values()) + 1
    rows = max(abs(y) for _, y in at.values()) * 2 + 1
    size = (0.7 + _ACROSS * (columns - 1), 0.45 + _DOWN * max(rows, 1.0))
    with style.house():
        fig, axes = style.figure(1, 1, size)
        ax = axes[0][0]
        ax.axis("off")
        for edge in edges:
            _edge(ax, at[edge.a], at[edge.b], edge)
        for name, (x, y) in at.items():
            ax.text(x, y, name, ha="center", va="center", fontsize=8, bbox=_BOX)
        ax.set_xlim(-0.35, columns - 0.65)
        ax.set_ylim(-rows / 2 - 0.2, rows / 2 + 0.2)
    return fig


_BOX = {"boxstyle": "round,pad=0.25", "facecolor": "#ffffff", "edgecolor": "#0072B2"}


def _edge(ax: Any, a: tuple[int, float], b: tuple[int, float], edge: Edge) -> None:
    look = {"linestyle": (0, (1, 1.2))} if edge.radio else {}
    ax.plot([a[0], b[0]], [a[1], b[1]], color="#57606a", linewidth=1.1, zorder=0, **look)
    x, y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    ax.text(x, y + 0.08, edge.text, ha="center", va="bottom", fontsize=6.5, color="#57606a")


def edges_of(spec: Mapping[str, Any]) -> list[Edge]:
    """Links and radio of a resolved scenario."""
    links = [
        Edge(str(k["a"]), str(k["b"]), f"{k.get('rate', '')}, {k.get('delay', '')}", radio=False)
        for k in spec.get("link", [])
    ]
    radio = [
        Edge(str(w["ap"]), str(s), f"802.11{w.get('standard', '')}", radio=True)
        for w in spec.get("wifi", [])
        for s in w.get("stations", [])
    ]
    return links + radio


def places(
    nodes: Sequence[str], edges: Sequence[Edge], senders: Sequence[str]
) -> dict[str, tuple[int, float]]:
    """Columns by the number of links from the nearest sender; within a column around its middle."""
    beside: dict[str, list[str]] = {n: [] for n in nodes}
    for edge in edges:
        beside[edge.a].append(edge.b)
        beside[edge.b].append(edge.a)
    # Of flows that go both ways only the first sender's side is at the left.
    column = dict.fromkeys(senders[:1] or list(nodes[:1]), 0)
    todo = list(column)
    while todo:
        node = todo.pop(0)
        for other in beside[node]:
            if other not in column:
                column[other] = column[node] + 1
                todo.append(other)
    column |= {n: 0 for n in nodes if n not in column}
    column = _straightened(column, beside, senders)
    found: dict[str, tuple[int, float]] = {}
    for at in sorted(set(column.values())):
        own = [n for n in nodes if column[n] == at]
        found |= {n: (at, (len(own) - 1) / 2 - i) for i, n in enumerate(own)}
    return found


def _straightened(
    column: dict[str, int], beside: Mapping[str, Sequence[str]], senders: Sequence[str]
) -> dict[str, int]:
    """Senders with one link stand at the left of their neighbour, beside the first sender."""
    moved = dict(column)
    for node in senders:
        if len(beside[node]) == 1 and moved[node] > 0:
            moved[node] = max(0, column[beside[node][0]] - 1)
    return moved
