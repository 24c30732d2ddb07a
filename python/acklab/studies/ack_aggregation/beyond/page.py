"""The figures with their data, and the page that has everything."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import acklab
from acklab.report.build import build, save
from acklab.report.parts import Picture, Section
from acklab.studies.ack_aggregation.beyond import advice, facts, grid, maps, overview, rivals
from acklab.studies.ack_aggregation.figures import CC_NAMES

if TYPE_CHECKING:
    import polars as pl

    from acklab.plots.drawn import Drawn

NAME = "beyond"
#: The map whose goodput stands beside the advice: what hurts most is a hold of many RTTs.
SUMMARY = "rtt-timer"
TITLE = "Beyond the thesis: where thinning ACKs hurts, and what to use instead"


def text(frame: pl.DataFrame) -> str:
    """The advice in Markdown: which scheme to switch on, then a paragraph per controller."""
    parts = [overview.overview(frame), overview.table(frame), *paragraphs(frame).values()]
    return "\n\n".join(parts)


def paragraphs(frame: pl.DataFrame) -> dict[str, str]:
    """The paragraph of each controller that was run."""
    return {cc: advice.paragraph(frame, cc) for cc in grid.CONTROLLERS if cc in frame["cc"]}


def files(frame: pl.DataFrame, folder: Path) -> Mapping[str, Path]:
    """Writes the figures, each with its data beside it, and the page; returns all but the data."""
    drawn = figures(frame)
    written = {name: d.save(folder / f"{NAME}-{name}")[0] for name, d in drawn.items()}
    pictures = {name: Picture(path, drawn[name].alt) for name, path in written.items()}
    page = build(TITLE, [], sections(frame, pictures), {"source": _run(frame)})
    return {**written, "page": save(page, folder / f"{NAME}.html")}


def figures(frame: pl.DataFrame) -> dict[str, Drawn]:
    """The figures by name."""
    drawn = {"tradeoff": rivals.draw_tradeoff(frame, _run(frame))}
    for layout in maps.maps():
        drawn[layout.name] = maps.draw(frame, layout, _run(frame))
        if layout.name == SUMMARY:
            drawn["summary"] = maps.draw(frame, layout, _run(frame), maps.METRICS[:1])
    for metric in maps.METRICS:
        if metric.column in ("share", "acks_saved"):
            drawn[f"rivals-{metric.column}"] = rivals.draw(frame, metric, _run(frame))
    return drawn


def sections(frame: pl.DataFrame, drawn: Mapping[str, Picture]) -> list[Section]:
    """What the page says, the answer first."""
    found = [
        Section("Which scheme to switch on", overview.overview(frame), figure=drawn["tradeoff"]),
        Section(
            "Advice by controller",
            "\n\n".join(paragraphs(frame).values()),
            figure=drawn["summary"],
        ),
        Section("All schemes, all controllers", overview.table(frame)),
        Section("How it was measured", method(frame)),
    ]
    titles = {m.name: f"{m.y} by {m.x.split(',')[0]}; {m.title}" for m in maps.maps()}
    titles |= {"rivals-share": "All schemes: goodput", "rivals-acks_saved": "All schemes: ACKs"}
    for name, title in titles.items():
        where = f"Every number: `{NAME}-{name}.csv`."
        found.append(Section(title[0].upper() + title[1:], where, figure=drawn[name], name=name))
    return found


def method(frame: pl.DataFrame) -> str:
    """The grid and what the words mean."""
    seeds = int(frame["seeds"].max() or 0)  # type: ignore[arg-type]
    names = ", ".join(CC_NAMES[cc] for cc in grid.CONTROLLERS)
    return "\n".join(
        [
            f"{frame['path'].n_unique()} paths, {frame['scheme'].n_unique()} schemes, {names}, "
            f"{seeds} "
            "seeds, Linux stack, one bulk flow. The first path is the thesis's: "
            f"{grid.THESIS.rate} Mbit/s, {grid.THESIS.rtt} ms, a queue of {grid.THESIS.queue}; the "
            "others "
            "differ from it in one thing. *RTT* counts all but the queue and *BDP* is the product "
            "of that "
            "and the rate. Access links are ten times as fast as the bottleneck.",
            "",
            f"- A run is measured for {grid.RTTS} RTTs, at least {grid.SECONDS} s, but beyond "
            f"{grid.BITS / 1e9:g} Gbit it is shortened, to no less than {grid.SHORTEST} s: there "
            "the "
            "start is a larger part of what counts, and windows have not come around "
            f"({grid.QUICK} times shorter with `--quick`).",
            "- Socket buffers grow to 256 MiB; with Linux's 6 MB a flow over 48 ms stays below 290 "
            "Mbit/s.",
            "- Each packet is up to one packet's time at the bottleneck late, at random, in order: "
            "without "
            "it seeds agree with each other, and neighbours in the grid do not.",
            "- *No thinning* is Linux's receiver, which acknowledges every second segment, or "
            "every one "
            "while its window grows, so that N:1 is 2N segments per ACK.",
            f"- A setting *hurts* if less than {facts.HURT:.0%} of the goodput without thinning is "
            "left "
            "(seed by seed, then the mean) and its interval (95 %, Student's t) stays below all of "
            "it.",
            "- *Why* is told from what else differs from no thinning on the same path, and the "
            "first of "
            f"these that applies counts: goodput after the warm-up is kept ({facts.HURT:.0%}); "
            f"{facts.TIMEOUTS:g} more timeouts in a run; {facts.LOSSES:.0%} more of the segments "
            "repeated; "
            f"a 95th percentile of the RTT {facts.LONGER:g} times as long; a mean window below "
            f"{facts.SMALLER:g} of what it was.",
            "- *ACKs saved* compares ACKs that arrived per segment delivered. *Worth* a name is "
            "what saves "
            f"{facts.WORTH:.0%}.",
            "- Heat maps: numbers below 1 of goodput, above 1 of RTT and above 0 of "
            "retransmissions are "
            "losses. Colours end at the ends of their bars.",
        ]
    )


def _run(frame: pl.DataFrame) -> str:
    seeds = int(frame["seeds"].max() or 0)  # type: ignore[arg-type]
    return f"ack-aggregation/{NAME} · {seeds} seeds · acklab {acklab.__version__}"
