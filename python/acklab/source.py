"""Where a scenario comes from: a file or a mapping, as text that the core reads."""

from __future__ import annotations

import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from acklab import _core
from acklab.errors import ScenarioError
from acklab.places import find

#: As many tables and lists within each other as the core reads of a TOML file.
DEEPEST = 80
_FLATTER = "  help: scenarios nest a few levels; does a list or a mapping contain itself?"
#: As much of a key is shown of what is too deep.
_SHOWN = 60

#: The start of a table of a TOML file, and of one that belongs to `[sweep]`.
_TABLE = re.compile(r"\s*\[")
_SWEEP = re.compile(r"\s*\[\[?\s*sweep\s*[\].]")


@dataclass(frozen=True)
class Source:
    """A scenario's text; `sweep` is the table of that name, which is no part of the scenario."""

    text: str
    origin: str
    #: "toml" or "json".
    form: str
    sweep: Mapping[str, Any] | None = None
    #: Where the files are that it names.
    folder: Path = Path()
    #: The file that has `sweep`, if that is another one or the text was taken apart.
    sweep_origin: str | None = None

    def load(
        self,
        overrides: Sequence[tuple[str, str]],
        controllers: Mapping[str, type] | None = None,
    ) -> _core.Scenario:
        """Reads and checks it with `overrides`."""
        try:
            given = (self.text, self.origin, self.form, overrides, controllers or {})
            return _core.load(*given, self.folder)
        except _core.InvalidScenario as e:
            raise ScenarioError(str(e)) from None

    def place_in_sweep(self, key: str) -> str:
        """Where `key` of the table `sweep` stands: the file, and the line if it can be found."""
        origin = self.sweep_origin or self.origin
        try:
            lines = Path(origin).read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            return f"{origin}: sweep.{key}"
        inside = False
        for number, line in enumerate(lines, 1):
            if _TABLE.match(line):
                inside = bool(_SWEEP.match(line))
                named = inside and re.match(rf"\s*\[+\s*sweep\s*\.\s*{re.escape(key)}\b", line)
            else:
                named = inside and re.match(rf"\s*[\"']?{re.escape(key)}\b", line)
            if named:
                return f"{origin}, line {number}: sweep.{key}"
        return f"{origin}: sweep.{key}"

    def parsed(self) -> Any:
        """Its keys and values; two texts that differ in form only are the same here."""
        if self.form == "json":
            return json.loads(self.text)
        return json.loads(json.dumps(tomllib.loads(self.text), default=str))


def read(source: str | os.PathLike[str] | Mapping[str, Any] | Source) -> Source:
    """Reads a path to a TOML or JSON file, a name of the gallery, or a mapping.

    A source that is read already stays as it is.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, Mapping):
        sweep = source.get("sweep")
        scenario = {k: v for k, v in source.items() if k != "sweep"}
        return Source(_json(scenario), "<dict>", "json", sweep)
    if isinstance(source, str | os.PathLike):
        path = find(source) if isinstance(source, str) else Path(source)
        form = "json" if path.suffix == ".json" else "toml"
        origin, folder = str(path), path.parent.absolute()
        if origin == "/dev/stdin":
            # Relative paths in it are relative to the folder of the command that wrote it.
            origin, folder = "standard input", Path.cwd()
        return _without_sweep(Source(_read(path), origin, form, folder=folder))
    raise ScenarioError(
        f"a scenario cannot be read from {source!r}\n"
        "  help: give the path of a TOML or JSON file, or a mapping"
    )


def literal(value: Any) -> str:
    """A value as the scenario language has it in one line; JSON differs in tables only."""
    if isinstance(value, str):
        return value
    return _toml(value, 0)


def _toml(value: Any, depth: int) -> str:
    if isinstance(value, Mapping | list | tuple) and depth == DEEPEST:
        raise ScenarioError(f"a value nests more than {DEEPEST} levels deep\n{_FLATTER}")
    if isinstance(value, Mapping):
        items = (f"{json.dumps(str(k))} = {_toml(v, depth + 1)}" for k, v in value.items())
        return "{ " + ", ".join(items) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(v, depth + 1) for v in value) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        # As TOML writes it, so that the core can say which key it is.
        return str(value)
    return json.dumps(value)


def _without_sweep(whole: Source) -> Source:
    """Takes `[sweep]` out; every other line keeps its number, for messages."""
    if "sweep" not in whole.text:
        return whole
    try:
        return _apart(whole)
    except (ValueError, RecursionError):
        # The core says what is wrong, and where; it reads nothing that is too deep for Python.
        return whole


def _apart(whole: Source) -> Source:
    tree = json.loads(whole.text) if whole.form == "json" else tomllib.loads(whole.text)
    if not isinstance(tree, dict) or not isinstance(tree.get("sweep"), dict):
        return whole
    sweep = tree.pop("sweep")
    whole = replace(whole, sweep_origin=whole.origin)
    if whole.form == "toml":
        text = _blanked(whole.text)
        if tomllib.loads(text) == tree:
            return replace(whole, text=text, sweep=sweep)
    return replace(whole, text=_json(tree), form="json", sweep=sweep)


def _blanked(text: str) -> str:
    lines, inside = [], False
    for line in text.splitlines(keepends=True):
        if _TABLE.match(line):
            inside = bool(_SWEEP.match(line))
        lines.append("\n" if inside else line)
    return "".join(lines)


#: Letters of the longest scenario that the core takes.
_MOST = 64 << 20


def _is_open(path: Path) -> bool:
    """Whether it is what the process has open already, as a shell's `<(...)` is."""
    return str(path) == "/dev/stdin" or str(path.parent) in ("/dev/fd", "/proc/self/fd")


def _json(source: Mapping[str, Any]) -> str:
    _no_strangers(source, "", 0)
    try:
        return json.dumps(source)
    except (TypeError, ValueError) as e:
        raise ScenarioError(
            f"the mapping is no scenario: {e}\n"
            "  help: give texts, numbers, booleans, lists and mappings only"
        ) from None


def _no_strangers(value: Any, key: str, depth: int) -> None:
    """Tells of what no scenario can have, with its key."""
    inner: Iterable[tuple[str, Any]] = ()
    if isinstance(value, Mapping | list | tuple) and depth == DEEPEST:
        raise ScenarioError(
            f"the mapping nests more than {DEEPEST} levels deep\n"
            f"  in <dict>: {key[:_SHOWN]}...\n{_FLATTER}"
        )
    if isinstance(value, Mapping):
        inner = ((f"{key}.{k}" if key else str(k), v) for k, v in value.items())
    elif isinstance(value, list | tuple):
        inner = ((f"{key}.{i}", v) for i, v in enumerate(value))
    elif isinstance(value, float) and not math.isfinite(value):
        raise ScenarioError(
            f"{value} is no number that a scenario can have\n"
            f"  in <dict>: {key} = {value}\n"
            "  help: write a finite number"
        )
    elif isinstance(value, int) and abs(value) >> 64:
        raise ScenarioError(
            f"no number that a scenario can have is so large\n"
            f"  in <dict>: {key}\n"
            "  help: write a smaller whole number"
        )
    elif value is not None and not isinstance(value, str | bool | int | float):
        raise ScenarioError(
            f"a value of the type {type(value).__name__} is not allowed in a scenario\n"
            f"  in <dict>: {key} = {value!r}\n"
            "  help: give texts, numbers, booleans, lists and mappings only"
        )
    for place, v in inner:
        _no_strangers(v, place, depth + 1)


def _read(path: Path) -> str:
    try:
        kind = path.stat().st_mode
        if not stat.S_ISREG(kind) and not _is_open(path):
            what = "a folder" if stat.S_ISDIR(kind) else "a pipe or a device"
            raise ScenarioError(
                f"cannot read {path}: it is {what}, not a regular file\n"
                "  help: give a TOML or JSON file, or /dev/stdin for what another command writes"
            )
        with path.open(encoding="utf-8") as f:
            # One more than the core takes: it says so.
            return f.read(_MOST + 1)
    except OSError as e:
        raise ScenarioError(f"cannot read {path}: {e.strerror or e}") from None
    except UnicodeDecodeError:
        raise ScenarioError(
            f"cannot read {path}: it is not UTF-8 text\n"
            "  help: give a TOML or JSON file, saved as UTF-8"
        ) from None
    except ValueError as e:
        raise ScenarioError(f"cannot read {str(path)!r}: {e}") from None
