"""A signal ends every command within a second, whatever it is doing, and leaves nothing half done.

Foreign code that holds the interpreter stands in for whatever takes long: it is put where a phase
of a command is, says that it has begun, and never ends. So the moment is the same on every machine.
"""

import os
import signal
import subprocess
import sys
import time

import pytest

from conftest import SMALL_TOML

ENDS = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}
#: Far more than it takes, for machines with other work.
PATIENCE = 20

STUCK = """
import sys

def stuck(*_, **__):
    print("stuck", file=sys.stderr, flush=True)
    # One call into C: it neither gives the interpreter away nor hears signals.
    sum(range(10**15))

def after(function):
    def both(*args, **more):
        function(*args, **more)
        stuck()
    return both

{where}
sys.argv = ["acklab", *{words!r}]
from acklab.__main__ import main
main()
"""

SMALL = ["run", "small.toml", "--out", "deep/results"]
SWEEP = ["sweep", "small.toml", "--grid", "flow.0.cc=cubic,bbr3", "--seeds", "20", "--out", "s"]
STUDY = ["reproduce", "aggregation", "--quick", "--seeds", "1", "--out", "deep/study"]
NOTHING = "nothing was written"

#: Where it is stuck, the command, what is said, and whether anything is kept.
PHASES = {
    "reading the scenario": (
        "import acklab.source; acklab.source.Source.load = stuck",
        SMALL,
        NOTHING,
    ),
    "running": ("from acklab import _core; _core.run_many = stuck", SMALL, NOTHING),
    "columns": ("import acklab.results; acklab.results.frame_of = stuck", SMALL, NOTHING),
    "writing a table": (
        "import acklab.saving; acklab.saving.parquet = after(acklab.saving.parquet)",
        SMALL,
        NOTHING,
    ),
    "a capture": (
        "import acklab.formats.exports as e; e.write_pcapng = after(e.write_pcapng)",
        [*SMALL, "--pcap"],
        NOTHING,
    ),
    "a report": (
        "import acklab.report.run as r; r.write_run_report = stuck",
        [*SMALL, "--report"],
        NOTHING,
    ),
    "the summary": (
        "import acklab.cli.show as s; s.summary = stuck",
        SMALL,
        "the results are in deep/results",
    ),
    "a plot": (
        "from matplotlib.backends.backend_svg import FigureCanvasSVG as f; f.print_svg = stuck",
        ["plot", "made", "series"],
        NOTHING,
    ),
    "checking a sweep": (
        "import acklab.sweeps.plan as p; p.Plan.check = stuck",
        SWEEP,
        NOTHING,
    ),
    "keeping a run": (
        "import acklab.sweeps.store as s; s.Store.add = after(s.Store.add)",
        SWEEP,
        "finished runs are kept, and the same command resumes",
    ),
    "a shard": (
        "import acklab.sweeps.store as s; s.parquet = stuck",
        SWEEP,
        "finished runs are kept, and the same command resumes",
    ),
    "a study's tables": (
        "import acklab.studies.kit.make as m; m._told = stuck",
        STUDY,
        "finished cells are kept, and the same command resumes",
    ),
    "a validation": (
        "import acklab.validate; sys.modules['acklab.validate.compare'].run_many = stuck",
        ["validate", "ns3", "--seeds", "1", "--out", "deep/v"],
        NOTHING,
    ),
}


def begun(code, cwd, stdin=None):
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=cwd,
        stdin=stdin,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )


def stopped(process, sign):
    """Waits until the process says that it is stuck, sends the signal; its words from then on."""
    try:
        seen = []
        for line in process.stderr:
            seen.append(line)
            if line.strip().endswith("stuck"):
                break
        assert "stuck" in "".join(seen[-1:]), "".join(seen)
        process.send_signal(sign)
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    return err


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    (folder / "small.toml").write_text(SMALL_TOML)
    words = [sys.executable, "-m", "acklab", "run", "small.toml", "--out", "made"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("sign", ENDS)
@pytest.mark.parametrize("phase", PHASES)
def test_foreign_code_that_never_ends(phase, sign, made, tmp_path):
    where, words, said = PHASES[phase]
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    (tmp_path / "made").symlink_to(made / "made")
    before = {p.name for p in (made / "made").iterdir()}
    process = begun(STUCK.format(where=where, words=words), tmp_path)
    err = stopped(process, sign)
    code, word = ENDS[sign]
    assert process.returncode == code
    assert err.strip().splitlines()[-1] == f"{word}; {said}"
    assert "Traceback" not in err
    assert {p.name for p in (made / "made").iterdir()} == before
    left = {p.name for p in tmp_path.iterdir()} - {"small.toml", "made"}
    if "kept" in said and words is SWEEP:
        assert left == {"s"}
        assert not list((tmp_path / "s").rglob("*.part"))
        again = subprocess.run(
            [sys.executable, "-m", "acklab", *SWEEP], cwd=tmp_path, capture_output=True, text=True
        )
        assert again.returncode == 0, again.stderr
        there = 40 if phase == "a shard" else 1
        assert f"{there} were there, {40 - there} done" in again.stdout
    else:
        # A study's finished cells are kept like a run's results.
        kept = "results" in said or "cells" in said
        assert left == ({"deep"} if kept else set())


@pytest.mark.parametrize("sign", ENDS)
def test_a_scenario_that_cannot_be_read_to_its_end(sign, tmp_path):
    """A pipe that nobody writes to stands for a file that takes long."""
    rate = 'rate = { trace = "/dev/stdin" }'
    (tmp_path / "small.toml").write_text(SMALL_TOML.replace('rate = "10 Mbit/s"', rate))
    where = "print('stuck', file=sys.stderr, flush=True)"
    process = begun(STUCK.format(where=where, words=SMALL), tmp_path, subprocess.PIPE)
    for line in process.stderr:
        if "stuck" in line:
            break
    time.sleep(2)
    process.send_signal(sign)
    _, err = process.communicate(timeout=PATIENCE)
    code, word = ENDS[sign]
    assert (process.returncode, err) == (code, f"{word}; {NOTHING}\n")
    assert {p.name for p in tmp_path.iterdir()} == {"small.toml"}


IN_PYTHON = """
import itertools, os, signal, sys, time
import acklab

# Two runs get there, and a second signal would interrupt what hears the first.
asleep = itertools.count()

class Asleep(acklab.CongestionController):
    def cwnd(self):
        return 10 * 1448

    def on_ack(self, ack):
        # One event that never ends: the engine looks at its flag between events only.
        if next(asleep) == 0:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10**6)

scenario = acklab.load("small.toml", overrides=["flow.0.cc=asleep"], controllers={"asleep": Asleep})
try:
    acklab.run_many([scenario] * 3, jobs=2)
except KeyboardInterrupt:
    print("heard")
sys.stdout.flush()
os._exit(0)
"""


def test_an_event_that_never_ends_is_left_behind(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    done = subprocess.run(
        [sys.executable, "-c", IN_PYTHON],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "heard\n", done.stderr


SWAPPED = """
import os, signal, sys, time
from pathlib import Path
import acklab.folder as folder
from acklab.cli import guard

Path("r").mkdir()
(Path("r") / "run.json").write_text("{}")
(Path("r") / "mine.txt").write_text("of the user")
rename = Path.rename

def slow(self, to):
    rename(self, to)
    print("stuck", file=sys.stderr, flush=True)
    time.sleep(0.1)

Path.rename = slow

def action():
    with folder.result_folder(Path("r")) as scratch:
        (scratch / "run.json").write_text("[]")
    time.sleep(10**6)

guard.listen()
os._exit(guard.guarded(action))
"""


@pytest.mark.parametrize("sign", ENDS)
def test_folders_change_places_whole(sign, tmp_path):
    stopped(begun(SWAPPED, tmp_path), sign)
    assert {p.name for p in tmp_path.iterdir()} == {"r"}
    assert (tmp_path / "r" / "run.json").read_text() == "[]"
    assert (tmp_path / "r" / "mine.txt").read_text() == "of the user"


LOST = """
import os, sys, time, weakref
from acklab.cli import guard

class Thing:
    pass

def forgotten(_):
    print("stuck", file=sys.stderr, flush=True)
    time.sleep(10**6)

def action():
    thing = Thing()
    seen = weakref.ref(thing, forgotten)
    del thing
    time.sleep(10**6)

guard.listen()
os._exit(guard.guarded(action))
"""


@pytest.mark.parametrize("sign", ENDS)
def test_a_signal_whose_exception_is_lost(sign, tmp_path):
    """Nobody hears what a weak reference's callback raises; Python would print a traceback."""
    process = begun(LOST, tmp_path)
    err = stopped(process, sign)
    code, word = ENDS[sign]
    assert (process.returncode, err) == (code, f"{word}; {NOTHING}\n")


@pytest.mark.parametrize("wait", [0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.8, 1.3])
@pytest.mark.parametrize("command", ["run", "sweep", "reproduce", "plot"])
def test_sigterm_at_moments_by_the_clock(command, wait, made, tmp_path):
    """From the first import on: before, Python itself is starting."""
    (tmp_path / "long.toml").write_text(SMALL_TOML.replace('"3 s"', '"7200 s"'))
    words = {
        "run": ["run", "long.toml", "--record", "all", "--pcap", "--out", "r"],
        "sweep": ["sweep", "long.toml", "--seeds", "2000", "--jobs", "2", "--out", "s"],
        "reproduce": [*STUDY[:-1], "d"],
        "plot": ["plot", str(made / "made"), "series", "--out", "p.svg"],
    }[command]
    where = "print('stuck', file=sys.stderr, flush=True)\nimport acklab.__main__"
    process = begun(STUCK.format(where=where, words=words), tmp_path)
    for line in process.stderr:
        if "stuck" in line:
            break
    # The handler is there some microseconds later; before, the signal itself ends the process.
    time.sleep(0.05 + wait)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    left = {p.name for p in tmp_path.rglob("*") if p.is_file()} - {"long.toml"}
    if process.returncode == 0:
        assert command == "plot"
        return
    assert process.returncode in (143, -signal.SIGTERM), err
    assert err.count("terminated") == (process.returncode == 143)
    if command == "plot":
        # Both files, if the signal came when the plot was whole.
        left -= {"p.svg", "p.csv"} if {"p.svg", "p.csv"} <= left else set()
    if command == "reproduce":
        # The journal of finished cells: the same command resumes.
        left = {name for name in left if not name.endswith(".jsonl")}
    assert all(name in {"sweep.json", "scenario.toml"} or name[0] == "." for name in left), left
    assert not [name for name in left if name.endswith(".part")]
    assert command == "sweep" or not left
