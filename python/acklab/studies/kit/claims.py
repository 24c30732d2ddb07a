"""What a paper says, and when it holds: the files `claims/*.toml` of a study."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from acklab.errors import AcklabError
from acklab.studies.kit.fields import Key

Verdict = Literal["reproduced", "partly", "undecided", "not"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "partly", "undecided", "not")
#: A reason that stands whatever the verdict is.
ALWAYS = "always"


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sentence of a paper, the condition under which it holds, and why it does or does not."""

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
    #: What the weaker form says, in a few words.
    weaker_says: str = ""
    #: When the opposite holds, which no other set-up can make good.
    opposite: str = ""
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


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """A file of claims."""

    claim: list[dict[str, Any]]
    #: What its claims are about, in a few words.
    title: str = ""
    #: Of each claim of the file that does not say otherwise.
    defaults: dict[str, Any] = {}


class Flaw(AcklabError):
    """Something wrong in a study's files: file, line and what would be right."""

    def __init__(self, file: Path | str, line: int, what: str) -> None:
        place = f"{file}:{line}" if line else str(file)
        super().__init__(f"{place}: {what}")


def load_claims(folder: Path) -> list[Claim]:
    """The claims of a study, file by file in the order of their names."""
    found: list[Claim] = []
    for path in sorted(folder.glob("*.toml")):
        found += _of_file(path)
    seen: dict[str, Claim] = {}
    for claim in found:
        if claim.id in seen:
            other = seen[claim.id]
            raise Flaw(
                claim.file,
                claim.line,
                f"the id {claim.id!r} is taken by {other.file}:{other.line}; give it another",
            )
        seen[claim.id] = claim
    return found


def _of_file(path: Path) -> list[Claim]:
    text = path.read_text(encoding="utf-8")
    try:
        about = msgspec.convert(tomllib.loads(text), _File)
    except tomllib.TOMLDecodeError as e:
        raise Flaw(path, 0, f"this is no TOML: {e}") from None
    except msgspec.ValidationError as e:
        raise Flaw(path, 0, f"{e}; a file of claims has [[claim]] tables") from None
    lines = text.splitlines()
    starts = [n for n, line in enumerate(lines, 1) if re.match(r"\s*\[\[claim\]\]", line)]
    claims = []
    for start, own in zip(starts, about.claim, strict=True):
        added = {"part": about.title, "file": str(path), "line": start}
        told = {**about.defaults, **own, **added}
        try:
            claim = msgspec.convert(told, Claim)
        except msgspec.ValidationError as e:
            raise Flaw(path, start, _explained(str(e), own)) from None
        if wrong := set(claim.because) - {*VERDICTS, ALWAYS}:
            words = ", ".join((*VERDICTS, ALWAYS))
            raise Flaw(path, start, f"because.{wrong.pop()}: the keys of because are {words}")
        claims.append(claim)
    return claims


def _explained(error: str, own: Mapping[str, Any]) -> str:
    """A message of the decoder, with the claim's id and the keys that there are."""
    who = f"claim {own['id']!r}: " if "id" in own else "this claim: "
    keys = ", ".join(f.name for f in msgspec.structs.fields(Claim) if f.name not in _OWN)
    return f"{who}{error[0].lower()}{error[1:]}\n  help: the keys of a claim are {keys}"


#: What the loader adds.
_OWN = ("part", "file", "line")


def line_of(claim: Claim, key: str) -> int:
    """The line of one of its keys, or the claim's first."""
    lines = Path(claim.file).read_text(encoding="utf-8").splitlines()
    for n, line in enumerate(lines[claim.line :], claim.line + 1):
        if re.match(rf"\s*{re.escape(key)}\s*=", line):
            return n
        if re.match(r"\s*\[\[", line):
            break
    return claim.line
