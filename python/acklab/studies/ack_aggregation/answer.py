"""The study in short: what thinning and MAC aggregation do, and how the thesis may have run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS, RATIOS
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.answer import tally

if TYPE_CHECKING:
    import polars as pl

    from acklab.report.parts import Claim

#: KB: the A-MPDU of 64 KB is in Table 4 and in Table 5.
_TWICE = 64


def answer(tables: Mapping[str, pl.DataFrame], claims: Sequence[Claim]) -> str:
    """What happens on the wire, over the air, what explains the thesis's numbers, the verdicts."""
    parts = (
        _wire(tables["table1"]),
        _air(tables["table4"]),
        _explained(tables),
        f"{tally(claims)} How the thesis may have run: [Method and reading](#method).",
    )
    return "\n\n".join(parts)


def _wire(table: pl.DataFrame) -> str:
    """The largest change against 1:1 in each set-up, and the paper's."""
    linux = _worst(table, "linux", "acklab")
    ns3 = _worst(table, "ns3", "acklab")
    inferred = _worst(table, "thesis", "acklab")
    paper = _worst(table, "linux", "paper")
    return (
        "**Thinning ACKs at a router, up to 16:1, one flow on a wire** ([Table 1](#table1)), the "
        f"furthest that a throughput falls below that at 1:1: with Linux's TCP {linux}; with "
        f"ns-3's {ns3}; in the set-up inferred from the thesis's numbers {inferred}; in the "
        f"thesis {paper}."
    )


def _worst(table: pl.DataFrame, stack: str, column: str) -> str:
    of = {(r["cc"], r["ratio"]): r[column] for r in table.filter(stack=stack).to_dicts()}
    falls = {
        (cc, ratio): of[cc, ratio] / of[cc, 1] - 1
        for cc in PAPER_CONTROLLERS
        for ratio in RATIOS
        if ratio > 1
    }
    (cc, ratio), fall = min(falls.items(), key=lambda item: item[1])
    return f"{fall:+.0%} ({CC_NAMES[cc]}, {ratio}:1)"


def _air(table: pl.DataFrame) -> str:
    """Mbit/s without aggregation and with an A-MPDU: here, in ns-3, in the thesis."""
    of = {(r["stack"], r["cc"], r["aggregation"]): r for r in table.to_dicts()}

    def told(stack: str, column: str) -> str:
        low, high = (of[stack, "cubic", how][column] for how in ("none", "ampdu"))
        return f"{low:.1f} to {high:.1f}"

    return (
        "**Aggregation at the MAC** ([Table 4](#table4)): A-MPDUs lift CUBIC over 802.11n from "
        f"{told('ns3', 'acklab')} Mbit/s as stated (ns-3.44: {told('ns3', 'ns3')}), from "
        f"{told('thesis', 'acklab')} in the inferred set-up (ns-3.44: {told('thesis', 'ns3')}); "
        f"the thesis has {told('ns3', 'paper')}."
    )


def _explained(tables: Mapping[str, pl.DataFrame]) -> str:
    """How far the stated and the inferred segment are from Tables 4 and 5, here and in ns-3."""
    table = tables["wifi-readings"]
    rows = {(r["segment"], r["reading"]): r for r in table.iter_rows(named=True)}
    stated, small = rows["1448 B", "nothing else"], rows["536 B", "nothing else"]
    large = min(r["without_vegas"] for (segment, _), r in rows.items() if segment == "1448 B")
    return (
        "**What explains the thesis's Tables 4 and 5** ([settings](#wifi-readings)): segments of "
        f"536 B, ns-3's default, {small['without_vegas']:.1%} away without Vegas (ns-3.44: "
        f"{_of_ns3(tables, 'thesis'):.1%}); 1448 B as stated are {stated['without_vegas']:.0%} "
        f"away (ns-3.44: {_of_ns3(tables, 'ns3'):.0%}), and no setting tried with them comes "
        f"nearer than {large:.0%}. Vegas's row is {small['vegas']:.0%} away ([why](#wifi-vegas))."
    )


def _of_ns3(tables: Mapping[str, pl.DataFrame], stack: str) -> float:
    """Mean relative error of ns-3's runs over the different cells of both tables, without Vegas."""
    rows = [*tables["table4"].to_dicts(), *tables["table5"].to_dicts()]
    away: list[float] = [
        abs(r["ns3"] / r["paper"] - 1)
        for r in rows
        if r["stack"] == stack and r["cc"] != "vegas" and r.get("kilobytes") != _TWICE
    ]
    return sum(away) / len(away)
