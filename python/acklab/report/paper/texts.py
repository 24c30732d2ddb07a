"""The study's texts with their numbers, and the words that the page uses."""

from __future__ import annotations

from collections.abc import Container, Mapping
from html import escape

from acklab.report import html
from acklab.report.paper.claims import verdict
from acklab.report.paper.sources import Names
from acklab.studies.kit.claims import Flaw
from acklab.studies.kit.folder import Folder
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.templates import filled, without_missing
from acklab.studies.kit.words import Wrong


def text(
    study: Folder,
    name: str,
    ours: Numbers,
    verdicts: Mapping[str, str] | None,
    essence: Container[str] | None = None,
) -> str:
    """A text of the study as HTML; with `verdicts` it is refused where one has turned.

    With `essence`, the claims that were judged, it loses its paragraphs on what was not run.
    """
    written = study.text(name) if name else ""
    if not written:
        return ""
    scope = study.scope(ours, study.deciding)
    try:
        if essence is not None:
            written = without_missing(written, scope, essence)
        markdown = filled(written, scope, verdicts)
    except Wrong as e:
        raise Flaw(study.path / "text" / f"{name}.md", 0, str(e)) from None
    return html.prose(markdown)


def glossary(study: Folder, own: str) -> str:
    """The study's `own` words as HTML, and each quantity with its unit and definition."""
    names = Names(study)
    rows = "".join(
        f'<tr><th scope="row">{escape(names.quantity(q))}</th>'
        f"<td>{escape(q.unit) or 'no unit'}</td><td>{escape(q.text)}</td></tr>"
        for q in study.quantities.values()
    )
    return (
        f'<section id="words"><h2>Words and quantities</h2>'
        f"{own}"
        '<div class="wide" tabindex="0" role="region" aria-label="Quantities"><table>'
        '<caption class="unseen">Quantities</caption><thead><tr><th scope="col">quantity</th>'
        '<th scope="col">unit</th><th scope="col">definition</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def judging(study: Folder) -> str:
    """How a verdict comes about, the roles of the set-ups, and where the numbers are from."""
    roles = {
        "decides": "It decides.",
        "supports": "A claim that holds here alone is partly reproduced.",
        "explains": "It explains, and never betters a verdict.",
    }
    setups = "".join(
        f"<li><b>{escape(s.title)}</b>: {roles[s.role]}</li>" for s in study.about.setup
    )
    witnesses = "".join(
        f"<li><b>{escape(w.title)}</b>: {html.words(w.source)}</li>" for w in study.about.witness
    )
    held = verdict("reproduced", study.about.own).capitalize()
    failed = verdict("not", study.about.own).capitalize()
    weaker = "A weaker form of it holds"
    if study.about.setup:
        weaker += ", or it holds only in a set-up that supports"
    return (
        '<section id="judging"><h2>How claims are judged</h2>'
        "<p>Each claim has a condition. Numbers are compared seed by seed. The whole 95 % interval "
        "of a difference has to lie on one side; otherwise the claim stays undecided. "
        f"<b>{held}</b>: the condition is true. <b>Partly</b>: {weaker[0].lower()}{weaker[1:]}. "
        f"<b>{failed}</b>: it is false. "
        "A claim that follows from the set-up says nothing about TCP.</p>"
        + (f"<h3>Set-ups</h3><ul>{setups}</ul>" if setups else "")
        + (f"<h3>Other witnesses</h3><ul>{witnesses}</ul>" if witnesses else "")
        + "<h3>Two states</h3><p>The runs of a cell sometimes end up in two states, of which the "
        "mean would be neither. The values are put in order and parted at the widest gap. They are "
        "two states if each part has at least two runs, the gap is at least three times as wide as "
        "the wider part, and it is at least a fifth of the mean. The table then shows both states "
        "with the number of runs in each.</p></section>"
    )
