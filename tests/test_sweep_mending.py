"""Sweeps that stop, go on, and mend what was broken."""

import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

import acklab
from acklab import code
from acklab.sealed import sealed, unsealed
from acklab.sweeps import store
from conftest import PATIENCE
from sweeping import GRID, TINY, TINY_TOML, Stop, content, stop_after, swept

pytestmark = pytest.mark.usefixtures("small_shards")


def test_a_sweep_goes_on_where_it_was(tmp_path):
    swept(tmp_path / "whole")
    for n in (1, 6, 7, 12, 20):
        folder = tmp_path / f"after-{n}"
        with pytest.raises(Stop):
            swept(folder, on_progress=stop_after(n), jobs=2)
        assert not acklab.open(folder).complete
        seen = []
        swept(folder, on_progress=lambda done, total, seen=seen: seen.append(done), jobs=2)
        assert seen == list(range(n, 21))
        assert content(folder) == content(tmp_path / "whole")


def test_a_finished_sweep_does_nothing(tmp_path):
    swept(tmp_path / "s")
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "s").rglob("*.*")}
    seen = []
    swept(tmp_path / "s", on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(20, 20)]
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "s").rglob("*.*")} == before


@pytest.mark.parametrize("harm", ["truncate", "flip", "delete", "empty"])
@pytest.mark.parametrize("whole", [True, False])
def test_broken_shards_are_done_again(tmp_path, harm, whole):
    swept(tmp_path / "good")
    folder = tmp_path / "s"
    if whole:
        swept(folder)
    else:
        with pytest.raises(Stop):
            swept(folder, on_progress=stop_after(17), jobs=1)
    shard = folder / "flows" / "07-13.parquet"
    data = shard.read_bytes()
    broken = {
        "truncate": data[: len(data) // 2],
        "flip": data[:200] + bytes([data[200] ^ 1]) + data[201:],
        "empty": b"",
    }
    shard.unlink() if harm == "delete" else shard.write_bytes(broken[harm])
    with pytest.raises(acklab.AcklabError, match="give the command of the sweep again"):
        acklab.open(folder).table("flows")
    seen = []
    swept(folder, on_progress=lambda done, total: seen.append(done))
    assert seen == list(range(13 if whole else 10, 21))
    assert content(folder) == content(tmp_path / "good")


def test_a_broken_journal_is_told_and_done_again(tmp_path, capsys):
    swept(tmp_path / "good")
    folder = tmp_path / "s"
    with pytest.raises(Stop):
        # One after the other: of two threads one may wait while the other does all ten.
        swept(folder, on_progress=stop_after(10), jobs=1)
    for path in folder.glob(".journal*"):
        path.write_bytes(b"not a database at all" * 999)
    plan = acklab.sweeps.plan.plan(acklab.source.read(TINY), GRID, [], 5, [])
    with store.opened(folder, plan, "") as again:
        assert "was corrupt" in again.notes[0]
        # The full shard is listed elsewhere, too.
        assert again.done == 7
    swept(folder)
    assert content(folder)["SHA256SUMS"] == content(tmp_path / "good")["SHA256SUMS"]


def test_a_run_whose_bytes_changed_in_the_journal_is_done_again(tmp_path):
    swept(tmp_path / "good")
    folder = tmp_path / "s"
    with pytest.raises(Stop):
        swept(folder, on_progress=stop_after(5), jobs=1)
    with sqlite3.connect(folder / ".journal") as db:
        assert db.execute("UPDATE runs SET tables = x'00' WHERE run = 3").rowcount == 1
    db.close()
    seen = []
    swept(folder, on_progress=lambda done, total: seen.append(done))
    assert seen[0] == 4
    assert content(folder) == content(tmp_path / "good")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seeds": 6}, "seeds: 5 there, 6 here"),
        (
            {"grid": {"flow.0.cc": ["cubic"]}},
            r"grid: flow.0.cc=cubic,bbr3 .* there, flow.0.cc=cubic h",
        ),
        ({"overrides": ["duration=200 ms"]}, "--set: {} there, {'duration': '200 ms'} here"),
    ],
)
def test_another_sweep_in_the_folder(tmp_path, change, said):
    swept(tmp_path / "s")
    before = content(tmp_path / "s")
    with pytest.raises(acklab.AcklabError, match=said):
        swept(tmp_path / "s", **change)
    assert content(tmp_path / "s") == before


def test_another_scenario_in_the_folder(tiny_file, tmp_path):
    acklab.sweep(tiny_file, seeds=2, out=tmp_path / "s")
    tiny_file.write_text("# The same, said otherwise.\n" + TINY_TOML.replace("300 ms", "0.3 s"))
    with pytest.raises(acklab.AcklabError, match="the scenario is not the one in"):
        acklab.sweep(tiny_file, seeds=2, out=tmp_path / "s")
    tiny_file.write_text("# A comment changes nothing.\n" + TINY_TOML)
    acklab.sweep(tiny_file, seeds=2, out=tmp_path / "s")


def test_folders_of_other_versions_and_broken_manifests(tmp_path):
    swept(tmp_path / "s", seeds=1)
    path = tmp_path / "s" / "sweep.json"
    good = unsealed(path.read_bytes())
    for change, said in [
        ({"format": 3}, "written by a newer acklab: format 3"),
        ({"kind": "else"}, "corrupt"),
        ({"format": "x"}, "corrupt"),
    ]:
        path.write_text(sealed(good | change))
        with pytest.raises(acklab.AcklabError, match=said):
            swept(tmp_path / "s", seeds=1)
        path.write_text(json.dumps(json.loads(sealed(good)) | change))
        with pytest.raises(acklab.AcklabError, match="corrupt: it is not what was written"):
            acklab.open(tmp_path / "s")
    for text in ("", "{", "[]", '{"kind": "sweep", "format": 1}', "\x00"):
        path.write_text(text)
        for use in (lambda: swept(tmp_path / "s", seeds=1), lambda: acklab.open(tmp_path / "s")):
            with pytest.raises(acklab.AcklabError, match=r"sweep.json is corrupt"):
                use()


@pytest.mark.parametrize("whole", [True, False])
def test_a_sweep_that_another_build_began(tmp_path, whole, monkeypatch):
    folder = tmp_path / "s"
    monkeypatch.setattr(code, "of_runs", lambda: "0123456789abcdef")
    if whole:
        swept(folder)
    else:
        with pytest.raises(Stop):
            swept(folder, on_progress=stop_after(10))
    monkeypatch.undo()
    before = content(folder)
    with pytest.raises(acklab.AcklabError) as e:
        swept(folder)
    version = acklab.__version__
    assert f"begun by acklab {version} (build 0123456789abcdef), this is acklab" in str(e.value)
    assert f"this is {code.name()}" in str(e.value)
    assert "help: " in str(e.value)
    assert "--out" in str(e.value)
    assert content(folder) == before
    # It can be read as it is.
    assert acklab.open(folder).flows.height == (20 if whole else 7)


def test_a_sweep_from_before_builds_were_noted(tmp_path):
    folder = tmp_path / "s"
    swept(folder)
    path = folder / "sweep.json"
    about = unsealed(path.read_bytes()) | {"format": 1}
    newer = ("build", "made", "sha256")
    path.write_text(json.dumps({k: v for k, v in about.items() if k not in newer}))
    with pytest.raises(acklab.AcklabError, match="its build was not noted"):
        swept(folder)
    assert acklab.open(folder).flows.height == 20


def test_the_build_is_of_the_core_and_of_what_makes_tables(tmp_path, monkeypatch):
    package = tmp_path / "acklab"
    shutil.copytree(code._PACKAGE, package)
    monkeypatch.setattr(code, "_PACKAGE", package)

    def build():
        code.of_runs.cache_clear()
        return code.of_runs()

    try:
        first = build()
        assert build() == first
        (package / "plots" / "cdf.py").write_text("# a figure is no result")
        assert build() == first
        for name in ("_core.abi3.so", "sweeps/packing.py", "scenario.py"):
            before = build()
            with (package / name).open("ab") as f:
                f.write(b"#")
            assert build() != before
    finally:
        code.of_runs.cache_clear()


def test_two_sweeps_in_one_folder(tmp_path, acklab_cli, tiny_file):
    plan = acklab.sweeps.plan.plan(acklab.source.read(tiny_file), {}, [], None, [])
    with store.opened(tmp_path / "s", plan, ""):
        done = acklab_cli("sweep", tiny_file, "--out", "s")
    assert done.returncode == 1
    assert "another sweep is writing to" in done.stderr
    assert acklab_cli("sweep", tiny_file, "--out", "s").returncode == 0


@pytest.mark.parametrize("most", [0, 5000, 60_000])
def test_a_full_disk_keeps_what_is_finished(acklab_cli, acklab_process, tiny_file, tmp_path, most):
    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    args = ("sweep", tiny_file, "--seeds", "40", "--jobs", 1, "--out")
    stopped = acklab_process(*args, "s", preexec_fn=full)
    assert stopped.returncode == 1, stopped
    assert f"cannot write results to {tmp_path / 's'}" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert acklab_cli(*args, "whole").returncode == 0
    done = acklab_cli(*args, "s")
    assert done.returncode == 0, done.stderr
    assert content(tmp_path / "s") == content(tmp_path / "whole")


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_keep_what_is_finished(sign, code, tiny_file, tmp_path):
    command = ["sweep", "tiny.toml", "--seeds", "100000", "--jobs", "2", "--out", "s"]
    process = subprocess.Popen(
        [sys.executable, "-m", "acklab", *command],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    limit = time.monotonic() + PATIENCE
    log = tmp_path / "s" / ".journal-wal"
    while not (log.exists() and log.stat().st_size > 200_000) and time.monotonic() < limit:
        time.sleep(0.05)
    process.send_signal(sign)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert "finished runs are kept" in err
    assert "nothing was written" not in err
    assert "Traceback" not in err
    plan = acklab.sweeps.plan.plan(acklab.source.read(tiny_file), {}, [], 100_000, [])
    with store.opened(tmp_path / "s", plan, "") as kept:
        assert kept.done > 0


def test_a_folder_that_was_moved_is_the_same_sweep(tmp_path):
    swept(tmp_path / "s")
    shutil.move(tmp_path / "s", tmp_path / "elsewhere")
    assert acklab.open(tmp_path / "elsewhere").complete
    seen = []
    swept(tmp_path / "elsewhere", on_progress=lambda done, total: seen.append(done))
    assert seen == [20]
