"""A study's folder, read and checked as a whole."""

from __future__ import annotations

import importlib.util
import os
import sys
import tomllib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import msgspec

from acklab.errors import AcklabError
from acklab.studies.kit.claims import Claim, Flaw, line_of, load_claims
from acklab.studies.kit.fields import Key
from acklab.studies.kit.language import Scope, number, truth
from acklab.studies.kit.numbers import Numbers, numbers, witnessed
from acklab.studies.kit.owned import owned
from acklab.studies.kit.templates import filled, required
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


class _Of(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of `study.toml`; a key that it does not have is an error."""


class Setup(_Of, frozen=True):
    """One way to read what the paper ran."""

    name: str
    title: str
    #: It decides; or, holding there alone, a claim is partly reproduced; or it only explains.
    role: Literal["decides", "supports", "explains"] = "decides"


class Witness(_Of, frozen=True):
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


class Axis(_Of, frozen=True):
    """What is varied, as a reader sees it."""

    title: str = ""
    #: How its keys are written, such as `{}:1`.
    form: str = "{}"
    #: Keys that have names.
    names: Mapping[str, str] = {}


class Drawn(_Of, frozen=True):
    """A table or a figure of one quantity."""

    id: str
    title: str
    group: str
    quantity: str
    keys: Mapping[str, Key | list[Key]] = {}
    caption: str = ""


class Table(Drawn, frozen=True, kw_only=True):
    """A table of the paper, in the paper's layout."""

    rows: str
    columns: str
    #: Makes it a heat map: bounds of four colours and a fifth, from the best on. They fall where
    #: more is better, and rise where less is.
    shade: list[float] = []

    @property
    def axes(self) -> list[str]:
        """The axes that it names."""
        return [a for a in (self.rows, self.columns) if a]


class Figure(Drawn, frozen=True, kw_only=True):
    """A figure: lines or bars along an axis, in small multiples."""

    x: str
    lines: str = ""
    panels: str = ""
    kind: Literal["lines", "bars", "dots", "ellipses"] = "lines"
    log: bool = False
    #: Of ellipses the quantity that lies across, less to the right; runs of all keys of `x` are the
    #: points of a line.
    against: str = ""

    @property
    def axes(self) -> list[str]:
        """The axes that it names."""
        return [a for a in (self.x, self.lines, self.panels) if a]


class Section(_Of, frozen=True):
    """A part of the report: a text of `text/`, tables and figures."""

    title: str
    text: str = ""
    shows: list[str] = []


class About(_Of, frozen=True):
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
        return Vocabulary(self.quantities, grids, self.rules, axis=self.axis, key=self.key)

    def axis(self, axis: str) -> str:
        """What is varied, as a reader sees it."""
        if axis == SETUP:
            return "set-up"
        about = self.about.axis.get(axis)
        return (about.title if about is not None else "") or axis.replace("_", " ")

    def key(self, axis: str, key: Key) -> str:
        """A key on an axis, as a reader sees it."""
        if axis == SETUP:
            return next((s.title for s in self.about.setup if s.name == key), str(key))
        about = self.about.axis.get(axis)
        if about is None:
            return str(key)
        return about.names.get(str(key)) or about.form.format(key)

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

    @property
    def deciding(self) -> str:
        """The first set-up that decides; empty where there are none."""
        return next((s.name for s in self.setups("decides")), "")

    def scope(self, of: Numbers, setup: str, claim: Claim | None = None) -> Scope:
        """What names mean in a set-up, and in a claim, with somebody's numbers."""
        return Scope(self.vocabulary, of, self.where(setup, claim))

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
        keys = listed(claim.keys) if claim is not None else {}
        return {**({SETUP: [setup]} if setup else {}), **keys}


def listed(keys: Mapping[str, Key | list[Key]]) -> dict[str, Sequence[Key]]:
    """Keys by axis, each a list."""
    return {a: k if isinstance(k, list) else [k] for a, k in keys.items()}


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


@contextmanager
def _blamed(file: Path | str, line: int = 0, what: str = "") -> Iterator[None]:
    """Says in which file, and in what of it, something is wrong."""
    try:
        yield
    except Wrong as e:
        raise Flaw(file, line, f"{what}{e}") from None


def _among(what: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        raise Wrong(f"there is no {what} {name!r}; there are: {', '.join(known)}")


def check(study: Folder) -> None:
    """An error where an expression, a table, a figure or a text names what does not exist."""
    with _blamed(study.path / "quantities.py"):
        if clash := set(study.quantities) & {*WORDS, *study.rules}:
            raise Wrong(f"{clash.pop()!r} is a word of claims")
        for group in (g for q in study.quantities.values() for g in q.groups):
            _among("group", group, study.groups)
        study.vocabulary.shapes()
    for claim in study.claims:
        _check_claim(study, claim)
    file = study.path / FILE
    with _blamed(file):
        for group in study.about.full:
            _among("group", group, study.groups)
        for name in study.about.quantity:
            _among("quantity", name, study.quantities)
    ids = [of.id for of in study.about.drawn]
    for of in study.about.drawn:
        with _blamed(file, what=f"{of.id!r}: "):
            _among("group", of.group, study.groups)
            study.vocabulary.group_of(of.quantity, of.group)
            keys = {**dict.fromkeys(of.axes, ()), **listed(of.keys)}
            study.vocabulary.checked(of.group, of.quantity, keys)
            if isinstance(of, Figure):
                _check_figure(study, of, keys)
    for section in study.about.section:
        with _blamed(file, what=f"section {section.title!r}: "):
            if section.text and not (study.path / "text" / f"{section.text}.md").exists():
                raise Wrong(f"there is no text/{section.text}.md")
            for id_ in section.shows:
                _among("table or figure", id_, ids)
    for w in study.about.witness:
        for own in w.files:
            if not (study.path / own).exists():
                raise Flaw(file, 0, f"witness {w.name!r}: there is no {own}")


def _check_figure(study: Folder, of: Figure, keys: Mapping[str, Sequence[Key]]) -> None:
    if of.kind != "ellipses":
        if of.against:
            raise Wrong(f"`against` is for ellipses, and this has {of.kind}: leave it out")
        return
    if not of.against or not of.lines:
        raise Wrong(
            "ellipses need `lines`, the axis with an ellipse for each key, and `against`, the "
            "quantity that lies across"
        )
    study.vocabulary.group_of(of.against, of.group)
    study.vocabulary.checked(of.group, of.against, keys)


def _check_claim(study: Folder, claim: Claim) -> None:
    names = [s.name for s in study.about.setup]
    setup = claim.setup or (names[0] if names else "")

    def blamed(key: str, part: str = "") -> AbstractContextManager[None]:
        return _blamed(claim.file, line_of(claim, key), f"claim {claim.id!r}, {key}{part}: ")

    with blamed("setup"):
        _among("set-up", setup, names or [""])
    if claim.shown:
        with blamed("shown"):
            _among("table or figure", claim.shown, [of.id for of in study.about.drawn])
    scope = study.scope(study.vocabulary.shapes(), setup, claim)
    for key in ("holds", "weaker", "opposite"):
        if text := getattr(claim, key):
            with blamed(key):
                truth(text, scope)
    for text in claim.numbers:
        with blamed("numbers"):
            number(text, scope)
    for verdict, text in claim.because.items():
        with blamed("because", f".{verdict}"):
            filled(text, scope)


def check_texts(study: Folder) -> None:
    """An error where a text asks for what does not exist, or needs a claim that does not."""
    ids = {c.id for c in study.claims}
    scope = study.scope(study.vocabulary.shapes(), study.deciding)
    for path in sorted((study.path / "text").glob("*.md")):
        line = 1
        # Braces do not go on over a line's end, except within a paragraph: name its first line.
        for part in path.read_text(encoding="utf-8").split("\n\n"):
            with _blamed(path, line):
                for claim, _ in required(part):
                    if claim not in ids:
                        raise Wrong(f"require {claim}: there is no such claim")
                filled(part, scope)
            line += part.count("\n") + 2
