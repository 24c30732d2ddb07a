"""The findings of section 4.2, the discussion and the poster about MAC aggregation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acklab.report.parts import Claim
from acklab.studies.ack_aggregation.findings import NAMES, ORDER, word
from acklab.studies.ack_aggregation.wireless.evidence import GOODPUT, Cell, Evidence, View
from acklab.studies.runs import percent

if TYPE_CHECKING:
    import polars as pl

#: Those that Table 4 shows to gain.
BUSY = ("bbr3", "cubic", "newreno")
AGGREGATED = ("amsdu", "ampdu", "both")
CELL_NAMES = {"none": "none", "amsdu": "A-MSDU", "ampdu": "A-MPDU", "both": "both"}
#: Least difference of goodputs that counts, as a share: half of the smallest that the thesis
#: remarks on ("slightly more", 16.68 against 16.52 Mbit/s).
SLIGHT = 0.005


@dataclass(frozen=True)
class Finding:
    """As in the wired part, about the wireless evidence."""

    id: str
    sentence: str
    where: str
    holds: Callable[[View], bool]
    #: The numbers that the condition looks at.
    numbers: Callable[[View], str]
    mechanism: Callable[[Evidence], str]
    #: The artefact that shows it.
    figure: str


def judge(finding: Finding, evidence: Evidence) -> Claim:
    """The finding as a row of the claims table."""
    views = {s: evidence.view(s) for s in ORDER}
    where = [s for s, v in views.items() if finding.holds(v)]
    parts = [
        f"{NAMES[s]}: {finding.numbers(v)} ({'holds' if s in where else 'does not'})"
        for s, v in views.items()
    ]
    mechanism = finding.mechanism(evidence)
    verdict = word(where)
    return Claim(
        finding.id,
        finding.sentence,
        finding.where,
        verdict,
        "; ".join(parts),
        mechanism,
        finding.figure,
    )


def claims(tables: Mapping[str, pl.DataFrame]) -> Sequence[Claim]:
    """Every finding about MAC aggregation, judged."""
    from acklab.studies.ack_aggregation.wireless.findings_sizes import SIZES
    from acklab.studies.ack_aggregation.wireless.findings_throughput import THROUGHPUT
    from acklab.studies.ack_aggregation.wireless.findings_time import OVER_TIME

    evidence = Evidence.of(tables)
    return [judge(f, evidence) for f in (*THROUGHPUT, *OVER_TIME, *SIZES)]


def rows(quantity: str, ccs: Sequence[str], digits: int = 2) -> Callable[[View], str]:
    """A quantity by aggregation, controller by controller, as text."""
    return lambda v: "; ".join(f"{cc} {v.row(quantity, cc, digits)}" for cc in ccs)


def goodputs(*ccs: str) -> Callable[[View], str]:
    """Goodput without aggregation, with A-MSDU, A-MPDU and both, as text."""
    of = rows(GOODPUT, ccs)
    return lambda v: of(v) + " Mbit/s"


def gained(
    since: Cell, to: Cell, ccs: Sequence[str], quantity: str = GOODPUT
) -> Callable[[View], str]:
    """By what share a quantity is more in one cell than in another, seed by seed, as text."""

    def text(v: View) -> str:
        told = ", ".join(f"{cc} {percent(v.gain(cc, since, to, quantity))}" for cc in ccs)
        return f"{_named(since)} to {_named(to)}: {told}"

    return text


def _named(cell: Cell) -> str:
    return f"{cell} KB" if isinstance(cell, int) else CELL_NAMES[cell]


def told(*parts: Callable[[View], str]) -> Callable[[View], str]:
    """Several texts, one after the other."""
    return lambda v: "; ".join(part(v) for part in parts)


def by_size(*ccs: str) -> Callable[[View], str]:
    """Goodput with A-MPDUs of 4 to 64 KB, as text."""
    return lambda v: "; ".join(f"{cc} {v.sizes(GOODPUT, cc, 2)}" for cc in ccs) + " Mbit/s"
