"""From claims and numbers to verdicts, with everything that a row of the report shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from acklab.studies.kit.claims import ALWAYS, Claim, Verdict
from acklab.studies.kit.fields import Field, Key, listed
from acklab.studies.kit.fit import LeftOut, Unfit, fitted, told
from acklab.studies.kit.folder import Folder
from acklab.studies.kit.language import Asked, number, truth
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.templates import filled, without_missing
from acklab.studies.kit.truth import Truth
from acklab.studies.kit.vocabulary import Quantity
from acklab.studies.kit.words import Wrong
from acklab.studies.study import Effort

#: Instead of a reason: nobody foresaw the verdict, or it rests on what was not run.
NOBODY = "Nobody has written a reason for this verdict."
NOT_RUN = "The reason for this verdict has numbers that only `--full` runs."
#: By verdict: few runs leave open what more of them decide; a reason would say more than they do.
TOO_FEW: Mapping[str, str] = {
    "undecided": "Too few runs for a verdict.",
    "partly": "Too few runs to explain this verdict.",
}


@dataclass(frozen=True)
class Shown:
    """Numbers that a claim is about, over at most some axes."""

    quantity: Quantity
    #: The group of cells that they are of.
    group: str
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
    #: Where the reason does not fit the verdict, for who writes the study.
    unfit: Sequence[Unfit] = ()


def judge_all(
    study: Folder, ours: Numbers, strict: bool = True, effort: Effort | None = None
) -> list[Judged]:
    """Every claim, judged. With `strict` a reason must have been written for its verdict.

    An effort that is not full leaves out claims about cells outside the essence.
    """
    effort = effort or study.effort(full=True)
    found = [_judged(study, claim, ours) for claim in study.claims]
    if not effort.full:
        found = [
            j
            for j in found
            if all(j.setups[s] is not Truth.MISSING for s in study.deciding(j.claim))
        ]
    verdicts: dict[str, str] = {j.claim.id: j.verdict for j in found}
    return [_reasoned(study, j, ours, verdicts, effort, strict) for j in found]


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
        asked.group,
        {a: listed(k) for a, k in keys.items() if a in axes},
        field,
        {name: of for name, of in theirs.items() if of.cells},
    )


def _reasoned(
    study: Folder,
    judged: Judged,
    ours: Numbers,
    verdicts: Mapping[str, str],
    effort: Effort,
    strict: bool,
) -> Judged:
    """With the reason for its verdict, or with what stands in place of one."""
    claim, verdict = judged.claim, judged.verdict
    # A reason tells what the runs of the whole study have shown; short runs need not show it.
    if effort.quick:
        return judged
    if claim.because and _open(study, judged) and _few(study, effort):
        return replace(judged, because=TOO_FEW[verdict])
    scope = study.scope(ours, study.deciding(claim)[0], claim)
    text = claim.because.get(verdict, claim.because.get(ALWAYS, ""))
    at = ("because", rf"\b({verdict}|{ALWAYS})\s*=")
    with claim.blamed(*at):
        whole = text if effort.full else without_missing(text, scope, verdicts)
        if strict:
            for error in _flaws(claim, verdict, text, whole):
                raise error
            return replace(judged, because=filled(whole, scope, verdicts))
        parts = fitted(whole, verdicts)
        unfit = [
            told(e, claim.blamed(*at), claim.id, list(claim.because), verdict)
            for e in _flaws(claim, verdict, text, whole)
        ]
        for p in parts:
            unfit += p.unfit(partial(claim.blamed, *at)) if isinstance(p, LeftOut) else []
        own = study.about.own
        because = "\n\n".join(
            p.note(own) if isinstance(p, LeftOut) else filled(p, scope) for p in parts
        )
    if not whole and unfit:
        because = NOT_RUN if text else NOBODY
    return replace(judged, because=because, unfit=unfit)


def _open(study: Folder, judged: Judged) -> bool:
    """Whether more runs may decide it; another set-up or a weaker form may have made it partly."""
    left = (judged.setups[s] is Truth.OPEN for s in study.deciding(judged.claim))
    return judged.verdict == "undecided" or (judged.verdict == "partly" and any(left))


def _few(study: Folder, effort: Effort) -> bool:
    """Whether so few runs were made that a verdict may be open for that alone."""
    return effort.seeds < study.effort(full=effort.full).seeds


def _flaws(claim: Claim, verdict: Verdict, text: str, whole: str) -> Iterator[Wrong]:
    """Why a claim has no reason for its verdict; `whole` is what is left of the reason's `text`."""
    if claim.because and not text:
        yield Wrong(
            f"it is now {verdict!r}, and there is a text for "
            f"{', '.join(claim.because)} only: write one for {verdict!r}"
        )
    if text and not whole:
        yield Wrong(
            "every paragraph of because has numbers that only --full runs; "
            "begin with a paragraph that has none"
        )
