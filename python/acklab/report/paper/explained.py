"""Set-ups that explain: a section of their own, and no say in a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from acklab.report.paper import figures, tables
from acklab.report.paper.claims import anchor
from acklab.report.paper.sources import sources
from acklab.studies.kit.folder import SETUP, Figure, Folder, Setup, Table
from acklab.studies.kit.judge import Judged
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.truth import Truth


def rendered(study: Folder, ours: Numbers, judged: Sequence[Judged]) -> str:
    """Each such set-up: which claims come out otherwise, and the tables with its numbers."""
    setups = study.setups("explains")
    if not setups:
        return ""
    parts = "".join(_setup(study, s, ours, judged) for s in setups)
    return (
        '<section id="explained"><h2>Set-ups that explain</h2><p>These set-ups show which part of '
        "the experiment makes the difference. They never change a verdict.</p>"
        f"{parts}</section>"
    )


def said(study: Folder) -> str:
    """For the first screen: the set-ups that decide, and those that explain."""
    decides = "; ".join(escape(s.title) for s in study.setups("decides"))
    judged = ""
    if decides:
        judged = (
            f'<p class="note">The set-up that decides a verdict: {decides}. See '
            '<a href="#judging">how claims are judged</a>.</p>'
        )
    titles = [s.title for s in study.setups("explains")]
    if not titles:
        return judged
    listed = escape("; ".join(titles))
    one = len(titles) == 1
    noun = "One more set-up was" if one else f"{len(titles)} more set-ups were"
    return judged + (
        f'<p class="note">{noun} run to explain differences ({listed}). '
        f"{'It changes' if one else 'They change'} no verdict: see "
        '<a href="#explained">Set-ups that explain</a>.</p>'
    )


def _setup(study: Folder, setup: Setup, ours: Numbers, judged: Sequence[Judged]) -> str:
    deciding = study.setups("decides")[:1]
    turned = [j for j in judged if deciding and _turns(j, setup.name, deciding[0].name)]
    items = "".join(
        f'<li><a href="#{anchor(j.claim.id)}">{escape(j.claim.id)}</a> '
        f"“{escape(j.claim.says)}” "
        f"{'holds here' if j.setups[setup.name] is Truth.YES else 'does not hold here'}.</li>"
        for j in turned
    )
    listed = (
        f"<p>These claims come out differently than in the set-up that decides:</p><ul>{items}</ul>"
        if items
        else "<p>No claim comes out differently than in the set-up that decides.</p>"
    )
    whose = sources(study, ours, [*deciding, setup])
    mine = f"acklab-{setup.name}"
    shown = ""
    for table in study.about.table:
        if _ran(ours, table, setup.name):
            shown += tables.rendered(study, table, whose, f"{setup.name}-")
    alone = [s for s in whose if s.id == mine]
    for figure in study.about.figure:
        if _ran(ours, figure, setup.name):
            shown += figures.rendered(study, figure, alone, f"{setup.name}-")
    folded = f"<details><summary>Its tables and figures</summary>{shown}</details>" if shown else ""
    return f'<h3 id="setup-{escape(setup.name)}">{escape(setup.title)}</h3>{listed}{folded}'


def _turns(j: Judged, here: str, there: str) -> bool:
    """Whether it holds in one of the two and not in the other."""
    ends = {j.setups.get(here), j.setups.get(there)}
    return ends == {Truth.YES, Truth.NO}


def _ran(ours: Numbers, of: Table | Figure, setup: str) -> bool:
    """Whether it has numbers of a set-up, and is not a table of the set-ups that it names."""
    if SETUP in of.keys:
        return False
    field = ours.get((of.group, of.quantity))
    return field is not None and SETUP in field.axes and setup in field.keys(SETUP)
