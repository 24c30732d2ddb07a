"""Loading ends: it hears signals, reads no more than there may be, and nothing that is no file."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import acklab
from conftest import ROOT, SMALL_TOML

#: A scenario whose link follows the trace NAME.
TRACED = """
duration = "1 s"
[topology]
preset = "dumbbell"
[topology.bottleneck]
rate = {{ trace = "{}" }}
delay = "10 ms"
[[flow]]
"""


def refused(path):
    with pytest.raises(acklab.ScenarioError) as e:
        acklab.load(path)
    return str(e.value)


@pytest.fixture
def pipe(tmp_path):
    """A named pipe that nobody writes to: opening it never ends."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_scenario_is_a_regular_file(tmp_path, pipe):
    for path, what in [(pipe, "a pipe or a device"), (Path("/dev/zero"), "a pipe or a device")]:
        first, hint = refused(path).splitlines()
        assert first == f"cannot read {path}: it is {what}, not a regular file"
        assert hint.startswith("  help: give a TOML or JSON file")
    assert refused(tmp_path).startswith(f"cannot read {tmp_path}: it is a folder")


def test_on_the_command_line_too(acklab_cli, pipe):
    for command in ("run", "sweep"):
        done = acklab_cli(command, pipe)
        assert (done.returncode, done.stdout) == (1, "")
        assert "not a regular file" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "."])
def test_a_trace_is_a_regular_file(name, tmp_path, pipe):
    path = tmp_path / "traced.toml"
    path.write_text(TRACED.format(name))
    told = refused(path)
    what = "a folder" if name == "." else "a pipe or a device"
    assert f"it is {what}, not a regular file" in told
    assert "line 6: topology.bottleneck.rate.trace" in told
    assert "a trace is a regular file of 64 MiB at most" in told


def test_files_have_a_longest_length(tmp_path):
    path = tmp_path / "long.toml"
    path.touch()
    # A hole: no disk is filled.
    os.truncate(path, (64 << 20) + 1)
    assert "the text is longer than 64 MiB" in refused(path)
    traced = tmp_path / "traced.toml"
    traced.write_text(TRACED.format("long.toml"))
    assert "it is longer than 64 MiB" in refused(traced)


def test_what_a_shell_passes_is_read(acklab_process, tmp_path):
    """Process substitution, and standard input, are pipes too."""
    done = acklab_process("run", "/dev/stdin", "--out", "r", input=SMALL_TOML)
    assert done.returncode == 0, done.stderr
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    line = f"{sys.executable} -m acklab run <(cat small.toml) --out a"
    done = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a" / "run.json").is_file()


def test_a_trace_from_a_pipe_is_read_once(acklab_process, tmp_path):
    """Both ways of a link follow it, and the pipe that a shell passes is empty after the first."""
    (tmp_path / "piped.toml").write_text(TRACED.format("/dev/stdin"))
    (tmp_path / "filed.toml").write_text(TRACED.format("trace"))
    trace = "".join(f"{ms}\n" for ms in range(1, 40))
    (tmp_path / "trace").write_text(trace)
    done = [acklab_process("run", f"{n}.toml", "--out", n, input=trace) for n in ("piped", "filed")]
    assert [d.returncode for d in done] == [0, 0], done[0].stderr
    assert (tmp_path / "piped" / "traces" / "stdin").read_text() == trace
    piped, filed = (pl.read_parquet(tmp_path / n / "flows.parquet") for n in ("piped", "filed"))
    assert piped.equals(filed)
    assert piped["goodput_mbps"][0] > 0


#: Loads a scenario whose trace comes from a pipe into which nobody writes, and gets a signal.
WAITS = """
import os, signal, sys, acklab

def raised(*_):
    raise InterruptedError("heard")

signal.signal(signal.SIGALRM, raised)
acklab.load("single-flow")  # What it imports is there before the signal comes.
read, write = os.pipe()
open("traced.toml", "w").write(sys.argv[1].format(f"/dev/fd/{read}"))
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    acklab.load("traced.toml")
except InterruptedError as e:
    print(e)
"""


def test_signals_are_heard_while_a_trace_is_read(tmp_path):
    # Left alone it would wait for ever.
    words = [sys.executable, "-c", WAITS, TRACED]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("heard\n", 0), done.stderr


#: Loads a large scenario and gets a signal when the core has it.
PARSES = """
import signal, acklab
from acklab import _core

class Heard(Exception):
    pass

def raised(*_):
    raise Heard

signal.signal(signal.SIGALRM, raised)
text = "[[flow]]\\nname = 'a'\\n" * 3_000_000
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    _core.load(text, "large", "toml", [], {}, ".")
except Heard:
    print("heard")
except _core.InvalidScenario:
    print("too late")
"""


def test_signals_are_heard_while_a_large_text_is_parsed(tmp_path):
    words = [sys.executable, "-c", PARSES]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.returncode) == ("heard\n", 0), done.stderr


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_the_command_line_ends_while_it_loads(sign, tmp_path):
    read, write = os.pipe()
    (tmp_path / "traced.toml").write_text(TRACED.format(f"/dev/fd/{read}"))
    words = [sys.executable, "-m", "acklab", "run", "traced.toml"]
    process = subprocess.Popen(
        words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, pass_fds=[read]
    )
    try:
        # It has asked for the trace once it has taken a byte of what waits for it.
        os.write(write, b"1\n")
        while unread(read):
            time.sleep(0.01)
        process.send_signal(sign)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(read)
        os.close(write)
    code = {signal.SIGINT: 130, signal.SIGTERM: 143}[sign]
    assert process.returncode == code, err
    assert "Traceback" not in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["traced.toml"]


def unread(pipe):
    """Bytes that wait in a pipe."""
    import array
    import fcntl
    import termios

    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def test_a_name_of_the_gallery_is_loaded_and_swept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert acklab.load("single-flow").name == "single-flow"
    made = acklab.sweep("single-flow", out="swept", seeds=1)
    assert made.complete
    # A file of that name comes first.
    (tmp_path / "single-flow").write_text((ROOT / "scenarios/pie.toml").read_text())
    assert acklab.load("single-flow").name == "pie"
