"""What the fairness table says: who shares how, why, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.wireless import wlan
from acklab.studies.ack_aggregation.wireless.wlan import Numbers

if TYPE_CHECKING:
    import polars as pl

#: Jain's index from which on shares are called even here: of 16 flows 15 the same, one nothing.
EVEN = 0.94
HOW_NAMES = {"none": "no aggregation", "ampdu": "A-MPDU", "both": "both"}


def text(table: pl.DataFrame) -> str:
    """Stations, flows over one station, aggregation, the mixed case, advice."""
    f = Numbers(table)
    paragraphs = [_layout(f, "stations"), _stations_why(f), _layout(f, "flows"), _versus(f)]
    if "mixed" in f.values["cc"]:
        paragraphs.append(_mixed(f))
    paragraphs.append(_advice(f))
    return "\n\n".join(paragraphs)


def _alike(f: Numbers) -> list[str]:
    return [cc for cc in f.values["cc"] if cc != "mixed"]


def _ends(f: Numbers) -> tuple[int, int]:
    return min(f.values["flows"]), max(f.values["flows"])


def _layout(f: Numbers, layout: str) -> str:
    """Jain's index and the sum with few flows and with many."""
    few, many = _ends(f)
    head = {
        "stations": f"**A station each**, {few} and {many} of them",
        "flows": f"**All from one station**, {few} and {many} flows in its queue of 500 packets",
    }[layout]
    rows = []
    for cc in _alike(f):
        cells = []
        for how in f.values["aggregation"]:
            ends = [
                f"{f.mean('jain', layout, n, cc, how):.2f} "
                f"({f.mean('goodput_mbps', layout, n, cc, how):.0f})"
                for n in (few, many)
            ]
            cells.append(" → ".join(ends))
        rows.append([CC_NAMES[cc], *cells])
    columns = ["", *(HOW_NAMES[how] for how in f.values["aggregation"])]
    grid = wlan.grid(columns, rows)
    return f"{head}: Jain's index, and in brackets the sum of the goodputs, Mbit/s.\n\n{grid}"


def _stations_why(f: Numbers) -> str:
    """Where stations' shares differ: in accesses, or in what an access carries."""
    _, many = _ends(f)
    rows = []
    for cc in _alike(f):
        q = {n: f.mean(n, "stations", many, cc, "ampdu") for n in _BEHIND}
        rows.append([CC_NAMES[cc], *(form.format(q[n]) for n, (_, form) in _BEHIND.items())])
    grid = wlan.grid(["", *(name for name, _ in _BEHIND.values())], rows)
    return (
        f"*Behind it*, {many} stations with A-MPDU:\n\n{grid}\n\n"
        "The medium gives the same number of accesses to all that want one. Shares differ where "
        "somebody has nothing to send when its turn comes (uneven accesses), or less to send at "
        f"once (uneven MPDUs per access). {_smallest(f)}"
    )


#: Columns of the table of what is behind.
_BEHIND = {
    "jain_accesses": ("Jain's index of accesses", "{:.2f}"),
    "jain_mpdus_per_ppdu": ("of MPDUs per access", "{:.2f}"),
    "mpdus_per_ppdu": ("MPDUs per access", "{:.1f}"),
    "collision_share": ("air in collisions", "{:.0%}"),
    "ack_drops": ("ACKs dropped at the access point", "{:.0f}"),
    "rtt_p95_ms": ("RTT, 95th percentile, ms", "{:.0f}"),
}


def _smallest(f: Numbers) -> str:
    """Whose sum is the least with many stations, and how its accesses have changed."""
    few, many = _ends(f)
    sums = {cc: f("goodput_mbps", "stations", many, cc, "ampdu") for cc in _alike(f)}
    least = min(sums, key=lambda cc: sums[cc].mean)
    if not all(wlan.above(e, sums[least]) for cc, e in sums.items() if cc != least):
        return ""
    at = [f.mean("mpdus_per_ppdu", "stations", n, least, "ampdu") for n in (few, many)]
    air = [f.mean("collision_share", "stations", n, least, "ampdu") for n in (few, many)]
    name = CC_NAMES[least]
    return (
        f"{name} has the least in all, {sums[least].mean:.0f} Mbit/s: from {few} to {many} "
        f"stations its accesses go from {at[0]:.1f} to {at[1]:.1f} MPDUs, and collisions from "
        f"{air[0]:.0%} to {air[1]:.0%} of the air."
    )


def _versus(f: Numbers) -> str:
    """Whether aggregation makes shares more or less even, where the seeds tell."""
    more: list[tuple[float, str, int, str, float, float]] = []
    less: list[tuple[float, str, int, str, float, float]] = []
    open_ = 0
    for layout in f.values["layout"]:
        for n in f.values["flows"]:
            for cc in _alike(f):
                off, on = (f("jain", layout, n, cc, how) for how in ("none", "ampdu"))
                what = (abs(on.mean - off.mean), layout, n, cc, off.mean, on.mean)
                if wlan.above(on, off):
                    more.append(what)
                elif wlan.above(off, on):
                    less.append(what)
                else:
                    open_ += 1
    sentences = [
        f"**Does aggregation change it?** With A-MPDU shares are more even than without in "
        f"{len(more)} cases, less even in {len(less)}, and the seeds do not tell in {open_}."
    ]
    for found, word in ((more, "gain"), (less, "loss")):
        if found:
            _, layout, n, cc, before, after = max(found)
            where = "stations" if layout == "stations" else "flows over one station"
            sentences.append(
                f"Largest {word}: {CC_NAMES[cc]}, {n} {where}, {before:.2f} to {after:.2f}."
            )
    return " ".join(sentences)


def _mixed(f: Numbers) -> str:
    """BBRv3 beside CUBIC."""
    rows = [
        [
            f"{name}, {HOW_NAMES[how]}",
            *(f"{f.mean('bbr3_share', layout, n, 'mixed', how):.0%}" for n in f.values["flows"]),
        ]
        for layout, name in (("stations", "a station each"), ("flows", "one station"))
        for how in f.values["aggregation"]
    ]
    grid = wlan.grid(["", *(f"{n} flows" for n in f.values["flows"])], rows)
    return (
        "**BBRv3 beside CUBIC**, as many of each: what BBRv3 has of the sum.\n\n"
        f"{grid}\n\n{_mixed_why(f)}"
    )


def _mixed_why(f: Numbers) -> str:
    """Where the seeds tell that BBRv3 has less than half, or more, and whether a queue does it."""
    few, _ = _ends(f)
    less = more = open_ = 0
    for layout in f.values["layout"]:
        for n in f.values["flows"]:
            for how in f.values["aggregation"]:
                e = f("bbr3_share", layout, n, "mixed", how)
                less, more = less + (e.high < 0.5), more + (e.low > 0.5)
                open_ += not (e.high < 0.5 or e.low > 0.5)
    each, one = (f("bbr3_share", layout, few, "mixed", "ampdu") for layout in ("stations", "flows"))
    rtt = [f.mean("rtt_p95_ms", layout, few, "mixed", "ampdu") for layout in ("stations", "flows")]
    told = ""
    if wlan.above(each, one):
        told = (
            f" Of {few} flows BBRv3 has {each.mean:.0%} with a queue of its own, and "
            f"{one.mean:.0%} in a queue that CUBIC fills (A-MPDU): stations get their accesses "
            "whatever others have queued, flows in one queue get what they have of it (RTT, 95th "
            f"percentile, mean of both, {rtt[0]:.0f} and {rtt[1]:.0f} ms)."
        )
    return (
        f"Less than half in {less} cases, more in {more}, and in {open_} the seeds do not "
        f"tell.{told}"
    )


def _advice(f: Numbers) -> str:
    """Controllers whose shares stay even everywhere, and the goodput that many stations cost."""
    least = {
        cc: min(
            (f.mean("jain", layout, n, cc, how), layout, n, how)
            for layout in f.values["layout"]
            for n in f.values["flows"]
            for how in f.values["aggregation"]
        )
        for cc in _alike(f)
    }
    order = sorted(least, key=lambda cc: -least[cc][0])
    rows = [
        f"{CC_NAMES[cc]} {least[cc][0]:.2f} ({least[cc][2]} "
        f"{'stations' if least[cc][1] == 'stations' else 'flows over one'}, "
        f"{HOW_NAMES[least[cc][3]]})"
        for cc in order
    ]
    even = [CC_NAMES[cc] for cc in order if least[cc][0] >= EVEN]
    told = (
        f"Even everywhere (at least {EVEN}): {wlan.words(even)}."
        if even
        else f"None stays even (at least {EVEN}) everywhere in runs of a few seconds."
    )
    return f"**Advice.** The least of Jain's index by controller: {'; '.join(rows)}. {told}"
