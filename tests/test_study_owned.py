"""Mistakes in a study's own Python: file and line, and no word of a bug in acklab."""

import re

import pytest

import kit_study


@pytest.mark.parametrize(
    ("file", "right", "wrong", "told"),
    [
        ("cells.py", "access=Link(", "acces=Link(", "TypeError: .*acces"),
        ("cells.py", "GROUPS = {", "GROUPS = nothing or {", "NameError: .*nothing"),
        ("cells.py", "    return [", "    1 / 0\n    return [", "ZeroDivisionError"),
        ("quantities.py", "from acklab.results", "from acklab.result", "ModuleNotFoundError"),
        ("quantities.py", "def goodput(", "def goodput((", "syntax|closed|parenthes"),
    ],
)
def test_it_is_the_authors(file, right, wrong, told, acklab_cli, tmp_path):
    assert acklab_cli("study", "new", "mine").returncode == 0
    kit_study.change(tmp_path / "mine" / file, right, wrong)
    for command in (("study", "check", "mine"), ("reproduce", "mine", "--quick")):
        done = acklab_cli(*command)
        assert done.returncode == 1, done.stderr
        assert "bug in acklab" not in done.stderr
        (line,) = [x for x in done.stderr.splitlines() if f"mine/{file}:" in x]
        # Not the file alone.
        assert re.search(rf"{file}:[1-9]\d*: ", line), line
        assert re.search(told, line), line
