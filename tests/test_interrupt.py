"""Ctrl-C and SIGTERM end a run at once and leave nothing."""

import os
import signal
import subprocess
import sys
import time

import pytest

from conftest import SMALL_TOML

ENDS = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}


@pytest.mark.parametrize("sign", ENDS)
@pytest.mark.parametrize("command", ["run", "reproduce"])
def test_signals(command, sign, tmp_path):
    # Half a day of virtual time: it would run for a minute.
    (tmp_path / "long.toml").write_text(SMALL_TOML.replace('"3 s"', '"43200 s"'))
    args = {
        "run": ["run", "long.toml", "--out", "deep/results", "--set", "sample_every=off"],
        "reproduce": ["reproduce", "--seeds", "500", "--jobs", "2", "--out", "deep/results"],
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
    process.send_signal(sign)
    _, err = process.communicate(timeout=30)
    # A second is what is promised; a busy machine gets more.
    assert time.monotonic() - sent < 5
    code, word = ENDS[sign]
    assert process.returncode == code
    assert word in err
    assert "Traceback" not in err
    left = [p.name for p in tmp_path.rglob("*")]
    assert left == ["long.toml"]
