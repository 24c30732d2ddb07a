"""The paper's findings, judged by the study's runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acklab.report.parts import Claim, Verdict
from acklab.studies.runs import Sample, known, percent
from acklab.studies.study import Effort
from acklab.studies.tac import asked
from acklab.studies.tac.beside import beside, short
from acklab.studies.tac.evidence import Evidence, View, gain, row
from acklab.studies.tac.stacks import DEFAULT, MODERN

if TYPE_CHECKING:
    import polars as pl

Test = Callable[[View], bool]
Text = Callable[[View], str]

#: "Negligible" and "insignificant": an index as the paper's figures have it for a fair scheme.
FAIR = 0.98
#: "Assures fairness": 0.99, as the paper has it for RDG and TAC, as a figure rounds it.
ASSURED = 0.985
#: A share that may still be called none.
A_FEW = 0.01
#: Overflow is prevented where less than this share of the ACKs finds no room.
PREVENTED = 0.005

_NOTE = """\
Each sentence of the paper that states a finding, with what acklab finds. *Reproduced* means: it
holds in the set-up that is nearest to the paper's (ns-2's TCP), by the criterion given with the
numbers; *partly*: in a weaker form, or with Linux's TCP alone; *not*: in neither, or where that
set-up shows the opposite, whatever Linux's TCP does. A number that the paper states counts as
reproduced within a tenth of it (DIFF's index within 5 %, a count of flows within two, a gain within
five points, a loss rate within a third; a least index as a figure rounds it, 0.985 for 0.99 and
0.975 for 0.98), as partly if the direction is right and it is within a third (DIFF's index: a
tenth; a gain: if it is a gain, seed by seed). "More" and "less" compare runs of the same seed: the
whole 95 % interval of their differences lies on one side. Means are held against bounds, and are
compared where there is a margin (III-loss, III-redundant, F5-agg from one N to the next), by
F6-outperforms and F6-grows, and by the weaker forms of II-increment, II-rapidly, III-rack, F5-diff
and F6-diff.

Beside a number of the paper stands ours in its form. Where the sentence has none, *paper* is what
it says in a few words and *acklab* has the rule's numbers with ns-2's TCP, of rows their ends; all
of them, with intervals, Linux's and the criterion are in the last column.

The column *ns-3* asks the same rule of ns-3.44's own runs, of AGG with its own TCP (delayed ACKs):
it *holds* there, it *does not*, or *its runs alone cannot tell*. They do not enter the verdict.
"""


def note(effort: Effort) -> str:
    """How to read the claims."""
    quick = "**Quick: short runs of few seeds; verdicts mean little.** " if effort.quick else ""
    return quick + _NOTE


@dataclass(frozen=True)
class Finding:
    """A sentence, when it holds, when a weaker form of it does, and what explains it."""

    id: str
    sentence: str
    where: str
    holds: Test
    numbers: Text
    mechanism: Text
    #: The artefact that shows it.
    figure: str
    weaker: Test = lambda v: False
    #: When the nearest set-up shows the opposite, which Linux's TCP cannot make good.
    opposite: Test = lambda v: False
    #: Whether it is judged of Linux's TCP as well.
    of_tcp: bool = True
    #: The number that the paper states, and ours in its form.
    stated: str = ""
    ours: Text | None = None


def judge(finding: Finding, evidence: Evidence) -> Claim:
    """The finding as a row of the claims table."""
    ours, modern = evidence.view(DEFAULT), evidence.view(MODERN)
    with_linux = finding.of_tcp and finding.holds(modern)
    verdict: Verdict = "not"
    if finding.holds(ours):
        verdict = "reproduced"
    elif finding.opposite(ours):
        pass
    elif finding.weaker(ours) or with_linux or (finding.of_tcp and finding.weaker(modern)):
        verdict = "partly"
    numbers = finding.numbers(ours)
    if finding.of_tcp:
        word = "holds" if with_linux else "does not hold"
        numbers = f"like ns-2: {numbers}; Linux ({word}): {finding.numbers(modern)}"
    theirs, told_of_them = beside(finding, evidence)
    if theirs:
        numbers += f"; ns-3.44: {theirs} ({told_of_them})"
    return Claim(
        finding.id,
        finding.sentence,
        finding.where,
        verdict,
        numbers,
        finding.mechanism(ours),
        finding.figure,
        {**_beside(finding, ours), "ns3": _of_ns3(finding, theirs, told_of_them)},
    )


def _beside(finding: Finding, ours: View) -> dict[str, str]:
    """Ours beside the number that the paper states, or the rule's numbers beside its words."""
    if finding.ours is not None:
        return {"paper": finding.stated, "acklab": finding.ours(ours)}
    return {"paper": asked.SAID[finding.id], "acklab": asked.brief(finding.numbers(ours))}


def _of_ns3(finding: Finding, numbers: str, told_of_them: str) -> str:
    """ns-3's number in the same form, or those that the rule asks for."""
    return f"{short(finding) or numbers} ({told_of_them})" if numbers else asked.NOT_RUN


def told_as(form: str, *values: float) -> str:
    """The values in that form; a dash where a quick run has none."""
    return " / ".join("-" if v != v else format(v, form) for v in values)


def claims(tables: Mapping[str, pl.DataFrame]) -> Sequence[Claim]:
    """Every finding, judged."""
    evidence = Evidence.of(tables)
    return [judge(f, evidence) for f in every()]


def every() -> Sequence[Finding]:
    """In the order of the paper."""
    from acklab.studies.tac.findings_conclusion import CONCLUSION
    from acklab.studies.tac.findings_design import DESIGN
    from acklab.studies.tac.findings_filter import FILTER
    from acklab.studies.tac.findings_losses import LOSSES
    from acklab.studies.tac.findings_problem import PROBLEM
    from acklab.studies.tac.findings_rates import RATES
    from acklab.studies.tac.findings_schemes import SCHEMES
    from acklab.studies.tac.findings_size import SIZE
    from acklab.studies.tac.findings_stations import STATIONS
    from acklab.studies.tac.findings_timer import TIMER
    from acklab.studies.tac.findings_windows import WINDOWED

    return (
        *(*PROBLEM, *WINDOWED, *LOSSES, *FILTER, *DESIGN, *TIMER, *SCHEMES),
        *(*STATIONS, *RATES, *SIZE, *CONCLUSION),
    )


def near(value: float, paper: float, share: float = 0.1) -> bool:
    """Whether it is within that share of the paper's number."""
    return abs(value - paper) <= share * abs(paper)


def rises(first: Sample, last: Sample) -> bool:
    """Whether it is more, seed by seed."""
    return gain_or_difference(last, first) > 0


def falls(first: Sample, last: Sample) -> bool:
    """Whether it is less, seed by seed."""
    return gain_or_difference(first, last) > 0


def gain_or_difference(a: Sample, b: Sample) -> float:
    """The low end of what `a` is more than `b`; of a single seed, the difference."""
    e = known({s: a[s] - b[s] for s in a if s in b})
    return e.low if e.n > 1 else e.mean


def of_sizes(quantity: str, digits: int = 2, buffer: int = 200, scale: float = 1.0) -> Text:
    """A quantity of Figure 2 over Lmax, as text."""

    def text(v: View) -> str:
        sizes = " / ".join(f"{k}" for k in v.sizes)
        values = row([v.lmax(quantity, k, buffer) for k in v.sizes], digits, scale)
        return f"{values} ({sizes} KB)"

    return text


def of_stations(quantity: str, scheme: str, digits: int = 2, scale: float = 1.0) -> Text:
    """A quantity of Figure 5 over N, as text."""

    def text(v: View) -> str:
        counts = _some(v.stations)
        values = row([v.n(quantity, scheme, n) for n in counts], digits, scale)
        return f"{scheme.upper()} {values} (N = {' / '.join(map(str, counts))})"

    return text


def of_errors(quantity: str, scheme: str, digits: int = 2, scale: float = 1.0) -> Text:
    """A quantity of Figure 6 over Lmax, as text."""

    def text(v: View) -> str:
        values = row([v.ber(quantity, scheme, k) for k in v.sizes], digits, scale)
        return f"{scheme.upper()} {values} ({' / '.join(map(str, v.sizes))} KB)"

    return text


def told(*parts: Text | str) -> Text:
    """Several texts, one after the other."""
    return lambda v: "; ".join(p if isinstance(p, str) else p(v) for p in parts)


def best_gain(samples: Sequence[tuple[int, Sample, Sample]]) -> tuple[int, float, str]:
    """Where `a` exceeds `b` most, by which share, and that as text."""
    found = {at: gain(a, b) for at, a, b in samples}
    at = max(found, key=lambda k: found[k].mean)
    return at, found[at].mean, f"{percent(found[at])} at {at}"


def _some(values: list[int]) -> list[int]:
    """Of ten values, five: those that the text needs."""
    return [n for n in values if n in (1, 5, 10, 20, 30)] or values
