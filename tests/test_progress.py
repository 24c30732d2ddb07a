"""How far a run is: what the core says, and what a terminal shows."""

import os
import pty
import subprocess
import sys

import pytest

import acklab

#: The tool, but not patient: a bar comes at once, a line at the first word.
NOW = """
import sys
from acklab.cli import simulated
simulated._PATIENCE_S = simulated._SILENCE_S = 0
from acklab.__main__ import main
sys.exit(main())
"""


def test_the_core_says_how_much_time_is_simulated(small):
    heard = []
    scenario = acklab.load(small)
    result = scenario.run(on_time=lambda *told: heard.append(told))
    seconds = [s for s, _ in heard]
    whole = {total for _, total in heard}
    assert len(whole) == 1
    assert seconds == sorted(seconds)
    assert seconds[-1] == whole.pop()
    assert result.flows.equals(scenario.run().flows)


def test_several_runs_count_together(small):
    heard = []
    scenario = acklab.load(small)
    one = []
    scenario.run(on_time=lambda *told: one.append(told))
    acklab.run_many(
        [(scenario, s) for s in range(5)], jobs=2, on_time=lambda *told: heard.append(told)
    )
    assert heard[-1] == pytest.approx((5 * one[-1][0], 5 * one[-1][1]))


def test_what_on_time_raises_ends_the_run(small):
    def angry(seconds, total):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        acklab.load(small).run(on_time=angry)


LONG = """
duration = "200 s"

[topology]
preset = "dumbbell"
access = { rate = "1 Gbit/s", delay = "1 ms" }
bottleneck = { rate = "100 Mbit/s", delay = "10 ms", queue = "1 BDP" }

[[flow]]
cc = "cubic"
"""


def on_a_terminal(folder, *args):
    """Exit code and standard error of the tool where that is a terminal."""
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-c", NOW, *args],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    told = b""
    try:
        while part := os.read(ours, 1 << 16):
            told += part
    except OSError:
        pass  # So Linux says that the other end has closed.
    os.close(ours)
    return run.wait(), told.decode()


def test_a_terminal_shows_a_bar(tmp_path):
    code, told = on_a_terminal(tmp_path, "run", "single-flow")
    assert code == 0
    assert "single-flow" in told
    assert "30 of 30 s simulated" in told or "writing results" in told
    code, told = on_a_terminal(tmp_path, "run", "single-flow", "--quiet")
    assert (code, told) == (0, "")


def test_elsewhere_a_line_now_and_then(tmp_path):
    file = tmp_path / "long.toml"
    file.write_text(LONG)
    for more, silent in (((), False), (("-q",), True)):
        done = subprocess.run(
            [sys.executable, "-c", NOW, "run", file, *more],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        told = [line for line in done.stderr.splitlines() if " of 200 s simulated, about " in line]
        assert (told == []) == silent
