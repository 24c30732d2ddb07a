"""`sweep.json`: what a sweep's folder is of, so that nothing else gets mixed into it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acklab import _core, code, made
from acklab.errors import AcklabError
from acklab.sealed import sealed, unsealed
from acklab.source import Source
from acklab.sweeps import values
from acklab.sweeps.grid import Axis
from acklab.sweeps.plan import Plan

NAME = "sweep.json"
KIND = "sweep"
#: Counts up when older versions could not read a folder any more.
FORMAT = 2
#: The keys of the first format, which had no sum.
_OLDER = (
    *("kind", "format", "again", "scenario", "version", "command", "axes", "seeds"),
    *("overrides", "cells", "runs"),
)


@dataclass(frozen=True)
class Manifest:
    """The content of `sweep.json`."""

    scenario: str
    version: str
    command: str
    axes: Sequence[Mapping[str, Any]]
    seeds: Sequence[int] | int
    overrides: Mapping[str, str]
    cells: int
    runs: int
    #: Of the code that made it; the first format has none.
    build: str | None = None
    #: Provenance of the process that began it (`acklab.made`); runs may be from several machines.
    made: Mapping[str, Any] = field(default_factory=dict)
    #: Checksum of the scenario, by the name of its file.
    sha256: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, command: str) -> Manifest:
        """The manifest of `plan`; `command` is what the user typed."""
        seeds = len(plan.seeds) if isinstance(plan.seeds, range) else list(plan.seeds)
        return cls(
            scenario=plan.load(0).name,
            version=_core.version(),
            command=command,
            axes=[_saved(axis) for axis in plan.grid.axes],
            seeds=seeds,
            overrides=dict(plan.overrides),
            cells=plan.grid.cells,
            runs=plan.runs,
            build=code.of_runs(),
            made=made.of_this(),
            sha256={scenario_file(plan.source): digest(plan.source.text)},
        )

    def text(self, again: str) -> str:
        """The file; `again` is the command that makes the same from the folder itself."""
        head = {"kind": KIND, "format": FORMAT, "again": again}
        return sealed({**head, **vars(self)})

    @property
    def keys(self) -> list[str]:
        """The columns of the grid's keys."""
        return [name for axis in self.axes for name in axis]

    def differences(self, other: Manifest) -> list[str]:
        """The differences from `other`, one line each; commands and machines do not count.

        Nor does the version: builds are compared, and two of one version can differ.
        """
        lines = []
        for what in ("overrides", "axes", "seeds"):
            there, here = getattr(self, what), getattr(other, what)
            if there != here:
                shown = _show if what == "axes" else str
                lines.append(f"{_WORDS[what]}: {shown(there)} there, {shown(here)} here")
        return lines


_WORDS = {"overrides": "--set", "axes": "grid", "seeds": "seeds"}
#: As many values as this are listed; of more, what the user wrote.
_LISTED = 1000


def read(folder: Path) -> Manifest:
    """Reads the manifest of `folder`; every mistake names the file."""
    path = folder / NAME
    try:
        about = unsealed(path.read_bytes(), _OLDER)
    except OSError as e:
        raise AcklabError(f"cannot read {path}: {e.strerror or e}") from None
    except ValueError as e:
        raise _corrupt(path, e) from None
    if about.pop("kind", None) != KIND:
        raise _corrupt(path, 'it does not say kind = "sweep"')
    check_format(path, about.pop("format", None), FORMAT)
    about.pop("again", None)
    try:
        found = Manifest(**about)
    except TypeError as e:
        raise _corrupt(path, e) from None
    for key, whole in _whole(found).items():
        if not whole:
            raise _corrupt(path, f"{key} is {getattr(found, key)!r}")
    return found


def _whole(m: Manifest) -> dict[str, bool]:
    """Whether each key has a value of its kind."""
    words = {k: isinstance(getattr(m, k), str) for k in ("scenario", "version", "command")}
    counts = {k: _is_count(getattr(m, k)) for k in ("cells", "runs")}
    seeds = m.seeds if isinstance(m.seeds, list) else [m.seeds]
    return {
        **words,
        **counts,
        "axes": isinstance(m.axes, list) and all(_is_axis(a) for a in m.axes),
        "seeds": all(_is_count(s) for s in seeds),
        "overrides": isinstance(m.overrides, dict),
        "build": isinstance(m.build, str | None),
        "made": isinstance(m.made, dict),
        "sha256": isinstance(m.sha256, dict),
    }


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_axis(axis: object) -> bool:
    return isinstance(axis, dict) and all(
        isinstance(key, dict)
        and isinstance(key.get("key"), str)
        and isinstance(key.get("values"), str | list)
        for key in axis.values()
    )


def check_format(path: Path, found: object, known: int) -> None:
    """Refuses a folder that a newer acklab has written."""
    if not isinstance(found, int):
        raise _corrupt(path, "it does not say its format")
    if found > known:
        raise AcklabError(
            f"{path.parent} was written by a newer acklab: format {found}, this one reads "
            f"up to {known}\n  help: install a newer acklab"
        )


def same_scenario(folder: Path, source: Source) -> bool:
    """Whether the scenario kept in `folder` says what `source` says, however it is written."""
    kept = folder / scenario_file(source)
    try:
        text = kept.read_text(encoding="utf-8")
        return bool(Source(text, str(kept), source.form).parsed() == source.parsed())
    except (OSError, ValueError, RecursionError):
        return False


def digest(text: str) -> str:
    """The checksum of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def scenario_file(source: Source) -> str:
    """The name under which a sweep keeps its scenario."""
    return f"scenario.{source.form}"


def _saved(axis: Axis) -> dict[str, Any]:
    return {k.name: {"key": k.key, "values": _listed(k.values)} for k in axis.keys}


def _listed(of: values.Values) -> str | list[Any]:
    return [values.typed(v) for v in of] if of.count <= _LISTED else of.text or list(of)


def _show(axes: Sequence[Mapping[str, Any]]) -> str:
    def one(key: Mapping[str, Any]) -> str:
        given = key["values"]
        if not isinstance(given, str):
            given = ",".join([*map(str, given[:8]), *["..."][: len(given) > 8]])
        return f"{key['key']}={given}"

    return " ".join(one(key) for axis in axes for key in axis.values()) or "none"


def _corrupt(path: Path, why: object) -> AcklabError:
    return AcklabError(
        f"{path} is corrupt: {why}\n  help: remove the folder {path.parent} and sweep again"
    )
