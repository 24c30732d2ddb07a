"""A study's folder, read and checked as a whole."""

from __future__ import annotations

import importlib.util
import os
import sys
import tomllib
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import msgspec

from acklab.errors import AcklabError
from acklab.studies.kit.claims import Claim, Flaw, line_of, load_claims
from acklab.studies.kit.fields import Key
from acklab.studies.kit.language import Scope, checked, number
from acklab.studies.kit.numbers import Numbers, numbers, witnessed
from acklab.studies.kit.owned import owned
from acklab.studies.kit.vocabulary import Grid, Quantity, Vocabulary, hint
from acklab.studies.kit.words import WORDS, Wrong
from acklab.studies.study import Cell, Effort

#: The axis of set-ups: one paper's experiment read in several ways.
SETUP = "setup"
FILE = "study.toml"
#: What a folder has to have.
PARTS = (FILE, "cells.py", "quantities.py", "claims")
#: Of all claims, those whose condition is a rule of the study's own.
MOST_RULES = 0.15


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to read what the paper ran."""

    name: str
    title: str
    #: It decides; or, holding there alone, a claim is partly reproduced; or it only explains.
    role: Literal["decides", "supports", "explains"] = "decides"


class Witness(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody else's numbers: the paper's, another simulator's, a kernel's, a model's."""

    name: str
    title: str
    #: A CSV file of the folder: `group`, `quantity`, axes, `value`; or several, each of its groups.
    file: str | list[str]
    source: str
    #: The set-up that its runs are of.
    setup: str = ""

    @property
    def files(self) -> list[str]:
        """Its files, one or several."""
        return [self.file] if isinstance(self.file, str) else self.file


class Axis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is varied, as a reader sees it."""

    title: str = ""
    #: How its keys are written, such as `{}:1`.
    form: str = "{}"
    #: Keys that have names.
    names: Mapping[str, str] = {}


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the paper, in the paper's layout."""

    id: str
    title: str
    group: str
    quantity: str
    rows: str
    columns: str
    keys: Mapping[str, Key | list[Key]] = {}
    caption: str = ""
    #: Makes it a heat map: bounds of four colours and a fifth, from the best on. They fall where
    #: more is better, and rise where less is.
    shade: list[float] = []


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure: lines or bars along an axis, in small multiples."""

    id: str
    title: str
    group: str
    quantity: str
    x: str
    lines: str = ""
    panels: str = ""
    kind: Literal["lines", "bars", "dots"] = "lines"
    log: bool = False
    keys: Mapping[str, Key | list[Key]] = {}
    caption: str = ""


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the report: a text of `text/`, tables and figures."""

    title: str
    text: str = ""
    shows: list[str] = []


class About(msgspec.Struct, forbid_unknown_fields=True):
    """What `study.toml` says."""

    name: str
    title: str
    source: str
    question: str
    seeds: int = 5
    quick_seeds: int = 2
    full_seeds: int = 10
    #: Whether its claims are the study's own statements, rather than quotations of a paper.
    own: bool = False
    #: Whether `acklab reproduce` makes it only when its name is given.
    on_request: bool = False
    #: Groups outside the essence: `acklab reproduce --full` runs them.
    full: list[str] = []
    setup: list[Setup] = []
    witness: list[Witness] = []
    axis: Mapping[str, Axis] = {}
    #: Quantities as a reader sees them, such as `Jain's index` for `jain`; others by their names.
    quantity: Mapping[str, str] = {}
    table: list[Table] = []
    figure: list[Figure] = []
    section: list[Section] = []

    @property
    def drawn(self) -> list[Table | Figure]:
        """Everything that the report shows, tables first."""
        return [*self.table, *self.figure]


@dataclass(frozen=True)
class Folder:
    """A study as its folder has it."""

    path: Path
    about: About
    groups: Mapping[str, Callable[[Effort], Sequence[Cell]]]
    quantities: Mapping[str, Quantity]
    claims: Sequence[Claim]
    rules: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What its expressions may name."""
        whole = Effort(self.about.seeds)
        grids = {name: _grid(of(whole)) for name, of in self.groups.items()}
        return Vocabulary(self.quantities, grids, self.rules)

    @cached_property
    def witnesses(self) -> Mapping[str, Numbers]:
        """The numbers of its witnesses."""
        return {
            w.name: numbers(
                {g: table for f in w.files for g, table in witnessed(self.path / f).items()},
                exact=True,
            )
            for w in self.about.witness
        }

    def effort(self, quick: bool = False, full: bool = False, seeds: int | None = None) -> Effort:
        """How much is run, with the study's own numbers of seeds."""
        about = self.about
        own = about.quick_seeds if quick else about.full_seeds if full else about.seeds
        return Effort(seeds or own, quick, full)

    def run_by(self, effort: Effort) -> Mapping[str, Sequence[Cell]]:
        """The cells that an effort runs, by group."""
        left = () if effort.full else self.about.full
        return {name: of(effort) for name, of in self.groups.items() if name not in left}

    def setups(self, role: str) -> list[Setup]:
        """The set-ups in that role."""
        return [s for s in self.about.setup if s.role == role]

    def shown(self, id_: str) -> Table | Figure:
        """The table or figure of that name."""
        every = {of.id: of for of in self.about.drawn}
        if id_ not in every:
            raise AcklabError(
                f"the study {self.about.name} has no table or figure {id_!r}{hint(id_, every)}\n"
                f"  help: it has {', '.join(every)}"
            )
        return every[id_]

    def text(self, name: str) -> str:
        """A text of the study; none where there is no such file."""
        path = self.path / "text" / f"{name}.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def where(self, setup: str, claim: Claim | None = None) -> dict[str, Sequence[Key]]:
        """The keys that hold in a set-up, and in a claim."""
        own = claim.keys if claim is not None else {}
        keys: dict[str, Sequence[Key]] = {
            a: k if isinstance(k, list) else [k] for a, k in own.items()
        }
        return {**({SETUP: [setup]} if setup else {}), **keys}


def load(path: Path) -> Folder:
    """The study in a folder; an error names the file, the line and what would be right."""
    missing = [p for p in PARTS if not (path / p).exists()]
    if missing:
        raise Flaw(
            path,
            0,
            f"a study needs {', '.join(PARTS)}; there is no {', no '.join(missing)}\n"
            "  help: `acklab study new NAME` writes a study that runs",
        )
    settings = about(path)
    cells, quantities = _module(path, "cells"), _module(path, "quantities")
    rules = vars(_module(path, "rules")).get("RULES", {}) if (path / "rules.py").exists() else {}
    found = Folder(
        path,
        settings,
        {name: owned(of, path) for name, of in _listed(cells, "GROUPS", path / "cells.py").items()},
        {q.name: q for q in _listed(quantities, "QUANTITIES", path / "quantities.py")},
        load_claims(path / "claims"),
        rules,
    )
    check(found)
    return found


def about(folder: Path) -> About:
    """The `study.toml` of a folder; none of its Python is loaded."""
    path = folder / FILE
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), About)
    except tomllib.TOMLDecodeError as e:
        raise Flaw(path, 0, f"this is no TOML: {e}") from None
    except msgspec.ValidationError as e:
        raise Flaw(path, 0, str(e)) from None


def _module(path: Path, name: str) -> ModuleType:
    """A Python file of the study, which may import its neighbours relatively."""
    built_in = Path(__file__).parent.parent
    if path.resolve().parent == built_in:
        return importlib.import_module(f"acklab.studies.{path.resolve().name}.{name}")
    # Another folder of that name is another study.
    place = zlib.crc32(os.fsencode(path.resolve()))
    package = f"_acklab_study_{path.resolve().name}_{place:08x}"
    if package not in sys.modules:
        module = ModuleType(package)
        module.__path__ = [str(path.resolve())]
        sys.modules[package] = module
    try:
        found: ModuleType = owned(importlib.import_module, path)(f"{package}.{name}")
        return found
    except SyntaxError as e:
        raise Flaw(path / f"{name}.py", e.lineno or 0, e.msg) from None


def _listed(module: ModuleType, name: str, path: Path) -> Any:
    if not hasattr(module, name):
        raise Flaw(path, 0, f"it defines no {name}; see `acklab study new`")
    return getattr(module, name)


def _grid(cells: Iterable[Cell]) -> Grid:
    """The axes of cells and their keys, in the order in which they come."""
    axes: dict[str, dict[Key, None]] = {}
    for cell in cells:
        for axis, key in cell.keys.items():
            axes.setdefault(axis, {})[key] = None
    return Grid({axis: tuple(keys) for axis, keys in axes.items()})


def check(study: Folder) -> None:
    """An error where an expression, a table, a figure or a text names what does not exist."""
    clash = set(study.quantities) & {*WORDS, *study.rules}
    if clash:
        raise Flaw(study.path / "quantities.py", 0, f"{clash.pop()!r} is a word of claims")
    for q in study.quantities.values():
        for group in q.groups:
            if group not in study.groups:
                known = ", ".join(study.groups)
                what = f"{q.name}: no group {group!r}; there are: {known}"
                raise Flaw(study.path / "quantities.py", 0, what)
    try:
        study.vocabulary.shapes()
    except Wrong as e:
        raise Flaw(study.path / "quantities.py", 0, str(e)) from None
    for group in study.about.full:
        if group not in study.groups:
            known = ", ".join(study.groups)
            raise Flaw(study.path / FILE, 0, f"full: no group {group!r}; there are: {known}")
    for name in study.about.quantity:
        if name not in study.quantities:
            known = ", ".join(study.quantities)
            what = f"quantity: there is no quantity {name!r}; there are: {known}"
            raise Flaw(study.path / FILE, 0, what)
    for claim in study.claims:
        _check_claim(study, claim)
    _check_shown(study)


def _check_claim(study: Folder, claim: Claim) -> None:
    from acklab.studies.kit.templates import filled

    names = [s.name for s in study.about.setup]
    if claim.setup and claim.setup not in names:
        what = f"setup: no set-up {claim.setup!r}; there are: {', '.join(names)}"
        raise Flaw(claim.file, line_of(claim, "setup"), what)
    setup = claim.setup or (names[0] if names else "")
    where = study.where(setup, claim)
    shapes = study.vocabulary.shapes()
    for key in ("holds", "weaker", "opposite"):
        if text := getattr(claim, key):
            with _blamed(claim, key):
                checked(text, study.vocabulary, where)
    for text in claim.numbers:
        with _blamed(claim, "numbers"):
            number(text, Scope(study.vocabulary, shapes, where))
    for verdict, text in claim.because.items():
        with _blamed(claim, "because", f".{verdict}"):
            filled(text, Scope(study.vocabulary, shapes, where))
    shown = {t.id for t in study.about.table} | {f.id for f in study.about.figure}
    if claim.shown and claim.shown not in shown:
        what = f"shown: no table or figure {claim.shown!r}; there are: {', '.join(sorted(shown))}"
        raise Flaw(claim.file, line_of(claim, "shown"), what)


def check_texts(study: Folder) -> None:
    """An error where a text asks for what does not exist, or needs a claim that does not."""
    from acklab.studies.kit.templates import filled, required

    ids = {c.id for c in study.claims}
    setup = next((s.name for s in study.setups("decides")), "")
    scope = Scope(study.vocabulary, study.vocabulary.shapes(), study.where(setup))
    for path in sorted((study.path / "text").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for claim, _ in required(text):
            if claim not in ids:
                at = next(i for i, line in enumerate(lines, 1) if claim in line)
                raise Flaw(path, at, f"require {claim}: there is no such claim")
        # Braces do not go on over a line's end, except within a paragraph: name its first line.
        start = 1
        for part in text.split("\n\n"):
            try:
                filled(part, scope)
            except Wrong as e:
                raise Flaw(path, start, str(e)) from None
            start += part.count("\n") + 2


class _blamed:
    """Says in which key of which claim something is wrong."""

    def __init__(self, claim: Claim, key: str, part: str = "") -> None:
        self.claim, self.key, self.part = claim, key, part

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, e: BaseException | None, _tb: object) -> None:
        if isinstance(e, Wrong):
            what = f"claim {self.claim.id!r}, {self.key}{self.part}: {e}"
            raise Flaw(self.claim.file, line_of(self.claim, self.key), what) from None


def _check_shown(study: Folder) -> None:
    file = study.path / FILE
    known = {t.id for t in study.about.table} | {f.id for f in study.about.figure}
    everything: list[Table | Figure] = [*study.about.table, *study.about.figure]
    for of in everything:
        try:
            if of.group not in study.groups:
                raise Wrong(f"no group {of.group!r}; there are: {', '.join(study.groups)}")
            study.vocabulary.group_of(of.quantity, of.group)
            keys = {a: k if isinstance(k, list) else [k] for a, k in of.keys.items()}
            study.vocabulary.checked(of.group, of.quantity, keys)
            axes = (of.rows, of.columns) if isinstance(of, Table) else (of.x, of.lines, of.panels)
            study.vocabulary.checked(of.group, of.quantity, {a: () for a in axes if a})
        except Wrong as e:
            raise Flaw(file, 0, f"{of.id!r}: {e}") from None
    for section in study.about.section:
        if section.text and not (study.path / "text" / f"{section.text}.md").exists():
            raise Flaw(file, 0, f"section {section.title!r}: no text/{section.text}.md")
        for id_ in section.shows:
            if id_ not in known:
                what = f"section {section.title!r}: no table or figure {id_!r}"
                raise Flaw(file, 0, f"{what}; there are: {', '.join(sorted(known))}")
    for w in study.about.witness:
        for own in w.files:
            if not (study.path / own).exists():
                raise Flaw(file, 0, f"witness {w.name!r}: there is no {own}")
