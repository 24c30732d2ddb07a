"""Ctrl-C ends a run at once and leaves nothing."""

import os
import signal
import subprocess
import sys
import time

import pytest

from conftest import SMALL_TOML


@pytest.mark.parametrize("command", ["run", "reproduce"])
def test_ctrl_c(command, tmp_path):
    # Half a day of virtual time: it would run for a minute.
    (tmp_path / "long.toml").write_text(SMALL_TOML.replace('"3 s"', '"43200 s"'))
    args = {
        "run": ["run", "long.toml", "--out", "results", "--set", "sample_every=off"],
        "reproduce": ["reproduce", "--seeds", "500", "--jobs", "2", "--out", "results"],
    }[command]
    process = subprocess.Popen(
        [sys.executable, "-m", "acklab", *args],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    time.sleep(2.5)
    assert process.poll() is None
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    # A second is what is promised; a busy machine gets more.
    assert time.monotonic() - sent < 5
    assert process.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err
    left = [p.name for p in tmp_path.rglob("*") if p.is_file()]
    assert left == ["long.toml"]
