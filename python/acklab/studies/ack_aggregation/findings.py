"""From the thesis's findings to verdicts: each is a condition that the numbers meet or do not.

A finding is *reproduced* if it holds in the ns-3 stack with the set-up as stated, *partly* if it
holds only in the Linux stack or only in the set-up `thesis`, and *not* if it holds in none.

`thesis` was chosen by its agreement with Table 1. A finding about one flow that holds there alone
is thus explained at best, not confirmed; the text of its row says in which set-ups it holds.
A mechanism's text is made from the traces when the study runs (`why_*.py`).

What is said to be more or less than something else has to be so with the whole interval of the
difference (`runs.py`); where that contains 0 the row says "undecided", and the finding does not
hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acklab.report.parts import Claim, Verdict
from acklab.studies.ack_aggregation.beside import beside, unbacked
from acklab.studies.ack_aggregation.cells import DURATION_S, duration
from acklab.studies.ack_aggregation.evidence import Evidence, View
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.why import shown
from acklab.studies.study import Effort

if TYPE_CHECKING:
    import polars as pl

#: What a sentence read off a figure must be about, as a share: less than a tenth more or less is
#: not seen in the thesis's figures, which are a few centimetres high.
SEEN = 0.1
RATIOS = (1, 2, 4, 8, 16)
AGGREGATED = RATIOS[1:]
#: The stated set-up in the thesis's own simulator decides first.
ORDER = ("ns3", "linux", "thesis")
NAMES = {
    "ns3": "as stated, ns-3 stack",
    "linux": "as stated, Linux stack",
    "thesis": "inferred set-up",
}
#: Above the claims.
_NOTE = """\
A finding is **reproduced** if it holds with the set-up as stated in ns-3's stack, **partly** if
only in Linux's or only in the inferred set-up, **not** if in none; what these are is told under
[Method and reading](#method). Five numbers with slashes between them go by ratio, 1:1 / 2:1 / 4:1 /
8:1 / 16:1; four end at 8:1, since as stated 16:1 is the same run. Over the air they go by
aggregation, none / A-MSDU / A-MPDU / both, or by the A-MPDU's limit, 4 / 8 / 16 / 32 / 64 KB. ± is
half of a 95 % interval over seeds, of a difference seed by seed; one whose interval contains 0 is
undecided and does not hold. Where a sentence is about how much, a difference has a least size too,
mostly a tenth. Causes that can be measured mostly have rows of their own. What stands in brackets
was added to the quotation.

Of Tables 1 to 3 ns-3.44 itself was run in the inferred set-up, **once per cell**, and these numbers
stand at the end of a row, with whether its rule holds on them. Where they hold and the verdict says
otherwise, a single start gives the thesis's number and starts a millisecond apart do not: the
thesis's run is found again, its sentence as one about the controller is not. "No ns-3 run beside
it" says that acklab alone vouches for what decides.
"""
#: Above those of short runs.
_QUICK = """
**Quick: runs of {wired} s on the wire ({pairs} s of two flows) and {wireless} s over the air
instead of {whole} s, {seeds}.
These verdicts are not the study's**: a start of some seconds is most of a short run, and with few
seeds intervals are wide, so that more is undecided.
"""


def note(effort: Effort) -> str:
    """What stands above the claims."""
    from acklab.studies.ack_aggregation.wireless import cells as wireless

    if not effort.quick:
        return _NOTE
    told = _QUICK.format(
        wired=duration(effort),
        pairs=duration(effort, 2),
        wireless=wireless.duration(effort),
        whole=DURATION_S,
        seeds=f"{effort.seeds} seed{'s' if effort.seeds > 1 else ''}",
    )
    return _NOTE + told


@dataclass(frozen=True)
class Finding:
    """A sentence of the thesis, and what it would take to be true."""

    id: str
    sentence: str
    where: str
    holds: Callable[[View], bool]
    #: The numbers that the condition looks at.
    numbers: Callable[[View], str]
    #: Why it is so: the text, with its numbers.
    mechanism: Callable[[Evidence], str]
    #: The artefact that shows it.
    figure: str
    #: Whether it compares starts with each other, of which ns-3's runs have one.
    over_starts: bool = False


def verdict(finding: Finding, evidence: Evidence) -> tuple[Verdict, list[str]]:
    """The verdict, and the set-ups in which the finding holds."""
    where = [name for name in ORDER if finding.holds(evidence.view(name))]
    return word(where), where


def word(where: Sequence[str]) -> Verdict:
    """The verdict on what holds in these set-ups."""
    if "ns3" in where:
        return "reproduced"
    return "partly" if where else "not"


def judge(finding: Finding, evidence: Evidence) -> Claim:
    """The finding as a row of the claims table."""
    word, where = verdict(finding, evidence)
    parts = [
        f"{NAMES[s]}: {finding.numbers(evidence.view(s))} ({_held(finding, evidence, s, where)})"
        for s in ORDER
    ]
    parts += beside(finding, evidence)
    return Claim(
        finding.id,
        finding.sentence,
        finding.where,
        word,
        "; ".join(parts),
        finding.mechanism(evidence),
        finding.figure,
    )


def _held(finding: Finding, evidence: Evidence, stack: str, where: Sequence[str]) -> str:
    """Whether it holds in a set-up; of the one that decides, whether ns-3 itself was run."""
    if stack not in where:
        return "does not"
    bare = unbacked(finding, evidence, stack) if stack == ORDER[0] else []
    names = ", ".join(CC_NAMES.get(of, of) for of in bare)
    return f"holds; no ns-3 run beside it: {names}" if bare else "holds"


def claims(tables: Mapping[str, pl.DataFrame]) -> Sequence[Claim]:
    """Every finding of the thesis and of the poster, judged."""
    from acklab.studies.ack_aggregation.findings_causes import CAUSES
    from acklab.studies.ack_aggregation.findings_causes_pairs import CAUSES as CAUSES_OF_PAIRS
    from acklab.studies.ack_aggregation.findings_fairness import FAIRNESS
    from acklab.studies.ack_aggregation.findings_feedback import FEEDBACK
    from acklab.studies.ack_aggregation.findings_feedback_loss import FEEDBACK_LOSS
    from acklab.studies.ack_aggregation.findings_loss import LOSS
    from acklab.studies.ack_aggregation.findings_rates import RATES
    from acklab.studies.ack_aggregation.findings_shares import SHARES
    from acklab.studies.ack_aggregation.findings_summary import SUMMARY
    from acklab.studies.ack_aggregation.findings_throughput import THROUGHPUT
    from acklab.studies.ack_aggregation.findings_vegas import VEGAS
    from acklab.studies.ack_aggregation.findings_windows import WINDOWS
    from acklab.studies.ack_aggregation.wireless import findings as wireless

    evidence = Evidence.of(tables)
    wired = (*THROUGHPUT, *RATES, *VEGAS, *WINDOWS, *LOSS, *FAIRNESS, *SUMMARY)
    feedback = (*FEEDBACK, *FEEDBACK_LOSS, *SHARES)
    causes = (*feedback, *CAUSES, *CAUSES_OF_PAIRS)
    return [*(judge(f, evidence) for f in (*wired, *causes)), *wireless.claims(tables)]


def ratios(of: Callable[[int], float], digits: int = 2) -> str:
    """A value per ratio, as text."""
    return " / ".join(shown(of(r), digits) for r in RATIOS)


def row(v: View, quantity: str, key: str, digits: int = 2) -> str:
    """A quantity of every run by ratio, its means over seeds, as text."""
    return ratios(lambda r: v.mean(quantity, key, r), digits)
