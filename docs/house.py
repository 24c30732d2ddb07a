"""Draws the pictures of ARCHITECTURE.md: the house, and a packet's way. `make house`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

HERE = Path(__file__).parent
INK, PAPER, CORE, SIM, PY, HOST = "#222222", "white", "#dbe9f6", "#e4f0dc", "#fbe8cf", "#f3dfe6"


class Sheet:
    """A drawing in units of its own, without axes."""

    def __init__(self, width: float, height: float) -> None:
        self.figure, self.axes = plt.subplots(figsize=(width, height))
        self.axes.set(xlim=(0, 10 * width), ylim=(0, 10 * height))
        self.axes.axis("off")
        self.figure.subplots_adjust(0, 0, 1, 1)

    def box(self, x, y, w, h, title, text="", colour=PAPER, bold=True) -> None:
        """A box with a title and lines below it."""
        shape = FancyBboxPatch((x, y), w, h, boxstyle="round,pad=0,rounding_size=0.8")
        shape.set(facecolor=colour, edgecolor=INK, linewidth=0.9)
        self.axes.add_patch(shape)
        middle = x + w / 2
        top = y + h / 2 if not text else y + h - 2.1
        weight = "bold" if bold else "normal"
        self.axes.text(middle, top, title, ha="center", va="center", fontsize=9, weight=weight)
        if text:
            below = y + (h - 3.2) / 2
            self.axes.text(middle, below, text, ha="center", va="center", fontsize=7.6)

    def arrow(self, start, end, text="", bend=0.0, at=(0, 1.1), dashed=False) -> None:
        """An arrow, with words near its middle."""
        line = FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, color=INK)
        line.set(linewidth=0.9, connectionstyle=f"arc3,rad={bend}")
        line.set_linestyle("--" if dashed else "-")
        self.axes.add_patch(line)
        if text:
            x = (start[0] + end[0]) / 2 + at[0]
            y = (start[1] + end[1]) / 2 + at[1]
            self.axes.text(x, y, text, ha="center", va="center", fontsize=7.6, style="italic")

    def save(self, name: str) -> None:
        """As SVG, the same bytes each time."""
        path = HERE / name
        self.figure.savefig(path, metadata={"Date": None})
        plt.close(self.figure)


def house() -> None:
    """Who may depend on whom."""
    s = Sheet(8.2, 5.0)
    s.box(
        2,
        41,
        78,
        7,
        "python/acklab",
        "command line · results · sweeps · metrics · plots · studies · validation · reports",
        PY,
    )
    s.box(
        2,
        31.5,
        78,
        6.5,
        "acklab-py",
        "the doorway: scenarios in as text, results out as columns; threads and signals",
        PY,
    )
    s.box(
        2,
        19.5,
        52,
        9,
        "acklab-sim",
        "virtual time: scenario → plan → network + hosts\napplications · recorder · captures",
        SIM,
    )
    s.box(
        58,
        19.5,
        22,
        9,
        "acklab-live (to come)",
        "wall clock: the same network,\nreal packets, a store with bytes",
        PAPER,
    )
    s.box(
        2,
        9.5,
        78,
        7,
        "acklab-path",
        "links · queue disciplines · ACK filters · impairments · radio channels",
        CORE,
    )
    s.box(2, 1, 52, 6, "acklab-proto", "datagrams · TCP · CBR · controllers · ACK policies", CORE)
    s.box(58, 1, 22, 6, "acklab-units", "time, rates, sizes", CORE)
    for x in (28, 69):
        s.arrow((x, 9.5), (x, 7))
    s.arrow((28, 19.5), (28, 16.5))
    s.arrow((58, 24), (54, 24))
    s.arrow((54, 4), (58, 4))
    s.arrow((28, 31.5), (28, 28.5))
    s.arrow((41, 41), (41, 38))
    s.save("house.svg")


def packet() -> None:
    """What a packet meets, and what an acknowledgement does."""
    s = Sheet(8.2, 4.2)
    s.box(1, 15, 14, 13, "host", "application\n↓\ntransport\n(TCP, CBR)", HOST)
    s.box(67, 15, 14, 13, "host", "application\n↑\ntransport\n(TCP, CBR)", HOST)
    s.box(19, 31, 12, 7.5, "ACK filter", "asks for TCP's view;\nelse passes", CORE)
    s.box(34, 31, 12, 7.5, "queue", "a QueueDisc,\nwherever it waits", CORE)
    s.box(49, 31, 14, 7.5, "line or radio", "serialise, contend,\nlose, delay", CORE)
    s.box(49, 4, 14, 7.5, "ACK filter", "drops, merges, holds", CORE)
    s.box(34, 4, 12, 7.5, "queue", "", CORE)
    s.box(19, 4, 12, 7.5, "line or radio", "", CORE)
    s.box(
        27,
        17,
        28,
        9,
        "store",
        "keeps what is in each packet (a Datagram);\nlinks move 16 bytes: number, size, flow, ECN",
        SIM,
    )
    s.arrow((8, 28), (19, 35), "poll_transmit", at=(-3, 1.6))
    s.arrow((31, 35), (34, 35))
    s.arrow((46, 35), (49, 35))
    s.arrow((63, 35), (74, 28), "on_datagram", at=(3.4, 1.6))
    s.arrow((74, 15), (63, 8), "ACK, or feedback", at=(5.6, -1.6))
    s.arrow((49, 7.7), (46, 7.7))
    s.arrow((34, 7.7), (31, 7.7))
    s.arrow((19, 8), (8, 15), "on_datagram", at=(-3.4, -1.6))
    s.arrow((40, 31), (40, 26), dashed=True)
    s.arrow((40, 11.5), (40, 17), dashed=True)
    s.axes.text(
        41,
        40.4,
        "one hop; a route has any number of them",
        ha="center",
        fontsize=7.6,
        style="italic",
    )
    s.save("packet.svg")


if __name__ == "__main__":
    plt.rcParams.update({"svg.hashsalt": "acklab", "svg.fonttype": "none"})
    house()
    packet()
