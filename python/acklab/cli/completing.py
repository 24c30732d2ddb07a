"""Words that the shell offers for an argument when Tab is pressed.

Each function gets what was typed so far and returns the words that go on from there, with a
description where there is one. Mistakes are silent: a shell has nowhere to show them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

Offer = tuple[str, str]


def _starting(words: Iterable[Offer], incomplete: str) -> list[Offer]:
    return [(word, about) for word, about in words if word.startswith(incomplete)]


def scenario(incomplete: str) -> list[Offer]:
    """Scenarios of the gallery, and TOML files here or in the folder that was begun."""
    from acklab.places import by_name

    names = [(name, "gallery") for name in by_name()]
    return _starting([*names, *_files(incomplete)], incomplete)


def _files(incomplete: str) -> Iterator[Offer]:
    """TOML files beside what was typed, and those in folders whose name it begins."""
    base = Path(incomplete if incomplete.endswith("/") else Path(incomplete).parent)
    begun = "" if incomplete.endswith("/") else Path(incomplete).name
    try:
        entries = sorted(base.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.suffix in (".toml", ".json") and entry.is_file():
            yield str(entry), ""
        elif begun and entry.name.startswith(begun) and entry.is_dir():
            yield from ((str(p), "") for p in sorted(entry.glob("*.toml")))


def result(incomplete: str) -> list[Offer]:
    """Result folders: of runs, and of sweeps; here, in `out`, or in the folder that was begun."""
    begun = Path(incomplete if incomplete.endswith("/") else Path(incomplete).parent)
    found: dict[str, str] = {}
    for folder in (begun, Path("out")):
        for marker, about in (("run.json", "run"), ("sweep.json", "sweep")):
            found |= {str(p.parent): about for p in sorted(folder.glob(f"*/{marker}"))}
    return _starting(found.items(), incomplete)


def metric(incomplete: str) -> list[Offer]:
    """Columns, derived metrics, and the words of recorded tables."""
    from acklab.metrics import DEFINITIONS
    from acklab.metrics.words import VOCABULARIES

    offers = {w.name: w.text for v in VOCABULARIES for w in v.words}
    offers |= {d.name: d.text for d in DEFINITIONS.values()}
    return _starting(((n, text.partition(". ")[0]) for n, text in offers.items()), incomplete)


def explained(incomplete: str) -> list[Offer]:
    """What `metric` offers, and terms, in whatever case they are typed.

    Other spellings of a term are offered once their beginning was typed.
    """
    from acklab.glossary import as_word, terms

    found = dict(metric(incomplete))
    begun = incomplete.lower().replace("_", "-")
    for t in terms():
        for spelling in map(as_word, t.spellings if incomplete else (t.name,)):
            if spelling.lower().replace("_", "-").startswith(begun) and "%" not in spelling:
                found.setdefault(spelling, t.meaning.partition(". ")[0])
    return list(found.items())


def flow_metric(incomplete: str) -> list[Offer]:
    """Columns of flows that are numbers, and metrics derived from them."""
    from acklab.metrics import DEFINITIONS

    columns = [d for d in DEFINITIONS.values() if "flows" in d.tables or d.derived]
    return _starting(
        [(d.name, d.text) for d in columns if d.name not in ("flow", "cc", "percentile")],
        incomplete,
    )


def study(incomplete: str) -> list[Offer]:
    """Studies, and their tables and figures."""
    from acklab.studies import built_in
    from acklab.studies.kit.folder import about

    every = {name: about(path) for name, path in built_in().items()}
    offers = [(name, s.title) for name, s in every.items()]
    for name, s in every.items():
        offers += [(f"{name}/{of.id}", of.title) for of in s.drawn]
    return _starting(offers, incomplete)


def plot(incomplete: str) -> list[Offer]:
    """Named plots."""
    from acklab.plots.kinds import KINDS

    return _starting([(k.name, k.about) for k in KINDS.values()], incomplete)


def streams(incomplete: str) -> list[Offer]:
    """Values for `--record`: a list with commas, of which the last word is being typed."""
    from acklab.results import STREAMS

    before, comma, _ = incomplete.rpartition(",")
    given = before.split(",")
    offers = [(f"{before}{comma}{s}", "") for s in STREAMS if s not in given]
    return _starting(offers if comma else [("all", "everything"), *offers], incomplete)
