"""`--json` and `--quiet` of every command, and the codes that commands end with.

The commands are those that the command line has: one that is new is missing in `LINES` until it has
a line here, and fails.
"""

import json
import os
import shlex
import signal
import subprocess
import sys

import pytest
from typer.main import get_command

from acklab.cli import app
from conftest import PATIENCE, SMALL_TOML

TACK_TOML = """\
name = "tacky"
duration = "1 s"
[topology]
preset = "dumbbell"
access = { rate = "100 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "5 ms", queue = "40 packets" }
[[flow]]
transport = "tack"
"""

#: A line of each command, and the keys of what it prints as JSON; of a list, of its first row.
LINES = {
    "new": ("new made.toml", {"file", "template"}),
    "list": ("list cc", {"name", "about", "aliases", "source", "params"}),
    "doctor": ("doctor", {"findings"}),
    "run": (
        "run small.toml --out run",
        {"scenario", "seed", "version", "folder", "flows", "links"}
        | {"queue_classes", "airtime", "stations", "expectations"},
    ),
    "sweep": (
        "sweep small.toml -g flow.0.cc=cubic,reno --seeds 2 --out swept",
        {"folder", "cells", "seeds", "runs", "there", "done", "seconds"},
    ),
    "reproduce": ("reproduce mine --quick --seeds 1", {"studies", "report"}),
    "plot": ("plot kept series", {"plot", "files"}),
    "report": ("report kept", {"file"}),
    "compare": ("compare kept other -m goodput_mbps", {"metric", "result", "mean"}),
    "explain": ("explain goodput_mbps", {"name", "meanings"}),
    "dissector": ("dissector tack.lua", {"file"}),
    "check": ("check small.toml", {"file", "warnings", "recorded", "scenario"}),
    "model": (
        "model small.toml --seeds 1 --set 'topology.bottleneck.rate=5 Mbit/s'",
        {"folder", "seeds", "scenario", "lines", "cycles", "eq8", "not_in_the_model", "fits"},
    ),
    "twin": ("twin tacky.toml", {"folder", "scenario", "seed", "lines", "relay"}),
    "validate": ("validate ns3 --seeds 1", {"file", "cells", "within", "alike", "rows"}),
    "schema": ("schema", {"$schema", "properties"}),
    "study new": ("study new my-study", {"folder"}),
    "study check": ("study check mine", {"study", "counts"}),
    "study words": ("study words flat", {"name", "about", "example"}),
    "study cell": (
        "study cell mine main setup=linux cc=cubic ratio=1 --quick",
        {"folder", "report", "numbers"},
    ),
    "study report": ("study report mine", {"report"}),
    "tack keygen": ("tack keygen k.key", {"file", "public"}),
}

#: Those that wait for others until somebody ends them, each with what it prints first.
SERVERS = {
    "bench": ("bench small.toml --no-open", {"address"}),
    "tack recv": ("tack recv --listen 127.0.0.1:0 --key own.key", {"event", "at", "command"}),
    "tack proxy": (
        "tack proxy --serve 127.0.0.1:0 --to localhost:9 --key own.key",
        {"event", "at", "command"},
    ),
    "tack perf": ("tack perf --listen 127.0.0.1:0 --key own.key", {"event", "at", "command"}),
}

#: Those that need one of these at the other end.
CLIENTS = {"tack send"}


def commands(group=None, name=""):
    """Every command by the words that call it."""
    group = get_command(app) if group is None else group
    for word, of in group.commands.items():
        full = f"{name} {word}".strip()
        if hasattr(of, "commands"):
            yield from commands(of, full)
        else:
            yield full, of


ALL = dict(commands())


def test_every_command_has_both_options():
    assert len(ALL) >= 25
    for name, command in ALL.items():
        options = {o for p in command.params for o in p.opts}
        assert {"--json", "--quiet", "-q"} <= options, name
        helps = {p.name: p.help for p in command.params if p.name in ("json_", "quiet")}
        assert len(helps) == 2, name


def test_every_command_is_tried_here():
    assert {*LINES, *SERVERS, *CLIENTS} == set(ALL)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with what the lines of the table read."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "small.toml").write_text(SMALL_TOML)
    (folder / "tacky.toml").write_text(TACK_TOML)
    for line in (
        "run small.toml --out kept",
        "run small.toml --seed 2 --out other",
        "study new mine",
        "reproduce mine --quick --seeds 1",
        "tack keygen own.key",
    ):
        done = told(line, folder)
        assert done.returncode == 0, done.stderr
    return folder


def told(line, place):
    return subprocess.run(
        started(line), cwd=place, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT
    )


def started(line):
    words = shlex.split(line)
    if words[:1] != ["bench"]:
        return [sys.executable, "-m", "acklab", *words]
    # Without the page that `make web` builds it is only served, not shown.
    code = "import sys; from acklab import bench, cli; bench.page = lambda: b'<p>'; cli.main()"
    return [sys.executable, "-c", code, *words]


ENVIRONMENT = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}


def keys(value):
    """The keys of what was printed; of a list, of its first row."""
    return set(value[0] if isinstance(value, list) else value)


@pytest.mark.parametrize("name", LINES)
def test_json_is_all_that_is_printed(name, place):
    line, wanted = LINES[name]
    done = told(f"{line} --json", place)
    assert done.returncode == 0, done.stderr
    # Numbers that JSON does not have would be read as floats.
    value = json.loads(done.stdout, parse_constant=pytest.fail)
    assert wanted <= keys(value)


@pytest.mark.parametrize("name", LINES)
def test_quiet_prints_nothing(name, place):
    again = {"new": " --force", "study new": " --out elsewhere"}.get(name, "")
    done = told(LINES[name][0].replace("k.key", "k2.key") + again + " -q", place)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_says_in_a_line_where_it_is(name, place):
    line, wanted = SERVERS[name]
    with subprocess.Popen(
        started(f"{line} --json"), cwd=place, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as server:
        try:
            assert keys(json.loads(server.stdout.readline())) == wanted
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(PATIENCE) == 130


@pytest.mark.parametrize("how", ["--json", "--quiet"])
def test_both_ends_of_a_transfer(how, place, tmp_path):
    with subprocess.Popen(
        started(f"tack recv --listen 127.0.0.1:0 --key own.key --out {tmp_path}/got --json"),
        cwd=place,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as receiver:
        at = json.loads(receiver.stdout.readline())["at"]
        sent = told(f"tack send small.toml --to {at} --key own.key {how}", place)
        received = json.loads(receiver.stdout.readline())
        assert receiver.wait(PATIENCE) == 0
    assert sent.returncode == 0, sent.stderr
    assert received["bytes"] == (place / "small.toml").stat().st_size
    if how == "--quiet":
        assert (sent.stdout, sent.stderr) == ("", "")
    else:
        assert json.loads(sent.stdout)["sha256"] == received["sha256"]


#: Exit codes of commands; signals have tests of their own (`test_interrupt`, `test_stopped`).
CODES = {
    "--version": 0,
    "": 0,
    "tack": 0,
    "study": 0,
    "run small.toml --strict": 0,
    "run small.toml --strict --set 'expect.flow.bulk.goodput.min=50 Mbit/s'": 1,
    "run absent.toml": 1,
    "run small.toml --set flow.0.cc=qubic": 1,
    "rnu small.toml": 2,
    "run": 2,
    "run small.toml --sed 3": 2,
    "run small.toml --seed three": 2,
    "run small.toml --json --quiet": 2,
    "tack frobnicate": 2,
    "compare kept other --report --by cc": 2,
}


@pytest.mark.parametrize("line", CODES)
def test_exit_codes(line, place):
    done = told(line, place)
    assert done.returncode == CODES[line], done.stderr
    if done.returncode == 2:
        assert done.stderr.startswith("error: ")


def test_the_help_names_every_code(place):
    shown = " ".join(told("--help", place).stdout.split())
    for code in (0, 1, 2, 70, 130, 143):
        assert f"{code}: " in shown
