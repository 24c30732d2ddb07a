"""Which scheme to switch on, by what is known of the path and of who sends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.studies.ack_aggregation.beyond import facts
from acklab.studies.ack_aggregation.beyond.grid import CONTROLLERS, PACKET, THESIS_TIMER, thinned
from acklab.studies.ack_aggregation.figures import CC_NAMES

if TYPE_CHECKING:
    import polars as pl

#: The rule of thumb: an ACK is held no longer than this share of the RTT ...
HOLD = 1 / 10
#: ... and stands for no more segments than this share of the queue's places.
BURST = 1 / 4
#: The receiver of the Linux profile acknowledges every second segment.
_PER_ACK = 2
#: CAKE's filter that drops less than this share of the ACKs did nothing.
_NOTHING = 0.01


def overview(frame: pl.DataFrame) -> str:
    """A paragraph for each thing that may be known."""
    return "\n\n".join(
        p
        for p in (
            anyone(frame),
            known(frame, "CUBIC or BBR, as most are today", ["cubic", "bbr1", "bbr3"]),
            known(frame, "BBR", ["bbr1", "bbr3"]),
            back(frame),
            rule(frame),
        )
        if p
    )


def anyone(frame: pl.DataFrame) -> str:
    """What spares every controller on every path."""
    found = facts.schemes(frame, list(CONTROLLERS))
    return (
        f"**If neither path nor sender is known.** {_best(found)} "
        f"The thesis's thinner at 4:1 and {THESIS_TIMER} ms{_one(found, thinned(4, THESIS_TIMER))}."
    )


def known(frame: pl.DataFrame, who: str, ccs: list[str]) -> str:
    """What spares every one of these controllers on every path."""
    return f"**If all senders are {who}.** {_best(facts.schemes(frame, ccs))}"


def _best(found: pl.DataFrame) -> str:
    """The harmless scheme that saves most, or the mildest that saves anything."""
    import polars as pl

    worth = found.filter(pl.col("saved") >= facts.WORTH)
    safe = facts.harmless(worth)
    if worth.is_empty():
        return "No scheme saves ACKs worth mentioning on the median path."
    if safe.is_empty():
        best = worth.sort("worst").row(-1, named=True)
        return (
            f"Nothing that saves {facts.WORTH:.0%} of the ACKs or more keeps {facts.HURT:.0%} of "
            "the "
            f"goodput everywhere. The mildest is {best['scheme']}: it saves {best['saved']:.0%} on "
            "the "
            f"median path and keeps {best['worst']:.0%} at worst ({CC_NAMES[best['worst_cc']]}, "
            f"{best['worst_path']})."
        )
    best = safe.row(0, named=True)
    return (
        f"Switch on {best['scheme']}: it saves {best['saved']:.0%} of the ACKs on the median path"
        f"{facts.more_acks(best)}, keeps {best['worst']:.0%} of the goodput at worst "
        f"({CC_NAMES[best['worst_cc']]}, {best['worst_path']}) and makes the 95th percentile of "
        f"the RTT at most {best['rtt']:.1f} times as long."
    )


def _one(found: pl.DataFrame, scheme: str) -> str:
    rows = found.filter(scheme=scheme)
    if rows.is_empty():
        return " was not run"
    row = rows.row(0, named=True)
    return (
        f" saves {row['saved']:.0%} and keeps {row['worst']:.0%} at worst "
        f"({CC_NAMES[row['worst_cc']]}, {row['worst_path']})"
    )


def back(frame: pl.DataFrame) -> str:
    """Where ACKs fill the way back, and what CAKE's filter does elsewhere."""
    found = facts.schemes(frame, list(CONTROLLERS)).drop_nulls("narrow")
    if found.is_empty():
        return ""
    best = found.sort("narrow").row(-1, named=True)
    if best["narrow"] < 1 + facts.DIFFERENCE:
        return "**If ACKs fill the way back.** No scheme gains anything on the median."
    text = (
        f"**If ACKs fill the way back.** {best['scheme']} gains most: {best['narrow']:.2f} times "
        "the "
        f"goodput (median over controllers and narrow ways back)"
    )
    cake = found.filter(family="cake").sort("narrow")
    if cake.is_empty():
        return f"{text}."
    mild = cake.row(-1, named=True)
    gain = f"{mild['scheme']} has {mild['narrow']:.2f} times" if mild != best else "It"
    harm = (
        f"loses nothing anywhere else, because it acts only where ACKs queue ({mild['saved']:.0%} "
        "dropped on the median path with room)"
        if mild["worst"] >= facts.HURT and mild["saved"] < _NOTHING
        else f"saves {mild['saved']:.0%} elsewhere and keeps {mild['worst']:.0%} at worst"
    )
    joint = " and " if mild != best else " "
    return f"{text}. {gain}{joint}{harm}."


def rule(frame: pl.DataFrame) -> str:
    """How far a rule of thumb carries that an operator can apply."""
    rows = strained(frame)
    within = rows.filter(~rows["strained"])
    beyond = rows.filter(rows["strained"])
    if within.is_empty() or beyond.is_empty():
        return ""
    hit, hit_beyond = facts.hurt(within), facts.hurt(beyond).height
    return (
        f"**A rule of thumb.** If the thinner holds an ACK for no more than {HOLD:.0%} of the RTT "
        "(the timer, or the time that its N ACKs take, whichever is less) and lets go of no more "
        f"segments at once than fill {BURST:.0%} of the queue, {hit.height} of {within.height} "
        f"settings lose more than {1 - facts.HURT:.0%} "
        f"({hit.height / within.height:.1%}{_whose(hit)}); otherwise {hit_beyond} of "
        f"{beyond.height} ({hit_beyond / beyond.height:.1%})."
    )


def _whose(hit: pl.DataFrame) -> str:
    """Which controller most of these rows are of, if there is more than one row."""
    if hit.height < 2:
        return ""
    most = hit.group_by("cc", maintain_order=True).len().sort("len", maintain_order=True)
    cc, n = most.row(-1)
    return f"; {n} of these are {CC_NAMES[cc]}'s"


def strained(frame: pl.DataFrame) -> pl.DataFrame:
    """The thinner's rows on open paths: `hold` (of the RTT), `burst` (of the queue), `strained`."""
    import polars as pl

    rows = facts.of_open_paths(frame.filter(family="thinner"))
    routes = [facts.ROUTES[p] for p in rows["path"]]
    packet_ms = pl.Series([PACKET / r.rate / 1e3 for r in routes])
    rtt = pl.Series([float(r.rtt) for r in routes])
    places = pl.Series([float(places_of(r.name)) for r in routes])
    spread = (rows["ratio"] - 1) * _PER_ACK * packet_ms
    hold = pl.select(pl.min_horizontal(rows["timer_ms"].cast(pl.Float64), spread)).to_series() / rtt
    burst = 1 / rows["acks_per_segment"] / places
    return rows.with_columns(
        hold.alias("hold"),
        burst.alias("burst"),
        ((hold > HOLD) | (burst > BURST)).alias("strained"),
    )


def places_of(path: str) -> float:
    """How many full packets the queue of a path holds."""
    route = facts.ROUTES[path]
    number, unit = route.queue.split()
    if unit == "packets":
        return float(number)
    return max(float(number) * route.rate * 1e6 * route.rtt / 1e3 / PACKET, 1.0)


def table(frame: pl.DataFrame) -> str:
    """Every scheme in a line, over all controllers."""
    found = facts.schemes(frame, list(CONTROLLERS))
    lines = [
        "| scheme | ACKs saved, median | goodput kept, worst | where | p95 RTT, worst "
        "| goodput on a narrow way back, median |",
        "|---|--:|--:|---|--:|--:|",
    ]
    for r in found.iter_rows(named=True):
        gain = "" if r["narrow"] is None else f"{r['narrow']:.2f}x"
        lines.append(
            f"| {r['scheme']} | {r['saved']:.0%} | {r['worst']:.0%} | {CC_NAMES[r['worst_cc']]}, "
            f"{r['worst_path']} | {r['rtt']:.1f}x | {gain} |"
        )
    return "\n".join(lines)
