"""The attack tables of docs/security.md: each defence has a test, and the test exists."""

import re

from conftest import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def rows():
    """Attack and names of tests, of the tables whose last column is "test"."""
    inside = False
    for line in PAGE.splitlines():
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            inside = False
        elif cells[-1] == "test":
            inside = True
        elif inside and not set(cells[-1]) <= {"-", ":"}:
            yield cells[0], re.findall(r"`([\w:]+)`", cells[-1])


def functions():
    """Names of tests, and of the modules and files around each."""
    found = {}
    for path in [*ROOT.glob("crates/acklab-*/**/*.rs"), *ROOT.glob("tests/*.py")]:
        if "target" in path.parts:
            continue
        for name in re.findall(r"^\s*(?:fn|def) (\w+)\(", path.read_text(encoding="utf-8"), re.M):
            stem = path.stem.removesuffix("_tests")
            found.setdefault(name, set()).update((*path.parts, stem))
    return found


def test_every_attack_has_a_test_that_exists():
    known = functions()
    attacks = list(rows())
    assert len(attacks) > 20
    for attack, tests in attacks:
        assert tests, attack
        for test in tests:
            *modules, name = test.split("::")
            assert name in known, f"{attack}: there is no {name}"
            assert set(modules) <= known[name], f"{attack}: {name} is not in {modules}"
