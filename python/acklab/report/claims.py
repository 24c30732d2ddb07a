"""The claims table: what a paper says, and our verdict."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from acklab.report.html import prose, words
from acklab.report.parts import VERDICTS, WITNESSES, Claim, Verdict, shown

#: A sign beside the word, so that neither colour nor English alone tells.
_SIGNS: dict[Verdict, str] = {"reproduced": "✓", "partly": "◐", "not": "✗"}


def claims_section(claims: Sequence[Claim], anchors: Collection[str], note: str = "") -> str:
    """The table with its filter, below `note` in Markdown.

    `anchors` are the sections that claims may refer to.
    """
    _check(claims, anchors)
    named = [w for w in WITNESSES if any(c.evidence.get(w) is not None for c in claims)]
    heads = ["finding", "verdict", *(WITNESSES[w] for w in named), "what we see, and why"]
    head = "".join(f'<th scope="col">{h}</th>' for h in heads)
    rows = "\n".join(_row(c, named) for c in claims)
    return f"""<section id="claims">
<h2>Claims</h2>
{prose(note) if note else ""}
{_filter(claims)}
<div class="wide" tabindex="0" role="region" aria-label="Claims">
<table class="sortable claims">
<caption class="unseen">The paper's findings and our verdicts</caption>
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody></table></div>
</section>"""


def _check(claims: Sequence[Claim], anchors: Collection[str]) -> None:
    seen = set()
    for c in claims:
        if c.id in seen:
            raise ValueError(f"two claims have the id {c.id!r}")
        seen.add(c.id)
        if c.figure is not None and c.figure not in anchors:
            raise ValueError(
                f"claim {c.id} refers to {c.figure!r}; the sections are {sorted(anchors)}"
            )


def _filter(claims: Sequence[Claim]) -> str:
    def button(value: str, text: str, count: int, pressed: bool) -> str:
        return (
            f'<button type="button" data-verdict="{value}" aria-pressed="{str(pressed).lower()}">'
            f"{text} <span>{count}</span></button>"
        )

    counts = {v: sum(c.verdict == v for c in claims) for v in VERDICTS}
    buttons = [button("", "all", len(claims), True)]
    buttons += [button(v, f"{_SIGNS[v]} {v}", n, False) for v, n in counts.items()]
    return f"""<div class="filter" data-rows="#claims tbody tr" role="group"
aria-label="Show claims by verdict">
{"".join(buttons)}
<input type="search" placeholder="search the claims" aria-label="Search the claims">
<output class="found" aria-live="polite"></output>
</div>"""


def _row(c: Claim, named: Sequence[str]) -> str:
    evidence = "".join(
        f'<td class="number" data-label="{WITNESSES[w]}">{escape(shown(c.evidence.get(w)))}</td>'
        for w in named
    )
    verdict = f'<span class="verdict {c.verdict}">{_SIGNS[c.verdict]} {c.verdict}</span>'
    link = f' <a href="#{escape(c.figure)}">see</a>' if c.figure else ""
    return f"""<tr id="claim-{escape(c.id)}" data-verdict="{c.verdict}">
<th scope="row"><q>{escape(c.sentence)}</q> <cite>{escape(c.where)}</cite></th>
<td data-label="verdict">{verdict}</td>
{evidence}<td data-label="what we see, and why" class="why">{words(c.ours)}
<p>{words(c.mechanism)}{link}</p></td>
</tr>"""
