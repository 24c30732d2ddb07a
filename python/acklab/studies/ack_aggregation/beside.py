"""What ns-3's own runs say beside a verdict: which cells a rule asks for, and what ns-3 has there.

The verdict is acklab's, over starts. ns-3 was run once per cell of Tables 1 to 3 in the inferred
set-up, so the rule is asked of these numbers as if every start had given them; a rule that asks for
something else as well, or compares starts, cannot be told from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from acklab.studies.ack_aggregation.cells import RATIOS
from acklab.studies.ack_aggregation.evidence import Evidence
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.why import Why
from acklab.studies.runs import Cell, Runs, Sample
from acklab.studies.watched import Watched, told

if TYPE_CHECKING:
    from acklab.studies.ack_aggregation.findings import Finding

#: The set-up of ns-3's runs of Tables 1 to 3.
SETUP = "thesis"
#: Quantities of single runs that these tables have or, of the difference of two flows, imply.
IN_TABLES = ("mbps", "jain", "gap_mbps")


def _watched(e: Evidence, strict: bool) -> Evidence:
    return replace(
        e,
        throughput=Watched(e.throughput, strict),
        retransmissions=Watched(e.retransmissions, strict),
        fairness=Watched(e.fairness, strict),
        quantities=Watched(e.quantities, strict),
        rates=Watched(e.rates, strict),
        why=Why(Watched(e.why.numbers, strict)),
        runs=Runs(Watched(e.runs.values, strict)),
        air=Runs(Watched(e.air.values, strict)),
    )


def _parties(e: Evidence) -> list[str]:
    """The controllers and pairs that were asked for, in the order of asking."""
    # Traces have the artefact before the quantity: artefact, quantity, set-up, controller.
    places = ((e.throughput, 1), (e.retransmissions, 1), (e.fairness, 1), (e.quantities, 1))
    more = ((e.rates, 1), (e.runs.values, 2), (e.why.numbers, 3))
    asked = (k[i] for of, i in (*places, *more) if isinstance(of, Watched) for k in of.asked)
    return list(dict.fromkeys(asked))


def _in_tables(e: Evidence) -> list[str]:
    """Those of them that were asked for something of Tables 1 to 3."""
    runs = e.runs.values.asked if isinstance(e.runs.values, Watched) else []
    means = [k[1] for of in (e.throughput, e.fairness) if isinstance(of, Watched) for k in of.asked]
    return list(dict.fromkeys([*means, *(k[2] for k in runs if k[0] in IN_TABLES)]))


def single(ns3: Mapping[tuple[str, str, int], float]) -> Evidence:
    """ns-3's numbers of the inferred set-up, as if two starts had given each."""
    inferred = {at: v for at, v in ns3.items() if at[0] == SETUP}
    alone = {at: v for at, v in inferred.items() if "-" not in at[1]}
    pairs = {at: v for at, v in inferred.items() if "-" in at[1]}
    runs: dict[Cell, Sample] = {("mbps", *at): {1: v, 2: v} for at, v in alone.items()}
    runs |= {("jain", *at): {1: v, 2: v} for at, v in pairs.items()}
    return Evidence(
        alone, {}, {at: {"acklab": v} for at, v in pairs.items()}, {}, {}, runs=Runs(runs)
    )


def _rule(finding: Finding, evidence: Evidence) -> str:
    """Whether it holds on ns-3's numbers."""
    if finding.over_starts:
        return "one start cannot tell"
    try:
        return told(finding.holds(evidence.view(SETUP)))
    except LookupError:
        return "its tables alone cannot tell"


def beside(finding: Finding, evidence: Evidence) -> list[str]:
    """What ns-3 has for the cells of Tables 1 to 3 that the rule asks for; nothing for others."""
    strict = _watched(single(evidence.ns3), strict=True)
    said = _rule(finding, strict)
    if finding.over_starts or "cannot" in said:
        # What the rule would have gone on to ask for.
        whole = _watched(evidence, strict=False)
        finding.holds(whole.view(SETUP))
        parties = [*_in_tables(strict), *_in_tables(whole)]
    else:
        parties = _in_tables(strict)
    numbers = [_row(evidence, of) for of in dict.fromkeys(parties) if _has(evidence, of)]
    return [f"ns-3.44, inferred set-up, one run: {', '.join(numbers)} ({said})"] if numbers else []


def _has(evidence: Evidence, of: str) -> bool:
    return (SETUP, of, 1) in evidence.ns3


def _row(evidence: Evidence, of: str) -> str:
    """By ratio: Mbit/s of a controller, Jain's index of a pair."""
    digits, name = (3, f"{of}, Jain's index") if "-" in of else (2, CC_NAMES[of])
    values = " / ".join(f"{evidence.ns3[SETUP, of, r]:.{digits}f}" for r in RATIOS)
    return f"{name} {values}" + ("" if "-" in of else " Mbit/s")


def unbacked(finding: Finding, evidence: Evidence, stack: str) -> list[str]:
    """The controllers and pairs that the rule asks for and of which ns-3 has no run as stated."""
    watched = _watched(evidence, strict=False)
    finding.holds(watched.view(stack))
    return [of for of in _parties(watched) if (stack, of, 1) not in evidence.ns3]
