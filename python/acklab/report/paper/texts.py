"""The study's texts with their numbers, and the words that the page uses."""

from __future__ import annotations

import inspect
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

from acklab.report import html
from acklab.report.paper.claims import anchor, verdict
from acklab.report.paper.sources import Names
from acklab.studies.kit.fit import LeftOut, fitted
from acklab.studies.kit.flaws import blamed
from acklab.studies.kit.folder import Folder
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.templates import filled, without_missing, without_numbers
from acklab.studies.kit.words import EXAMPLES


def text(
    study: Folder,
    name: str,
    ours: Numbers,
    verdicts: Mapping[str, str],
    essence: Container[str] | None = None,
    quick: bool = False,
) -> str:
    """A text of the study as HTML; it says where it leaves out what no verdict supports.

    With `essence`, the claims that were judged, it loses its paragraphs on what was not run. A
    `quick` page loses those with numbers: they tell what the runs of the whole study have shown.
    """
    written = study.text(name) if name else ""
    written = without_numbers(written) if quick else written
    if not written:
        return ""
    scope = study.scope(ours, study.deciding()[0])
    with blamed(study.path / "text" / f"{name}.md"):
        if essence is not None:
            written = without_missing(written, scope, essence)
        parts = fitted(written, verdicts)
        told = [p if isinstance(p, LeftOut) else filled(p, scope) for p in parts]
    return "".join(_pieces(told, study.about.own))


def _pieces(parts: Sequence[str | LeftOut], own: bool) -> Iterator[str]:
    """Paragraphs together, as they may be of one list, and a note for each that is left out."""
    for left, some in groupby(parts, lambda p: isinstance(p, LeftOut)):
        of = list(some)
        if not left:
            yield html.prose("\n\n".join(map(str, of)))
        for part in of:
            if isinstance(part, LeftOut):
                note = html.words(part.note(own, lambda id_: f"[{id_}](#{anchor(id_)})"))
                yield f'<p class="warn" role="note">{note}</p>\n'


def glossary(study: Folder, own: str) -> str:
    """The study's `own` words as HTML; each quantity, its name in conditions, unit, definition."""
    names = Names(study)
    # Parts of a drawing, which no condition names: those of boxes, and lines over time.
    boxes = (figure for figure in study.about.figure if figure.box)
    parts = {name for figure in boxes for name in (figure.quantity, *figure.box)}
    over_time = ("time", "second")
    told = [q for q in study.quantities.values() if q.name not in parts and q.axis not in over_time]
    rows = "".join(
        f'<tr><th scope="row">{escape(names.quantity(q))}</th>'
        f"<td><code>{escape(q.name)}</code></td>"
        f"<td>{escape(q.unit) or 'no unit'}</td><td>{escape(q.text)}</td></tr>"
        for q in told
    )
    return (
        f'<section id="words"><h2>Words and quantities</h2>'
        f"{own}"
        '<div class="wide" tabindex="0" role="region" aria-label="Quantities"><table>'
        '<caption class="unseen">Quantities</caption><thead><tr><th scope="col">quantity</th>'
        '<th scope="col">in conditions</th>'
        '<th scope="col">unit</th><th scope="col">definition</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def judging(study: Folder) -> str:
    """How a verdict comes about, the roles of the set-ups, and where the numbers are from."""
    roles = {
        "decides": "it decides.",
        "supports": "it supports. A claim that holds in this set-up alone is partly reproduced.",
        "explains": "it explains the results and changes no verdict.",
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
    contrary = ""
    if any(c.opposite for c in study.claims):
        contrary = ", or the claim names its opposite, which is true in a set-up that decides"
    return (
        '<section id="judging"><h2>How claims are judged</h2>'
        "<p>Each claim has a condition that compares numbers of acklab's runs, seed by seed. A "
        "difference counts only if its whole 95 % interval lies on one side of the bound.</p>"
        f"<ul><li><b>{held}</b>: the condition is true.</li>"
        f"<li><b>Partly</b>: {weaker[0].lower()}{weaker[1:]}.</li>"
        "<li><b>Undecided</b>: the interval reaches over the bound.</li>"
        f"<li><b>{failed}</b>: the condition is false{contrary}.</li></ul>"
        "<p>A claim that <em>follows from the set-up</em> says nothing about TCP: the study's own "
        "settings make it true.</p>"
        f"{_words(study)}"
        + (f"<h3>Set-ups</h3><ul>{setups}</ul>" if setups else "")
        + (f"<h3>Other witnesses</h3><ul>{witnesses}</ul>" if witnesses else "")
        + "<h3>Two states</h3><p>The runs of a cell sometimes end in two different states, and the "
        "mean would describe neither. A table then shows both states with the number of runs in "
        "each. acklab sorts the values and splits them at the widest gap. They are two states if "
        "each part has at least two runs, the gap is at least three times as wide as the wider "
        "part, and the gap is at least a fifth of the mean.</p></section>"
    )


def _words(study: Folder) -> str:
    """The words of the language that the study's conditions use, folded."""
    conditions = " ".join(f"{c.holds} {c.weaker} {c.opposite}" for c in study.claims)
    words = study.vocabulary.words
    used = [w for w in words if re.search(rf"\b{w}\(", conditions)]
    if not used:
        return ""
    rows = "".join(
        f'<tr><th scope="row"><code>{w}</code></th>'
        f"<td>{html.words((inspect.getdoc(words[w]) or '').partition(chr(10))[0])}</td>"
        f"<td>{f'<code>{escape(EXAMPLES[w])}</code>' if w in EXAMPLES else ''}</td></tr>"
        for w in used
    )
    return (
        "<details><summary>The words of the conditions</summary>"
        "<p>A condition is an expression over quantities. <code>one.goodput(cc=cubic, ratio=8)"
        "</code> is the quantity <code>goodput</code> of the group of cells <code>one</code>, at "
        "these keys. <code>over</code> names the axes that a word folds, and <code>along</code> an "
        "axis that has an order.</p>"
        '<div class="wide" tabindex="0" role="region" aria-label="Words of the conditions"><table>'
        '<caption class="unseen">Words of the conditions</caption><thead><tr>'
        '<th scope="col">word</th><th scope="col">meaning</th><th scope="col">example</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div></details>"
    )
