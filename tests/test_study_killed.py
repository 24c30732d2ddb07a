"""A study that is killed with -9 leaves whole files only, and running it again mends it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import PATIENCE

CHILD = """
import sys
from dataclasses import replace
from pathlib import Path
from acklab.studies import STUDIES
from acklab.studies.reproduce import reproduce
from acklab.studies.study import Effort

study = STUDIES["ack-aggregation"]
wanted = [a for a in study.artefacts if a.group == "main"]
study = replace(study, artefacts=wanted, report=lambda *_: "words", claims=None, answer=None)
reproduce(study, wanted, Effort(1, quick=True), Path(sys.argv[1]), 2)
"""


def content(folder):
    found = {}
    for place, folders, files in os.walk(folder):
        # What is hidden comes and goes, perhaps while it is looked into.
        folders[:] = [name for name in folders if name[0] != "."]
        for name in files:
            if name[0] != ".":
                found[name] = (Path(place) / name).read_bytes()
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    subprocess.run([sys.executable, "-c", CHILD, str(out)], check=True)
    return content(out)


@pytest.mark.parametrize("files", [0, 1, 5, 9])
def test_killed_it_leaves_whole_files_only(files, whole, tmp_path):
    process = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path)])
    try:
        deadline = time.monotonic() + PATIENCE
        while len(content(tmp_path)) < files and time.monotonic() < deadline:
            time.sleep(0.001)
        if files == 0:
            time.sleep(1.5)
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
    left = content(tmp_path)
    assert len(left) >= files
    assert all(whole[name] == data for name, data in left.items())
    subprocess.run([sys.executable, "-c", CHILD, str(tmp_path)], check=True)
    assert content(tmp_path) == whole
