"""Provenance of a result: it is said, it is true, and nothing that is compared depends on it."""

import json
import pickle
import re
import subprocess
from pathlib import Path

import pytest

import acklab
from acklab import _core, made, sealed
from acklab.folder import MARKER
from acklab.sweeps import manifest
from conftest import ROOT

KEYS = {"commit", "modified", "build", "wheel", "archive", "processor", "system", "python"}


def git(*args):
    return subprocess.run(
        ["git", "-C", ROOT, *args], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_every_result_says_what_made_it(small, tmp_path):
    result = acklab.load(small).run()
    assert set(result.made) == KEYS
    assert re.fullmatch("[0-9a-f]{16}", result.made["build"])
    saved = acklab.Result.load(result.save(tmp_path / "r"))
    assert saved.made == result.made == pickle.loads(pickle.dumps(result)).made
    swept = acklab.sweep(small, out=tmp_path / "s", seeds=1)
    assert swept.made == result.made


def test_in_a_clone_git_is_asked():
    of = made.of_this()
    if not (ROOT / ".git").exists():
        assert (of["commit"] or "") == _core.commit().partition("+")[0]
        return
    assert of["commit"] == git("rev-parse", "HEAD")
    dirty = git("status", "--porcelain", "--", *made._CODE) != ""
    assert of["modified"] >= dirty


def test_the_processor_is_the_systems():
    name = made.processor()
    assert name
    known = Path("/proc/cpuinfo")
    if known.exists():
        assert name in known.read_text() or "CPU implementer" in name


def test_the_line_for_people():
    assert made.shown({}) == ""
    assert made.shown({"commit": "a" * 40, "modified": False}) == "a" * 12
    assert made.shown({"commit": "a" * 40, "modified": True}) == "a" * 12 + ", modified"


def other(path, **changed):
    """As if another machine, or another commit of the same code, had made it."""
    about = sealed.unsealed(path.read_bytes())
    about["made"] |= changed
    path.write_text(sealed.sealed(about))


def test_a_sweep_goes_on_elsewhere_but_not_with_another_build(small, tmp_path):
    acklab.sweep(small, out=tmp_path / "s", seeds=2)
    about = tmp_path / "s" / manifest.NAME
    other(about, commit="f" * 40, processor="another", python="3.99")
    again = manifest.read(tmp_path / "s")
    assert again.made["processor"] == "another"
    plain = json.loads(about.read_text())
    numbered = {k: v for k, v in plain.items() if k != "sum"} | {"version": "9.9.9"}
    about.write_text(sealed.sealed(numbered))
    # Another number alone is no other build.
    assert again.differences(manifest.read(tmp_path / "s")) == []
    about.write_text(sealed.sealed(numbered | {"build": "0" * 16}))
    with pytest.raises(acklab.AcklabError, match="another build"):
        acklab.sweep(small, out=tmp_path / "s", seeds=2)


def test_nothing_of_it_is_in_what_must_be_the_same(small, tmp_path):
    result = acklab.load(small).run()
    folder = result.save(tmp_path / "r")
    words = [str(result.made[k]) for k in ("commit", "build", "processor") if result.made[k]]
    for path in folder.rglob("*"):
        if path.name != MARKER:
            data = path.read_bytes()
            assert not any(w.encode() in data for w in words), path
