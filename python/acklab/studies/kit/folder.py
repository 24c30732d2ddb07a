"""A study's folder, read and checked as a whole."""

from __future__ import annotations

import csv
import importlib
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import msgspec

from acklab.errors import AcklabError
from acklab.studies.kit.claims import Claim, load_claims
from acklab.studies.kit.fields import Key, Where, listed
from acklab.studies.kit.flaws import Flaw, blamed, owned, read
from acklab.studies.kit.language import Scope, number, truth
from acklab.studies.kit.numbers import WITNESSED, Numbers, witnessed
from acklab.studies.kit.quantity import with_derived
from acklab.studies.kit.templates import filled, required
from acklab.studies.kit.vocabulary import Quantity, Vocabulary, hint
from acklab.studies.kit.words import Wrong
from acklab.studies.study import Cell, Effort

#: The axis of set-ups: one paper's experiment read in several ways.
SETUP = "setup"
FILE = "study.toml"
#: The parts that every folder has.
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
    """An axis, as a reader sees it."""

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
    #: Axes whose key the reader chooses, all that are left, and the key that is shown first.
    #: Without, there is a block for each combination.
    choose: Mapping[str, Key] = {}

    @property
    def axes(self) -> list[str]:
        """The axes that it names."""
        return [a for a in (self.rows, self.columns) if a]


class Figure(Drawn, frozen=True, kw_only=True):
    """A figure: lines or bars along an axis, in small multiples."""

    x: str
    lines: str = ""
    panels: str = ""
    kind: Literal["lines", "bars", "dots", "ellipses", "boxes"] = "lines"
    log: bool = False
    #: Of lines: further quantities of the same unit, a line each, such as those of other flows.
    beside: list[str] = []
    #: Of boxes: the quantities at the lower whisker, the lower quartile, the upper quartile and the
    #: upper whisker, whose median is `quantity`. Without them a box is over the runs.
    box: list[str] = []
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
    """The contents of `study.toml`."""

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
    #: Studies that belong to it: `acklab reproduce NAME` makes them after it. Neither
    #: `acklab reproduce` without a name nor `--quick` does.
    also: list[str] = []
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
        """The names that its expressions may use."""
        grids: dict[str, dict[str, dict[Key, None]]] = {}
        for group, of in self.groups.items():
            axes = grids.setdefault(group, {})
            for cell in of(Effort(self.about.seeds)):
                for axis, key in cell.keys.items():
                    axes.setdefault(axis, {})[key] = None
        return Vocabulary(
            self.quantities,
            {group: {a: tuple(keys) for a, keys in axes.items()} for group, axes in grids.items()},
            self.rules,
            axis=self.axis,
            key=self.key,
        )

    @cached_property
    def _axes(self) -> Mapping[str, Axis]:
        names = {s.name: s.title for s in self.about.setup}
        return {**self.about.axis, SETUP: Axis(title="set-up", names=names)}

    def axis(self, axis: str) -> str:
        """An axis, as a reader sees it."""
        return self._axes.get(axis, Axis()).title or axis.replace("_", " ")

    def key(self, axis: str, key: Key) -> str:
        """A key on an axis, as a reader sees it."""
        about = self._axes.get(axis, Axis())
        return about.names.get(str(key)) or about.form.format(key)

    @cached_property
    def witnesses(self) -> Mapping[str, Numbers]:
        """The numbers of its witnesses."""
        return {w.name: witnessed(*(self.path / f for f in w.files)) for w in self.about.witness}

    def effort(self, quick: bool = False, full: bool = False, seeds: int | None = None) -> Effort:
        """How much is run, with the study's own numbers of seeds."""
        about = self.about
        own = about.quick_seeds if quick else about.full_seeds if full else about.seeds
        return Effort(seeds or own, quick, full)

    def run_by(self, effort: Effort) -> Mapping[str, Sequence[Cell]]:
        """The cells that an effort runs, by group."""
        left = () if effort.full else self.about.full
        return {name: of(effort) for name, of in self.groups.items() if name not in left}

    def outside(self, of: Drawn) -> bool:
        """Whether only a full effort has numbers for a table or figure."""
        if of.group in self.about.full:
            return True
        shapes, named = self.vocabulary.shapes, (of.group, of.quantity)
        measured = {
            (group, quantity): shape
            for (group, quantity), shape in shapes.items()
            if not (group in self.about.full or self.quantities[quantity].expression)
        }
        # A quantity may be made of those of another group.
        return named in shapes and named not in with_derived(self.vocabulary, measured)

    def setups(self, role: str) -> list[Setup]:
        """The set-ups in that role."""
        return [s for s in self.about.setup if s.role == role]

    def deciding(self, claim: Claim | None = None) -> list[str]:
        """The set-ups that decide a claim, or any; one without a name where there are none."""
        own = [claim.setup] if claim is not None and claim.setup else []
        return own or [s.name for s in self.setups("decides")] or [""]

    def where(self, setup: str, claim: Claim | None = None) -> dict[str, Where]:
        """The keys that hold in a set-up, and in a claim."""
        return {**({SETUP: setup} if setup else {}), **(claim.keys if claim is not None else {})}

    def scope(self, of: Numbers, setup: str, claim: Claim | None = None) -> Scope:
        """The meaning of names in a set-up, and in a claim, with somebody's numbers."""
        return Scope(
            self.vocabulary, of, self.where(setup, claim), witnesses=lambda: self.witnesses
        )

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


def load(path: Path) -> Folder:
    """The study in a folder; an error names the file, the line and the right form."""
    missing = [p for p in PARTS if not (path / p).exists()]
    if missing:
        raise Flaw(
            path,
            0,
            f"a study needs {', '.join(PARTS)}; there is no {', no '.join(missing)}\n"
            "  help: `acklab study new NAME` writes a study that runs",
        )
    found = Folder(
        path,
        about(path),
        {name: owned(of, path) for name, of in _defined(path, "cells", "GROUPS").items()},
        {q.name: q for q in _defined(path, "quantities", "QUANTITIES")},
        load_claims(path / "claims"),
        _defined(path, "rules", "RULES") if (path / "rules.py").exists() else {},
    )
    check(found)
    return found


def about(folder: Path) -> About:
    """The `study.toml` of a folder; none of its Python is loaded."""
    return read(folder / FILE, About)


def _defined(path: Path, name: str, what: str) -> Any:
    """A name that a Python file of the study defines; it may import its neighbours relatively."""
    resolved = path.resolve()
    if resolved.parent == Path(__file__).parent.parent:
        package = f"acklab.studies.{resolved.name}"
    else:
        # Another folder of that name is another study.
        package = f"_acklab_study_{resolved.name}_{zlib.crc32(os.fsencode(resolved)):08x}"
        if package not in sys.modules:
            sys.modules[package] = ModuleType(package)
            sys.modules[package].__path__ = [str(resolved)]
    try:
        found = vars(owned(importlib.import_module, path)(f"{package}.{name}"))
    except SyntaxError as e:
        raise Flaw(path / f"{name}.py", e.lineno or 0, e.msg) from None
    if what not in found:
        raise Flaw(path / f"{name}.py", 0, f"it defines no {what}; see `acklab study new`")
    return found[what]


def _among(what: str, names: Iterable[Key], known: Iterable[Key]) -> None:
    """An error where a name, unless it is empty, is not one of those that are known."""
    known = list(dict.fromkeys(known))
    for name in names:
        if name != "" and name not in known:
            there = ", ".join(map(str, known))
            raise Wrong(f"there is no {what} {name!r}; there are: {there}", str(name))


def check(study: Folder) -> None:
    """An error where an expression, a table, a figure or a text names what does not exist."""
    file, python = study.path / FILE, study.path / "quantities.py"
    setups = [s.name for s in study.about.setup]
    drawn = [of.id for of in study.about.drawn]
    files = [path.relative_to(study.path).as_posix() for path in study.path.rglob("*.csv")]
    texts = [path.stem for path in (study.path / "text").glob("*.md")]
    for q in study.quantities.values():
        with blamed(python, rf"\b{q.name}\b"):
            _among("group", q.groups, study.groups)
            if q.name in study.vocabulary.words:
                raise Wrong(f"{q.name!r} is a word of claims; give the quantity another name")
    with blamed(python):
        shapes = study.vocabulary.shapes
    for claim in study.claims:
        with claim.blamed("setup"):
            _among("set-up", [claim.setup], setups)
        with claim.blamed("shown"):
            _among("table or figure", [claim.shown], drawn)
        _check_claim(study, claim, shapes)
    with blamed(file, r"^full\b"):
        _among("group", study.about.full, study.groups)
    with blamed(file, r"^\[quantity"):
        _among("quantity", study.about.quantity, study.quantities)
    for of in study.about.drawn:
        with blamed(file, rf"^id\s*=\s*.{re.escape(of.id)}\W", what=f"{of.id!r}: "):
            _check_drawn(study, of)
    for section in study.about.section:
        at = (r"^\[\[section", rf"title\s*=\s*.{re.escape(section.title)}\W")
        with blamed(file, *at, what=f"section {section.title!r}: "):
            _among("text", [section.text], texts)
            _among("table or figure", section.shows, drawn)
    for w in study.about.witness:
        with blamed(file, r"^\[\[witness", rf"{re.escape(w.name)}\W", what=f"{w.name!r}: "):
            _among("set-up", [w.setup], setups)
            _among("file", w.files, files)
        for own in w.files:
            _check_witness(study, study.path / own)


def _check_witness(study: Folder, path: Path) -> None:
    """An error where a row has a name that the study does not know, or no number."""
    text = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    numbered = [(n, row) for n, row in text if row and not row.startswith("#")]
    rows = csv.DictReader(row for _, row in numbered)
    grids, columns = study.vocabulary.grids, rows.fieldnames or ()
    own = {q.axis for q in study.quantities.values() if q.axis}
    with blamed(path, since=numbered[0][0]):
        _among("column", WITNESSED, columns)
        known = [*WITNESSED, "seed", *(a for grid in grids.values() for a in grid), *own]
        _among("axis", columns, known)
    for (n, _), row in zip(numbered[1:], rows, strict=True):
        with blamed(path, since=n):
            group, quantity, value = (row[column] for column in WITNESSED)
            _among("group", [group], study.groups)
            study.vocabulary.meant(quantity, group)
            for axis, keys in grids[group].items():
                # A paper may have numbers between our own, but no names.
                if all(isinstance(k, str) for k in keys):
                    _among("key", [row.get(axis, "")], keys)
            try:
                float(value or 0)
            except ValueError:
                raise Wrong(f"{value!r} is no number") from None


def _check_drawn(study: Folder, of: Table | Figure) -> None:
    keys = {**dict.fromkeys(of.axes, ()), **of.keys}
    against = of.against if isinstance(of, Figure) else ""
    _among("group", [of.group], study.groups)
    study.vocabulary.meant(of.quantity, of.group, keys)
    if against:
        study.vocabulary.meant(against, of.group, keys)
    if isinstance(of, Figure) and of.kind == "ellipses":
        if not (against and of.lines):
            raise Wrong(
                "ellipses need `lines`, the axis with an ellipse for each key, and `against`, the "
                "quantity that lies across"
            )
    elif against:
        raise Wrong("`against` is for ellipses: leave it out", "against")
    if isinstance(of, Table) and of.choose:
        grid = study.vocabulary.grids[of.group]
        left = [a for a in grid if a not in of.axes and a not in of.keys and a != SETUP]
        if sorted(of.choose) != sorted(left):
            raise Wrong(f"`choose` needs a first key for each of {', '.join(left)}", "choose")
        for axis, key in of.choose.items():
            _among("key", [key], grid[axis])
    if isinstance(of, Figure):
        for name in (*of.beside, *of.box):
            study.vocabulary.meant(name, of.group, keys)
        if of.beside and (of.kind != "lines" or of.lines):
            raise Wrong("`beside` is for figures of the kind lines that have no `lines`", "beside")
        if of.box and (of.kind != "boxes" or len(of.box) != 4):
            raise Wrong("`box` is for boxes: two quantities below the median, two above it", "box")


def _check_claim(study: Folder, claim: Claim, shapes: Numbers) -> None:
    with claim.blamed("keys"):
        grids = study.vocabulary.grids.values()
        _among("axis", claim.keys, (a for grid in grids for a in grid))
        for axis, keys in claim.keys.items():
            _among("key", listed(keys), (k for grid in grids for k in grid.get(axis, ())))
    scope = study.scope(shapes, study.deciding(claim)[0], claim)
    for form in ("holds", "weaker", "opposite"):
        with claim.blamed(form):
            if text := getattr(claim, form):
                truth(text, scope)
    for name, text in claim.asks.items():
        with claim.blamed("asks", rf"\b{re.escape(name)}\s*=", rf"\basks\.{re.escape(name)}\b"):
            _among("witness", [name], [w.name for w in study.about.witness])
            truth(text, scope)
    with claim.blamed("numbers"):
        for text in claim.numbers:
            number(text, scope)
    for verdict, text in claim.because.items():
        with claim.blamed("because", rf"\b{verdict}\s*="):
            filled(text, scope)


def check_texts(study: Folder) -> None:
    """An error where a text asks for what does not exist, or needs a claim that does not."""
    ids = {c.id for c in study.claims}
    scope = study.scope(study.vocabulary.shapes, study.deciding()[0])
    for path in sorted((study.path / "text").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        with blamed(path):
            filled(text, scope, {c: verdict for c, verdict in required(text) if c in ids})
