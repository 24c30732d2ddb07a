"""What ns-3's own runs say beside a verdict: the same rule, asked of its numbers.

They are of AGG without bit errors: by Lmax with 20 stations and a queue of 200, at 1, 2 and 32 KB
with one of 10,000, and by stations at 16 KB; with ns-3's own TCP, 20 s, three runs a cell. A rule
that X"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from acklab.studies import runs
from acklab.studies.tac import references
from acklab.studies.tac.evidence import Evidence, Key
from acklab.studies.tac.stacks import DEFAULT
from acklab.studies.watched import Watched, told

if TYPE_CHECKING:
    from acklab.studies.tac.findings import Finding

CANNOT = "its runs alone cannot tell"
#: How a quantity is told: label, digits, factor.
_TOLD: Mapping[str, tuple[str, int, float]] = {
    "throughput_mbps": ("Mbit/s", 1, 1),
    "jain": ("index", 3, 1),
    "flows_without_loss": ("flows without a loss", 1, 1),
    "loss_goodput_correlation": ("correlation of loss and goodput", 2, 1),
    "ack_loss_mean": ("ACKs lost, %", 1, 100),
    "ack_loss_sd": ("standard deviation of the loss, %", 2, 100),
    "ack_loss_min": ("smallest loss, %", 1, 100),
    "ack_loss_max": ("largest loss, %", 1, 100),
    "flows_under_2_percent": ("flows below 2 %", 1, 1),
    "flows_over_12_percent": ("flows above 12 %", 1, 1),
}
#: Figure, packets in the access point, quantity.
_Row = tuple[str, int, str]


@cache
def evidence() -> Evidence:
    """ns-3's numbers where the study has those of the cell."""
    found: dict[Key, dict[int, float]] = {}
    for (stations, kilobytes, buffer), each in references.ns3_runs().items():
        of_fig5 = kilobytes == 16 and buffer == 200
        for figure, ours in (("fig2", stations == 20), ("fig5", of_fig5)):
            for quantity in references.QUANTITIES if ours else ():
                at = (figure, DEFAULT, "agg", stations, kilobytes, buffer, quantity)
                found[at] = {run: of[quantity] for run, of in each.items()}
    return Evidence(found)


def beside(finding: Finding, ours: Evidence) -> tuple[str, str]:
    """ns-3's numbers for the cells that the rule asks for, and what the rule says of them.

    Nothing of either where ns-3 has no such cell.
    """
    strict = Watched(evidence().values, strict=True)
    try:
        said = told(finding.holds(Evidence(strict).view(DEFAULT)))
        asked = strict.asked
    except LookupError:
        said = CANNOT
        # What the rule would have gone on to ask for.
        whole = Watched(ours.values)
        finding.holds(Evidence(whole).view(DEFAULT))
        asked = [*strict.asked, *whole.asked]
    numbers = _rows(list(dict.fromkeys(asked)))
    return (numbers, said) if numbers else ("", "")


def short(finding: Finding) -> str:
    """ns-3's value in the form in which the paper states its own; nothing where it has none."""
    if finding.ours is None:
        return ""
    try:
        return finding.ours(Evidence(Watched(evidence().values, strict=True)).view(DEFAULT))
    except LookupError:
        return ""


def _rows(asked: list[Key]) -> str:
    """Of each quantity that ns-3 has, the values over Lmax or stations."""
    has = evidence().values
    found: dict[_Row, dict[int, runs.Sample]] = {}
    for key in asked:
        figure, _, _, stations, kilobytes, buffer, quantity = key
        if key in has:
            x = kilobytes if figure == "fig2" else stations
            found.setdefault((figure, buffer, quantity), {})[x] = has[key]
    return "; ".join(_row(of, dict(sorted(values.items()))) for of, values in found.items())


def _row(of: _Row, values: Mapping[int, runs.Sample]) -> str:
    figure, buffer, quantity = of
    label, digits, factor = _TOLD[quantity]
    where = " / ".join(map(str, values))
    where = f"{where} KB" if figure == "fig2" else f"N = {where}"
    queue = "" if buffer == 200 else f", B = {buffer:,}"
    means = " / ".join(f"{factor * runs.mean(v):.{digits}f}" for v in values.values())
    return f"{label} {means} ({where}{queue})"
