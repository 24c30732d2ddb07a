"""Draws docs/tack-timeline.svg, the picture of docs/concepts/tack.md, from a recorded run.

`.venv/bin/python docs/tack_timeline.py`
"""

import io
from pathlib import Path

import matplotlib as mpl
import polars as pl

import acklab
from acklab.plots import style

OUT = Path(__file__).with_suffix(".svg").with_name("tack-timeline.svg")

#: One flow over 6 Mbit/s and a round trip of 40 ms; the link loses every 150th packet.
SCENARIO = {
    "name": "tack-timeline",
    "duration": "3 s",
    "topology": {
        "preset": "dumbbell",
        "pairs": 1,
        "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
        "bottleneck": {
            "rate": "6 Mbit/s",
            "delay": "18 ms",
            "queue": "1 BDP",
            "loss": {"kind": "periodic", "every": 150},
        },
    },
    "flow": [{"transport": "tack", "cc": "bbr1"}],
    "record": {"acks": True, "events": True, "packets": True},
}
SENDER, RECEIVER = 1.0, 0.0
DATA, LOST, REPAIR = "#9a9a9a", "#D55E00", "#9A6700"
TACK, IACK = "#0072B2", "#CC3311"
#: ms of the picture before and after the IACK.
BEFORE, AFTER = 32.0, 60.0
#: ms from end to end.
FLIGHT = 25.0


def journeys(packets, start, end):
    """Each packet: when it was sent and when it arrived at the other end, ms; null if never."""
    hosts = packets.filter(pl.col("point").is_in(["s0", "d0"]))
    keys = ["packet", "direction"]
    sent = hosts.filter(pl.col("what") == "sent").select(*keys, "seq", "len", sent="time_ns")
    came = hosts.filter(pl.col("what") == "delivered").select(*keys, came="time_ns")
    both = sent.join(came, on=keys, how="left").sort("sent")
    ms = both.with_columns(pl.col("sent", "came") / 1e6)
    return ms.filter(pl.col("sent") < end, pl.col("came").fill_null(end) > start)


def data(ax, rows, lost, repair):
    """Data packets: down from the sender; the lost one and its repair stand out."""
    for row in rows.iter_rows(named=True):
        if row["seq"] == lost:
            end = row["sent"] + 0.8 * FLIGHT, 0.2
            ax.plot([row["sent"], end[0]], [SENDER, end[1]], color=LOST, lw=2)
            ax.plot(*end, "x", color=LOST, ms=9, mew=2.4)
        elif row["came"] is not None:
            colour, width = (REPAIR, 2.2) if row["seq"] == repair else (DATA, 0.8)
            ax.plot([row["sent"], row["came"]], [SENDER, RECEIVER], color=colour, lw=width)


def feedback(ax, rows, reasons):
    """TACKs and IACKs: up from the receiver."""
    for row in rows.iter_rows(named=True):
        is_iack = reasons.get(round(row["sent"], 3), "").startswith("iack")
        arrow = ax.annotate(
            "",
            (row["came"], SENDER),
            (row["sent"], RECEIVER),
            arrowprops={
                "arrowstyle": "-|>",
                "color": IACK if is_iack else TACK,
                "lw": 2.2 if is_iack else 1.3,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        arrow.arrow_patch.set_clip_box(ax.bbox)


def words(ax, moments):
    """The four numbered moments: time, which end, text, colour."""
    for at, y, text, colour in moments:
        up = y == SENDER
        ax.plot(at, y, "o", color=colour, ms=6, zorder=5)
        where = {"va": "bottom" if up else "top", "ha": "left"}
        ax.text(at, y + (0.06 if up else -0.06), text, color=colour, fontsize=9, **where)


def loss(result):
    """The number that was lost, the time of its IACK, the number of its repair, ms."""
    told = result.reports.filter(pl.col("reason") == "iack_loss", pl.col("time_s") > 2.3)
    iack = told["time_s"][0] * 1e3
    again = result.events.filter(pl.col("event") == "retransmit", pl.col("time_s") * 1e3 > iack)
    sent = result.packets.filter(pl.col("point") == "s0", pl.col("what") == "sent")
    near = sent.sort((pl.col("time_ns") / 1e9 - again["time_s"][0]).abs())
    return told["lost_between"][0][0] + 1, iack, near["seq"][0]


def main():
    """Draws it."""
    result = acklab.load(SCENARIO).run(seed=1)
    lost, iack, repair = loss(result)
    start, end = iack - BEFORE, iack + AFTER
    rows = journeys(result.packets, start, end).with_columns(pl.col("sent", "came") - start)
    reasons = {
        round(t * 1e3 - start, 3): r
        for t, r in result.reports.select("time_s", "reason").iter_rows()
    }
    fig, axes = style.figure(1, 1, (10.5, 4.2))
    ax = axes[0][0]
    forward = rows.filter(pl.col("direction") == "forward", pl.col("len") > 0)
    data(ax, forward, lost, repair)
    feedback(ax, rows.filter(pl.col("direction") == "reverse"), reasons)
    by_number = {r["seq"]: r for r in forward.iter_rows(named=True)}
    words(
        ax,
        [
            (by_number[lost]["sent"], SENDER, "1  this packet will be lost", LOST),
            (BEFORE, RECEIVER, "2  the gap shows:\n    an IACK leaves at once", IACK),
            (by_number[repair]["sent"], SENDER, "3  the sender repeats the data", REPAIR),
            (by_number[repair]["came"], RECEIVER, "4  the gap is closed", REPAIR),
        ],
    )
    for y in (SENDER, RECEIVER):
        ax.axhline(y, color="#222222", lw=1.4, zorder=4)
    ax.set(xlim=(0, BEFORE + AFTER), ylim=(-0.36, 1.36), yticks=[RECEIVER, SENDER])
    ax.set_yticklabels(["receiver", "sender"])
    ax.set_xlabel("time, ms")
    for name in ("left", "right", "top"):
        ax.spines[name].set_visible(False)
    ax.grid(visible=False)
    keys = [("data", DATA), ("TACK, 4 per round trip", TACK), ("IACK", IACK)]
    lines = [mpl.lines.Line2D([], [], color=c, lw=2, label=n) for n, c in keys]
    ax.legend(handles=lines, ncols=3, loc="upper right", fontsize=9, frameon=False)
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "acklab", "svg.fonttype": "path"}):
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    OUT.write_text("\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n")


if __name__ == "__main__":
    main()
