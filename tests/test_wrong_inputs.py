"""Wrong inputs in tables, each with the beginning of the message for the user.

The tables are in `wrong_inputs/`. A case is a change of a scenario (`set`), a command line (`run`)
or an expression of Python (`call`). `says` is the beginning of the message, line by line; `...` at
the end of a line leaves the rest of it open, mostly of a list that grows. `code` is the exit code
of a command line (1 unless it is given), `raises` the exception of an expression (AcklabError).
"""

import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest

import acklab
import acklab.bench
import wrong_place

TABLES = sorted((Path(__file__).parent / "wrong_inputs").glob("*.toml"))
READ = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in TABLES}


def cases(kind):
    return list(_cases(kind))


def _cases(kind):
    for table, of in READ.items():
        for i, case in enumerate(of["case"]):
            if kind in case:
                given = {"base": of.get("base"), **case}
                yield pytest.param(given, id=f"{table}-{i}-{str(case[kind])[:60]}")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The folder in which every case runs; none may change it."""
    folder = tmp_path_factory.mktemp("place")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        # Files that libraries keep for themselves are not beside the results.
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp("home")))
        patch.setenv("COLUMNS", "80")
        patch.setenv("NO_COLOR", "1")
        # The page is built by `make web`; what it is given is refused before it is shown.
        patch.setattr(acklab.bench, "page", str)
        wrong_place.build(folder)
        yield folder


@pytest.fixture
def untouched(place):
    """Nothing was written when the case is over."""
    before = wrong_place.snapshot(place)
    yield place
    assert wrong_place.snapshot(place) == before


def begins(message, says):
    """Whether `message` begins with the lines of `says`."""
    lines = says.strip("\n").split("\n")
    told = message.split("\n")[: len(lines)]
    return len(told) == len(lines) and all(
        t.startswith(s.removesuffix("...")) if s.endswith("...") else t == s
        for t, s in zip(told, lines, strict=True)
    )


def check(message, says, place):
    message = message.replace(str(place), "PLACE").rstrip("\n")
    assert begins(message, says), f"expected:\n{says}\ntold:\n{message}"
    assert "Traceback" not in message
    assert "This is a bug" not in message
    # A person reads it: no line is a repr of an exception.
    assert not re.search(r"\b(?:\w*Error|Exception)\(|\[Errno", message), message
    return message


def words(text):
    """Words and numbers of a value, however it is quoted and ordered."""
    return {w.removesuffix(".0") for w in re.findall(r"[\w.+%>/-]+", text)}


@pytest.mark.parametrize("case", cases("set"))
def test_of_scenarios(case, untouched):
    with pytest.raises(acklab.ScenarioError) as e:
        acklab.load(f"{case['base']}.toml", overrides=case["set"])
    message = check(str(e.value), case["says"], untouched)
    if case.get("no_key"):
        return
    # The message has the place, as a key that was given, and the value there.
    places = re.findall(r"^  (?:in|because of) (?:.*?): (.+)$", message, re.MULTILINE)
    keys = [s.partition("=")[0].replace('"', "") for s in case["set"]]
    near = [p for p in places if any(_within(p.partition(" = ")[0], k) for k in keys)]
    assert near, f"no key of {keys} in:\n{message}"
    value = near[0].partition(" = ")[2]
    # A float may be written in another way than it was given.
    given = " ".join([wrong_place.BASES[case["base"]], "1000000000", *case["set"]])
    unknown = words(value) - words(given) - words(given.replace(".", " "))
    assert not unknown, f"{value} was not given"


def _within(told, given):
    told = told.replace('"', "")
    return told == given or told.startswith(given + ".") or given.startswith(told + ".")


@pytest.mark.parametrize("case", cases("run"))
def test_of_command_lines(case, untouched):
    args = shlex.split(case["run"])
    code, told = wrong_place.command(args)
    assert code == case.get("code", 1), told
    message = check(told, case["says"], untouched)
    # It shows what was given, unless something is missing.
    shown = case.get("shows", [])
    assert all(s in message for s in shown), message
    given = [part for a in args[1:] for part in (a, a.partition("=")[0]) if part]
    missing = "Missing argument" in message or len(args) < 2
    assert shown or missing or any(a in message for a in given), message


@pytest.mark.parametrize("case", cases("call"))
def test_of_python(case, untouched):
    known = {"acklab": acklab, "Path": Path, "os": os}
    known["scenario"] = acklab.load("short.toml")
    known["saved"], known["swept"] = acklab.open("run"), acklab.open("sweep")
    with pytest.raises(acklab.AcklabError) as e:
        eval(case["call"], known)
    assert type(e.value).__name__ == case.get("raises", "AcklabError")
    check(str(e.value), case["says"], untouched)


def test_there_are_many_and_each_is_there_once():
    every = [
        str([*sorted((k, str(v)) for k, v in c.items() if k != "says"), of.get("base")])
        for of in READ.values()
        for c in of["case"]
    ]
    assert len(every) >= 400
    assert len(set(every)) == len(every)
