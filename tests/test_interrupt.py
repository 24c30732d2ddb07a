"""Ctrl-C and SIGTERM end a run at once and leave nothing."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from conftest import PATIENCE, SMALL_TOML

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
        [sys.executable, "-X", "importtime", "-m", "acklab", *args],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    try:
        # Starting the engine imports numpy last, however long all of it takes here.
        for line in process.stderr:
            if line.rstrip().endswith(" numpy"):
                break
        time.sleep(1)
        assert process.poll() is None
        process.send_signal(sign)
        # Left alone it would go on for longer.
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    code, word = ENDS[sign]
    assert process.returncode == code
    assert word in err
    assert "Traceback" not in err
    left = [p.name for p in tmp_path.rglob("*")]
    assert left == ["long.toml"]


#: Runs the command line and sends itself a signal at the first import of a module: the same moment
#: on a fast machine and on a busy one.
AT_IMPORT = """
import os, signal, sys

moment = sys.argv[1]

class Sender:
    def find_spec(self, name, *_):
        if name == moment:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Sender())
from acklab.__main__ import main
sys.argv[:2] = ["acklab"]
main()
"""

#: From the first module of the command line to those that a run needs at its end.
MODULES = [
    "acklab.cli",
    "typing",
    "typer",
    "acklab._core",
    "rich",
    "acklab.cli.run",
    "acklab.cli.guard",
    "acklab.scenario",
    "numpy",
    "numpy._core",
    "numpy._core._multiarray_umath",
    "polars",
    "polars._plr",
    "acklab.saving",
]


def test_hardly_anything_is_imported_before_ctrl_c_is_heard():
    """The imported modules are there at the interpreter's start, or take a millisecond."""
    code = (
        "import os, signal, sys; before = set(sys.modules); import acklab.__main__; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "acklab", "acklab.__main__", "acklab.errors"]


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("command", ["run", "sweep"])
def test_ctrl_c_at_an_import(tmp_path, module, command):
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    args = {
        "run": ["run", "small.toml", "--out", "r"],
        "sweep": ["sweep", "small.toml", "--grid", "flow.0.cc=cubic,bbr3", "--out", "s"],
    }[command]
    done = subprocess.run(
        [sys.executable, "-c", AT_IMPORT, module, *args],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if done.returncode == 0 and command == "sweep":
        assert module in ("acklab.cli.run", "acklab.saving"), "it was never imported"
        return
    assert done.returncode == 130, done.stderr
    assert "interrupted" in done.stderr
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr
    # The module that prints the summary is imported when the result is there.
    told = "the results are in r" if (tmp_path / "r").exists() else "nothing was written"
    assert command == "sweep" or told in done.stderr
    assert (tmp_path / "r").exists() == (command == "run" and module == "rich")


def test_ctrl_c_at_any_moment_of_a_run_and_of_a_sweep(tmp_path):
    """Moments by the clock; before its first import Python itself is starting."""
    (tmp_path / "small.toml").write_text(SMALL_TOML.replace('"3 s"', '"60 s"'))
    command = [sys.executable, "-X", "importtime", "-m", "acklab", "sweep", "small.toml"]
    command += ["--grid", "flow.0.cc=cubic,bbr3", "--seeds", "2000", "--jobs", "2"]
    for i, wait in enumerate((0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2)):
        process = subprocess.Popen(
            [*command, "--out", f"s{i}"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
        )
        seen = []
        for line in process.stderr:
            seen.append(line)
            if "typer" in line:
                break
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=PATIENCE)
        text = "".join(line for line in rest.splitlines(True) if "import time" not in line)
        assert process.returncode == 130, (wait, text)
        assert text.count("interrupted") == 1, (wait, text)
        assert "Traceback" not in text, (wait, text)


def test_ignored_signals_stay_ignored(tmp_path):
    """So a shell starts what it puts in the background."""
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = subprocess.run(
            [sys.executable, "-c", AT_IMPORT, "numpy", "run", "small.toml"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.returncode == 0, done.stderr


def test_a_signal_that_foreign_code_swallowed_is_heard_later(capsys, monkeypatch):
    from acklab.cli import guard

    def swallows():
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        guard.check_signals()

    def turns_it_into_something_else():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("cannot import numpy") from None

    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    try:
        for action in (swallows, turns_it_into_something_else):
            assert guard.guarded(action) == 130
            assert "interrupted" in capsys.readouterr().err
            # Told once: what comes later in the same process is not stopped by it.
            guard.check_signals()
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])


def test_a_signal_is_held_while_the_core_looks_for_numpy():
    from acklab.holding import held

    passed = []

    def block():
        with held(signal.SIGINT):
            signal.raise_signal(signal.SIGINT)
            passed.append("within")
        passed.append("after")

    with pytest.raises(KeyboardInterrupt):
        block()
    assert passed == ["within"]
