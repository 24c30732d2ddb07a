"""From claims and numbers to verdicts, with everything that a row of the report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from acklab.studies.kit.claims import ALWAYS, Claim, Verdict
from acklab.studies.kit.fields import Field, Key, listed
from acklab.studies.kit.folder import Folder
from acklab.studies.kit.language import Asked, number, truth
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.templates import filled, without_missing
from acklab.studies.kit.truth import Truth
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.kit.words import Wrong


@dataclass(frozen=True)
class Shown:
    """Numbers that a claim is about, over at most some axes."""

    quantity: Quantity
    #: The keys that the claim names, for the label.
    keys: Mapping[str, Sequence[Key]]
    field: Field
    #: The same numbers of witnesses, where they have them.
    witnesses: Mapping[str, Field]


@dataclass(frozen=True)
class Judged:
    """A claim and its verdict."""

    claim: Claim
    verdict: Verdict
    #: Why it is "partly": in which form, or in which set-up; empty otherwise.
    how: str
    #: Whether it holds in each set-up, by name.
    setups: Mapping[str, Truth]
    #: Whether it holds on the numbers of each witness, by name.
    witnesses: Mapping[str, Truth]
    #: Whether what a witness is asked instead holds on ours, by its name.
    asked: Mapping[str, Truth]
    shown: Sequence[Shown]
    #: Markdown.
    because: str = ""


def judge_all(study: Folder, ours: Numbers, strict: bool = True, full: bool = True) -> list[Judged]:
    """Every claim, judged. With `strict` a reason must have been written for its verdict.

    Without `full`, a claim about cells outside the essence is left out.
    """
    found = [_judged(study, claim, ours) for claim in study.claims]
    if not full:
        found = [
            j
            for j in found
            if all(j.setups[s] is not Truth.MISSING for s in study.deciding(j.claim))
        ]
    verdicts: dict[str, str] = {j.claim.id: j.verdict for j in found}
    return [replace(j, because=_reason(study, j, ours, verdicts, strict, full)) for j in found]


def _judged(study: Folder, claim: Claim, ours: Numbers) -> Judged:
    """A claim with its verdict: a set-up that decides comes first."""
    deciding = study.deciding(claim)
    every = [claim.setup] if claim.setup else [s.name for s in study.about.setup] or [""]
    scopes = {setup: study.scope(ours, setup, claim) for setup in every}
    truths = {setup: truth(claim.holds, scope) for setup, scope in scopes.items()}
    asked = scopes[deciding[0]].asked
    if claim.numbers:
        scope = study.scope(ours, deciding[0], claim)
        for text in claim.numbers:
            number(text, scope)
        asked = scope.asked

    def holds(text: str, setup: str) -> bool:
        return bool(text) and truth(text, study.scope(ours, setup, claim)) is Truth.YES

    def verdict() -> tuple[Verdict, str]:
        if any(truths[s] is Truth.YES for s in deciding):
            return "reproduced", ""
        if any(holds(claim.opposite, s) for s in deciding):
            return "not", ""
        weaker = claim.weaker_says or "in a weaker form"
        if any(holds(claim.weaker, s) for s in deciding):
            return "partly", weaker
        for setup in study.setups("supports") if not claim.setup else ():
            if truths[setup.name] is Truth.YES:
                return "partly", f"only {setup.title}"
            if holds(claim.weaker, setup.name):
                return "partly", f"only {setup.title}, {weaker}"
        open_ = any(truths[s] in (Truth.OPEN, Truth.MISSING) for s in deciding)
        return "undecided" if open_ else "not", ""

    theirs = {
        w.name: truth(
            claim.asks.get(w.name, claim.holds),
            study.scope(study.witnesses[w.name], w.setup or study.deciding()[0], claim),
        )
        for w in study.about.witness
    }
    alike = {
        name: truth(text, study.scope(ours, deciding[0], claim))
        for name, text in claim.asks.items()
    }
    shown = [_shown(study, claim, a, field) for a, field in asked.items()]
    return Judged(claim, *verdict(), truths, theirs, alike, shown)


def _shown(study: Folder, claim: Claim, asked: Asked, field: Field) -> Shown:
    """The numbers that a condition asked for, and those that the witnesses have in their place."""
    theirs = {
        w.name: study.scope(study.witnesses[w.name], w.setup, claim).select(asked)
        for w in study.about.witness
    }
    keys = {**study.where("", claim), **dict(asked.keys)}
    axes = study.vocabulary.axes_of(asked.group, asked.quantity)
    return Shown(
        study.vocabulary.quantities[asked.quantity],
        {a: listed(k) for a, k in keys.items() if a in axes},
        field,
        {name: of for name, of in theirs.items() if of.cells},
    )


def _reason(
    study: Folder,
    judged: Judged,
    ours: Numbers,
    verdicts: Mapping[str, str],
    strict: bool,
    full: bool,
) -> str:
    """Why it has its verdict, with numbers."""
    claim = judged.claim
    scope = study.scope(ours, study.deciding(claim)[0], claim)
    text = claim.because.get(judged.verdict, claim.because.get(ALWAYS, ""))
    with claim.blamed("because", rf"\b({judged.verdict}|{ALWAYS})\s*="):
        if not text and claim.because and strict:
            raise Wrong(
                f"it is now {judged.verdict!r}, and there is a text for "
                f"{', '.join(claim.because)} only: write one for {judged.verdict!r}"
            )
        whole = text if full else without_missing(text, scope, verdicts)
        # A quick run may lack more, and its verdicts may have no text of their own.
        if strict and text and not whole:
            raise Wrong(
                "every paragraph of because has numbers that only --full runs; "
                "begin with a paragraph that has none"
            )
        return filled(whole, scope, verdicts if strict else None)
