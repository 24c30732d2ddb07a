"""Input that nests too deep for a parser is a mistake with its place, in whatever form it comes."""

import json
import shutil
from pathlib import Path

import pytest

import acklab

DEEP = 10_000
IN_SWEEP = Path(__file__).parent / "data" / "nested-deep-in-sweep.toml"


def nested(levels, inner=1):
    for _ in range(levels):
        inner = [inner]
    return inner


def knotted():
    """A mapping and a list that contain each other."""
    knot = {}
    knot["list"] = [knot]
    return knot


@pytest.mark.parametrize("command", ["run", "sweep"])
@pytest.mark.parametrize("form", ["list", "table", "key", "json", "json in sweep", "kept"])
def test_a_file_that_nests_deep(command, form, acklab_cli, tmp_path):
    path = tmp_path / f"deep.{'json' if 'json' in form else 'toml'}"
    texts = {
        "list": f"[sweep]\nseeds = 2\n[x]\ny = {'[' * DEEP}{']' * DEEP}\n",
        "table": f"[sweep]\nseeds = 2\n[x]\ny = {'{a=' * DEEP}1{'}' * DEEP}\n",
        "key": f"[sweep]\nseeds = 2\n[x]\n{'.'.join('a' * DEEP)} = 1\n",
        "json": f'{{"sweep": {{}}, "x": {"[" * DEEP}{"]" * DEEP}}}',
        "json in sweep": f'{{"sweep": {{"grid": {"[" * 500}{"]" * 500}}}}}',
    }
    if form == "kept":
        shutil.copy(IN_SWEEP, path)
    else:
        path.write_text(texts[form])
    done = acklab_cli(command, path.name)
    assert done.returncode == 1, done.stderr[-500:]
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("error:")
    assert path.name in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name]


@pytest.mark.parametrize("deep", [nested(DEEP), knotted()], ids=["deep", "knotted"])
def test_a_mapping_that_nests_deep(deep, small, tmp_path):
    def swept(**sweep):
        return lambda: acklab.sweep(small | {"sweep": sweep}, out=tmp_path / "s")

    of_python = [
        lambda: acklab.load(small | {"record": {"more": deep}}),
        lambda: acklab.load(small, overrides={"flow.0.cc": deep}),
        lambda: acklab.sweep(small, grid={"flow.0.cc": [deep]}, out=tmp_path / "s"),
        lambda: acklab.sweep(small, seeds=[deep], out=tmp_path / "s"),
        swept(scenario=deep),
        swept(seeds=deep),
        swept(seeds=[deep]),
        swept(grid={"flow": {"0": deep}}),
        swept(grid={"flow.0.cc": deep}),
    ]
    for use in of_python:
        with pytest.raises(acklab.AcklabError) as e:
            use()
        assert len(str(e.value)) < 1000
    assert not (tmp_path / "s").exists()


def test_the_place_of_what_nests_deep_is_told(small):
    with pytest.raises(acklab.ScenarioError, match=r"in <dict>: record\.more\.0\.0\.0"):
        acklab.load(small | {"record": {"more": nested(DEEP)}})


def test_what_the_core_reads_python_reads_too(small, tmp_path):
    """The limit is one: what is not too deep here is refused for what it is."""
    for levels in (1, 40, 79):
        path = tmp_path / "deep.json"
        path.write_text(json.dumps({**small, "sweep": {}, "x": nested(levels)}))
        for source in (path, small | {"x": nested(levels)}):
            with pytest.raises(acklab.ScenarioError, match="unknown key `x`"):
                acklab.load(source)
