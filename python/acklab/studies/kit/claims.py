"""The claims of a paper, and when they hold: the files `claims/*.toml` of a study."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec

from acklab.studies.kit.fields import Key
from acklab.studies.kit.flaws import Flaw, blamed, explained, line, read
from acklab.studies.kit.words import Wrong

Verdict = Literal["reproduced", "partly", "undecided", "not"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "partly", "undecided", "not")
#: A reason that stands whatever the verdict is.
ALWAYS = "always"
_HEAD = r"\s*\[\[claim\]\]"


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sentence of a paper, the condition under which it holds, and why it does or does not."""

    #: Keys that the loader adds.
    ADDED: ClassVar = ("part", "file", "line")

    id: str
    #: The paper's exact words; brackets mark what was added. In a study with `own = true` they are
    #: the study's own statement.
    says: str
    #: The section, table or figure where they stand.
    place: str = ""
    #: The table or figure of the report that shows it.
    shown: str = ""
    #: When it holds, in the language of claims.
    holds: str
    #: When at least a part of it holds.
    weaker: str = ""
    #: The weaker form in a few words.
    weaker_says: str = ""
    #: When the opposite holds, which no other set-up can make good.
    opposite: str = ""
    #: What a witness is asked instead of `holds`, by its name: it may have run other cells, such as
    #: the wired part of a testbed.
    asks: Mapping[str, str] = {}
    #: Keys of axes that hold throughout the claim.
    keys: Mapping[str, Key | list[Key]] = {}
    #: Numbers to show instead of those that `holds` asks for; expressions.
    numbers: Sequence[str] = ()
    #: Why, by verdict, or for any (`always`); Markdown with expressions in braces.
    because: Mapping[str, str] = {}
    #: It follows from how the cells are configured, so that it says nothing about TCP.
    by_design: bool = False
    #: A set-up's name: it is judged there, and nowhere else.
    setup: str = ""
    #: The title of its file, which the page has above the claims of that file.
    part: str = ""
    #: Where it was read, for messages.
    file: str = ""
    line: int = 0

    def blamed(self, key: str, *patterns: str) -> AbstractContextManager[None]:
        """Says of which key of this claim something is wrong, and in which line."""
        at = (rf"^\s*(\[claim\.)?{key}\b", *patterns)
        what = f"claim {self.id!r}, {key}: "
        return blamed(Path(self.file), *at, what=what, since=self.line, until=_HEAD)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """A file of claims."""

    claim: list[dict[str, Any]]
    #: The topic of its claims, in a few words.
    title: str = ""
    #: Of each claim of the file that does not say otherwise.
    defaults: dict[str, Any] = {}


def load_claims(folder: Path) -> list[Claim]:
    """The claims of a study, file by file in the order of their names."""
    found: dict[str, Claim] = {}
    for path in sorted(folder.glob("*.toml")):
        about = read(path, _File)
        lines = path.read_text(encoding="utf-8").splitlines()
        starts = [n for n, text in enumerate(lines, 1) if re.match(_HEAD, text)]
        for start, own in zip(starts, about.claim, strict=True):
            added = {"part": about.title, "file": str(path), "line": start}
            try:
                claim = msgspec.convert({**about.defaults, **own, **added}, Claim)
            except msgspec.ValidationError as e:
                wrong = re.search(r"field `(\w+)`|`\$\.(\w+)", str(e))
                key = rf"^\s*(\[claim\.)?{wrong[1] or wrong[2]}\b" if wrong else ""
                at = line(path, key, since=start, until=_HEAD)
                raise Flaw(path, at, f"claim {own.get('id')!r}: {explained(e, Claim)}") from None
            if other := found.get(claim.id):
                place = f"{other.file}:{other.line}"
                with claim.blamed("id"):
                    raise Wrong(f"this id is taken by {place}; give it another")
            for other_ in set(claim.because) - {*VERDICTS, ALWAYS}:
                with claim.blamed("because", rf"\b{re.escape(other_)}\s*="):
                    words = ", ".join((*VERDICTS, ALWAYS))
                    raise Wrong(f"there is no verdict {other_!r}; there are: {words}")
            found[claim.id] = claim
    return list(found.values())
