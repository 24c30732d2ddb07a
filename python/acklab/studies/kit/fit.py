"""Whether texts fit the verdicts that they were written for, and what is left of one that does not.

A paragraph with a `require` line stands only while the claim has that verdict; a reason is written
for one verdict. Other runs, of fewer seeds or of another build, may turn a verdict. The page then
says which text it leaves out, and whoever writes the study is told where that text stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from acklab.studies.kit.flaws import Flaw, blamed
from acklab.studies.kit.folder import Folder
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.templates import Unmet, required, without_missing
from acklab.studies.kit.words import Wrong
from acklab.studies.study import Effort

if TYPE_CHECKING:
    from acklab.studies.kit.judge import Judged

#: What a verdict says of a claim; in a study with statements of its own, and of a paper.
_OWN = {
    "reproduced": "holds",
    "partly": "holds in part",
    "undecided": "is undecided",
    "not": "does not hold",
}
_PAPER = {
    "reproduced": "is reproduced",
    "partly": "is reproduced in part",
    "undecided": "is undecided",
    "not": "is not reproduced",
}


@dataclass(frozen=True)
class Unfit:
    """Where a text of a study is left out, for who writes it."""

    file: str
    line: int
    #: The claim whose verdict it is about, the verdicts that the text is for, and the claim's own.
    claim: str
    wanted: Sequence[str]
    found: str
    says: str

    def __str__(self) -> str:
        return str(Flaw(self.file, self.line, self.says))


@dataclass(frozen=True)
class LeftOut:
    """A paragraph that needs verdicts which these claims do not have: claim, needed, found."""

    turned: Sequence[tuple[str, str, str]]

    def note(self, own: bool, link: Callable[[str], str] = str) -> str:
        """What stands in its place, as Markdown."""
        words = _OWN if own else _PAPER
        needed = " and ".join(f"{link(claim)} {words[wanted]}" for claim, wanted, _ in self.turned)
        found = " and ".join(f"{link(claim)} {words[now]}" for claim, _, now in self.turned)
        return f"This text is left out: it was written for runs in which {needed}; here {found}."

    def unfit(self, blame: Callable[[], AbstractContextManager[None]]) -> list[Unfit]:
        """One for each claim, for who writes the study."""
        found = []
        for claim, wanted, now in self.turned:
            needs = f"this text needs {claim} = {wanted}, which is now {now}"
            error = Unmet(f"{needs}: the report leaves it out", f"require {claim}")
            found.append(told(error, blame(), claim, [wanted], now))
        return found


def fitted(text: str, verdicts: Mapping[str, str]) -> list[str | LeftOut]:
    """The paragraphs of a text; instead of one that does not fit stands what it needs."""
    found: list[str | LeftOut] = []
    for paragraph in text.split("\n\n"):
        turned = []
        for claim, wanted in required(paragraph):
            if claim not in verdicts:
                raise Wrong(f"require {claim}: there is no such claim", f"require {claim}")
            if verdicts[claim] != wanted:
                turned.append((claim, wanted, verdicts[claim]))
        found.append(LeftOut(turned) if turned else paragraph)
    return found


def told(
    error: Wrong,
    blame: AbstractContextManager[None],
    claim: str,
    wanted: Sequence[str],
    found: str,
) -> Unfit:
    """An error with file and line."""
    try:
        with blame:
            raise error
    except Flaw as flaw:
        return Unfit(str(flaw.file), flaw.line, claim, wanted, found, flaw.message)


def unfit(study: Folder, ours: Numbers, judged: Sequence[Judged], effort: Effort) -> list[Unfit]:
    """Where the texts and reasons of a study do not fit its verdicts; short runs turn too many."""
    if effort.quick:
        return []
    verdicts: dict[str, str] = {j.claim.id: j.verdict for j in judged}
    scope = study.scope(ours, study.deciding()[0])
    found: list[Unfit] = []
    for name in dict.fromkeys(["answer", *(s.text for s in study.about.section), "glossary"]):
        path = study.path / "text" / f"{name}.md"
        text = study.text(name) if name else ""
        with blamed(path):
            text = text if effort.full else without_missing(text, scope, verdicts)
            parts = fitted(text, verdicts)
        for part in parts:
            found += part.unfit(partial(blamed, path)) if isinstance(part, LeftOut) else []
    return [*found, *(where for j in judged for where in j.unfit)]
