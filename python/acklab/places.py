"""Where the gallery, the reference results and the papers' numbers are: in the package."""

from __future__ import annotations

from pathlib import Path

from acklab.errors import AcklabError, ScenarioError

_DATA = Path(__file__).resolve().parent / "data"


def packaged(name: str) -> Path:
    """The folder `name` of what comes with the package: `scenarios`, `notebooks`, `validation`."""
    folder = _DATA / name
    if not folder.is_dir():
        raise AcklabError(
            f"acklab's own folder {folder} is missing\n"
            "  help: install acklab anew; if it is a clone, `git status` says what was deleted"
        )
    return folder


def gallery() -> list[Path]:
    """The gallery of scenarios, by name."""
    return sorted(packaged("scenarios").glob("*.toml"))


def find(name: str) -> Path:
    """A path as it is, or the gallery's scenario of that name; `-` is the standard input."""
    if name == "-":
        return Path("/dev/stdin")
    if not name:
        raise ScenarioError(
            "the name of the scenario is empty\n"
            "  help: give a scenario file, or a name that `acklab list scenario` shows"
        )
    if "\0" in name:
        raise ScenarioError(
            f"cannot read {name!r}: a path has no null character\n"
            "  help: give a scenario file, or a name that `acklab list scenario` shows"
        )
    path = Path(name)
    if path.is_dir():
        raise ScenarioError(f"cannot read {name}: it is a folder\n  help: {_within(path)}")
    if path.exists():
        return path
    names = by_name()
    if name in names:
        return names[name]
    raise ScenarioError(
        f"cannot read {name}: there is no such file\n  help: {_instead(name, names)}"
    )


def by_name() -> dict[str, Path]:
    """The gallery by name."""
    return {p.stem: p for p in gallery()}


def _within(folder: Path) -> str:
    files = sorted(folder.glob("*.toml"))
    return f"give a file, such as {files[0]}" if files else "give a TOML or JSON file"


def _instead(name: str, gallery: dict[str, Path]) -> str:
    import difflib

    path = Path(name)
    if path.suffix or "/" in name:
        beside = {str(p): p for p in path.parent.glob("*.toml")} if path.parent.is_dir() else {}
        if near := difflib.get_close_matches(name, beside, n=1):
            return f"did you mean {near[0]}?"
        return f"`acklab new {path.with_suffix('.toml')}` writes a scenario to begin with"
    if near := difflib.get_close_matches(name, gallery, n=1):
        return f"did you mean {near[0]}, of the gallery?"
    return "give a scenario file, or a name that `acklab list scenario` shows"
