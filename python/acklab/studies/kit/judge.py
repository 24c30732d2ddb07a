"""From claims and numbers to verdicts, with everything that a row of the report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from acklab.stats import Estimate
from acklab.studies.kit.claims import ALWAYS, Claim, Flaw, Verdict, line_of
from acklab.studies.kit.fields import Field, Key, known
from acklab.studies.kit.folder import SETUP, Folder
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

    def cells(self) -> list[tuple[tuple[Key, ...], Estimate]]:
        """Ours, with intervals."""
        return [(key, known(v)) for key, v in self.field.cells.items()]


@dataclass(frozen=True)
class Judged:
    """A claim and what became of it."""

    claim: Claim
    verdict: Verdict
    #: Why it is "partly": in which form, or in which set-up; empty otherwise.
    how: str
    #: Whether it holds in each set-up, by name.
    setups: Mapping[str, Truth]
    #: Whether it holds on the numbers of each witness, by name.
    witnesses: Mapping[str, Truth]
    shown: Sequence[Shown]
    #: Markdown.
    because: str


def judge_all(study: Folder, ours: Numbers, strict: bool = True, full: bool = True) -> list[Judged]:
    """Every claim, judged. With `strict` a reason must have been written for its verdict.

    Without `full`, a claim about cells outside the essence is left out.
    """
    found = [_judged(study, claim, ours) for claim in study.claims]
    found = [j for j in found if full or not _missing(study, j)]
    verdicts = {j.claim.id: j.verdict for j in found}
    return [_reasoned(study, j, ours, verdicts, strict, full) for j in found]


def _missing(study: Folder, judged: Judged) -> bool:
    """Whether a set-up that decides has no numbers for the claim."""
    return any(judged.setups[s] is Truth.MISSING for s in _deciding(study, judged.claim))


def _deciding(study: Folder, claim: Claim) -> list[str]:
    """The set-ups that decide a claim; one without a name where there are none."""
    return [claim.setup] if claim.setup else [s.name for s in study.setups("decides")] or [""]


def _judged(study: Folder, claim: Claim, ours: Numbers) -> Judged:
    setups = [claim.setup] if claim.setup else [s.name for s in study.about.setup] or [""]
    scopes = {setup: study.scope(ours, setup, claim) for setup in setups}
    truths = {setup: truth(claim.holds, scope) for setup, scope in scopes.items()}
    deciding = _deciding(study, claim)
    verdict, how = _verdict(study, claim, ours, truths, deciding)
    return Judged(
        claim,
        verdict,
        how,
        truths,
        _of_witnesses(study, claim),
        _shown(study, claim, ours, deciding[0], scopes[deciding[0]].asked),
        "",
    )


def _verdict(
    study: Folder,
    claim: Claim,
    ours: Numbers,
    truths: Mapping[str, Truth],
    deciding: Sequence[str],
) -> tuple[Verdict, str]:
    """The verdict and what there is to add: what holds where it decides comes first."""

    def holds(text: str, setup: str) -> bool:
        return bool(text) and truth(text, study.scope(ours, setup, claim)) is Truth.YES

    if any(truths[s] is Truth.YES for s in deciding):
        return "reproduced", ""
    if any(holds(claim.opposite, s) for s in deciding):
        return "not", ""
    if any(holds(claim.weaker, s) for s in deciding):
        return "partly", claim.weaker_says or "in a weaker form"
    for setup in study.setups("supports") if not claim.setup else ():
        if truths[setup.name] is Truth.YES:
            return "partly", f"only {setup.title}"
        if holds(claim.weaker, setup.name):
            return "partly", f"only {setup.title}, {claim.weaker_says or 'in a weaker form'}"
    open_ = (Truth.OPEN, Truth.MISSING)
    return ("undecided", "") if any(truths[s] in open_ for s in deciding) else ("not", "")


def _of_witnesses(study: Folder, claim: Claim) -> dict[str, Truth]:
    """The same condition, asked of each witness's own numbers."""
    return {
        w.name: truth(
            claim.holds, study.scope(study.witnesses[w.name], w.setup or study.deciding, claim)
        )
        for w in study.about.witness
    }


def _shown(
    study: Folder, claim: Claim, ours: Numbers, setup: str, asked: Sequence[Asked]
) -> list[Shown]:
    """The numbers that the condition asked for, or those that the claim names instead."""
    if claim.numbers:
        scope = study.scope(ours, setup, claim)
        for text in claim.numbers:
            number(text, scope)
        asked = scope.asked
    return [_beside(study, claim, a) for a in asked]


def _beside(study: Folder, claim: Claim, asked: Asked) -> Shown:
    """What was asked for, and what the witnesses have in its place."""
    quantity = study.vocabulary.quantities[asked.quantity]
    named = dict(asked.keys)
    keys = {**{a: k for a, k in study.where("", claim).items() if a != SETUP}, **named}
    said = ", ".join(f"{a}={_listed(k)}" for a, k in named.items())
    theirs = {}
    for w in study.about.witness:
        scope = study.scope(study.witnesses[w.name], w.setup, claim)
        field = number(f"{asked.group}.{asked.quantity}({said})", scope)
        if field.cells:
            theirs[w.name] = field
    axes = {*study.vocabulary.grids[asked.group].axes, quantity.axis}
    return Shown(quantity, {a: k for a, k in keys.items() if a in axes}, asked.field, theirs)


def _listed(keys: Sequence[Key]) -> str:
    """Keys as an expression names them."""
    return repr(keys[0]) if len(keys) == 1 else repr(list(keys))


def _reasoned(
    study: Folder,
    judged: Judged,
    ours: Numbers,
    verdicts: Mapping[str, str],
    strict: bool,
    full: bool,
) -> Judged:
    """The same with its reason."""
    claim = judged.claim
    scope = study.scope(ours, claim.setup or study.deciding, claim)
    text = claim.because.get(judged.verdict, claim.because.get(ALWAYS, ""))
    if not text and claim.because and strict:
        raise Flaw(
            claim.file,
            line_of(claim, "because"),
            f"claim {claim.id!r} is now {judged.verdict!r}, and because has a text for "
            f"{', '.join(claim.because)} only: write one for {judged.verdict!r}",
        )
    try:
        if not full:
            left = without_missing(text, scope, verdicts)
            # A quick run may lack more, and its verdicts may have no text of their own.
            if strict and text and not left:
                raise Wrong(
                    "every paragraph of because has numbers that only --full runs; "
                    "begin with a paragraph that has none"
                )
            text = left
        because = filled(text, scope, verdicts if strict else None)
    except Wrong as e:
        raise Flaw(claim.file, line_of(claim, "because"), f"claim {claim.id!r}: {e}") from None
    return replace(judged, because=because)
