"""A folder with all that commands can be given wrongly: files, results, and damaged ones."""

import contextlib
import io
import json
import os
import shlex
import shutil
import signal
import sys
from pathlib import Path

import polars as pl
from typer.main import get_command

from acklab.cli import app
from acklab.cli.guard import guarded
from acklab.saving import digest
from acklab.sealed import sealed

#: Scenarios without a mistake; a case of the tables changes one of them.
BASES = {
    "wired": """\
name = "small"
duration = "3 s"

[topology]
preset = "dumbbell"
access = { rate = "100 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "10 ms", queue = "20 packets" }

[[flow]]
name = "bulk"
""",
    "bare": """\
duration = "3 s"

[topology]
preset = "dumbbell"
bottleneck = { rate = "10 Mbit/s", delay = "10 ms" }

[[flow]]
name = "bulk"
""",
    "radio": """\
duration = "3 s"

[topology]
preset = "wlan"
stations = 2

[[flow]]
count = 2
""",
    "ofdma": """\
duration = "3 s"

[topology]
preset = "wlan"
stations = 8
direction = "down"

[wifi]
standard = "ax"

[wifi.ofdma]
users = 4

[[flow]]
count = 8
""",
}

#: Scenario that the commands run: the wired one, shorter.
SHORT = BASES["wired"].replace('"3 s"', '"300 ms"\nsample_every = "20 ms"')

#: Files by name; none is a scenario that could run but `short.toml` and `other.toml`.
FILES: dict[str, str | bytes] = {
    **{f"{name}.toml": text for name, text in BASES.items()},
    "short.toml": SHORT,
    "other.toml": SHORT.replace("10 ms", "20 ms"),
    "file": "x\n",
    "empty.toml": "",
    "syntax.toml": "name = \n",
    "twice.toml": 'name = "a"\nname = "b"\n',
    "latin.toml": b"name = '\xe9'\n",
    "binary.toml": b"\x00\x01\x02",
    "words.json": '{"name": ',
    "list.json": "[1]",
    "folder/mine.txt": "mine",
    "nothing/.keep": "",
    "empty.trace": "",
    "back.trace": "5\n4\n",
    "words.trace": "1\ntwo\n",
    "latin.trace": b"1\n\xe9\n",
    "zero.trace": "0\n",
    "negative.trace": "-1\n",
    "sweep-both.toml": f'{SHORT}\n[sweep]\nscenario = "short.toml"\n',
    "sweep-absent.toml": '[sweep]\nscenario = "no-such.toml"\n',
    "sweep-number.toml": "[sweep]\nscenario = 3\n",
    "sweep-unknown.toml": f"{SHORT}\n[sweep]\ncolour = 3\n",
    "sweep-grid.toml": f"{SHORT}\n[sweep]\ngrid = 3\n",
    "sweep-seeds.toml": f'{SHORT}\n[sweep]\nseeds = "ten"\n',
    "sweep-values.toml": f'{SHORT}\n[sweep.grid]\n"flow.0.cc" = []\n',
    "sweep-unquoted.toml": f'{SHORT}\n[sweep.grid]\nflow.0.cc = ["reno"]\n',
    "study/study.toml": "name = \n",
}

#: Commands that make the folder's own results.
RESULTS = (
    "run short.toml --out run",
    "run other.toml --out other --seed 2",
    "sweep short.toml --grid sender:flow.0.cc=cubic,reno --seeds 2 --out sweep --quiet",
    "tack keygen k.key",
)


#: The command line, made once: `app` makes it anew for each call.
COMMAND = get_command(app)


def command(args: list[str]) -> tuple[int, str]:
    """Runs the command line in this process; its exit code and standard error."""
    told, stdin = io.StringIO(), sys.stdin
    handlers = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}
    # Input of commands that read the standard input.
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"not toml"))
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(told):
            code = guarded(lambda: COMMAND(args, standalone_mode=False, prog_name="acklab"))
    finally:
        sys.stdin = stdin
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return code, told.getvalue()


def build(place: Path) -> None:
    """Fills `place`, which is the current folder."""
    for name, content in FILES.items():
        path = place / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    with (place / "large.toml").open("wb") as large:
        # One letter more than a scenario can have; it takes no room on the disk.
        large.truncate((64 << 20) + 1)
    for line in RESULTS:
        code, told = command(shlex.split(line))
        assert code == 0, told
    _break_runs(place)
    _break_sweeps(place)


def _break_runs(place: Path) -> None:
    about = json.loads((place / "run" / "run.json").read_text())
    about.pop("sum")
    edited = (place / "run" / "run.json").read_text().replace('"seed": 1', '"seed": 2')
    markers = {
        "empty": b"",
        "latin": b"\xe9",
        "cut": b'{"seed": ',
        "list": b"[1]",
        "deep": b"[" * 100_000,
        "edited": edited.encode(),
        "seedless": sealed({k: v for k, v in about.items() if k != "seed"}).encode(),
        "future": sealed({**about, "format": 99}).encode(),
    }
    for name, content in markers.items():
        (_copy(place, "run", f"run-{name}") / "run.json").write_bytes(content)
    marker = _copy(place, "run", "run-marker-is-folder") / "run.json"
    marker.unlink()
    marker.mkdir()

    forged = _copy(place, "run", "run-forged")
    pl.DataFrame({"flow": ["x"], "goodput_mbps": [1.0]}).write_parquet(forged / "flows.parquet")
    short = _copy(place, "run", "run-table-cut") / "series.parquet"
    short.write_bytes(short.read_bytes()[:100])
    (_copy(place, "run", "run-table-gone") / "series.parquet").unlink()
    folder = _copy(place, "run", "run-table-is-folder") / "flows.parquet"
    folder.unlink()
    folder.mkdir()
    (_copy(place, "run", "run-scenario-edited") / "scenario.toml").write_text("name = ")
    # Forged with a sum that fits: the columns are another table's, or it is no table at all.
    for name, write in {
        "run-columns": pl.DataFrame({"colour": ["x"]}).write_parquet,
        "run-no-parquet": lambda path: path.write_bytes(b"PAR1 and nothing more"),
    }.items():
        other = _copy(place, "run", name)
        write(other / "series.parquet")
        sums = {**about["sha256"], "series.parquet": digest(other / "series.parquet")}
        (other / "run.json").write_text(sealed({**about, "sha256": sums}))


def _break_sweeps(place: Path) -> None:
    text = (place / "sweep" / "sweep.json").read_text()
    about = json.loads(text)
    about.pop("sum")
    for name, content in {
        "empty": "",
        "list": "[1]",
        "edited": text.replace('"cells": 2', '"cells": 3'),
        "future": sealed({**about, "format": 99}),
    }.items():
        (_copy(place, "sweep", f"sweep-{name}") / "sweep.json").write_text(content)
    for shard in (_copy(place, "sweep", "sweep-cut") / "flows").iterdir():
        shard.write_bytes(shard.read_bytes()[:100])
    shutil.rmtree(_copy(place, "sweep", "sweep-gone") / "flows")


def _copy(place: Path, what: str, name: str) -> Path:
    shutil.copytree(place / what, place / name)
    return place / name


def snapshot(place: Path) -> dict[str, tuple[int, int]]:
    """Contents of `place`, with sizes and times of writing; equal if nothing was written."""
    found = {}
    for folder, _, files in os.walk(place):
        found[folder] = (0, 0)
        for name in files:
            about = os.stat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = (about.st_size, about.st_mtime_ns)
    return found
