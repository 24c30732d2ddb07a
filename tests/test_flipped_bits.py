"""One wrong bit in a file that is kept and read again: made anew, or an error, and never used."""

import random
import shutil
from functools import partial

import pytest

import acklab
from acklab.studies.kit import make, new
from acklab.studies.kit.folder import load
from acklab.studies.study import Effort
from acklab.sweeps import store, sums
from conftest import SMALL
from sweeping import GRID, TINY, Stop, content, stop_after, swept

TABLES = ("flows", "links", "series", "link_series")
RECORDED = TINY | {"record": {"every": "50 ms"}}


def flipped(path, draw):
    """Changes one bit; where, for the message of a test that fails."""
    data = bytearray(path.read_bytes())
    at, bit = draw.randrange(len(data)), draw.randrange(8)
    data[at] ^= 1 << bit
    path.write_bytes(data)
    return f"{path.name}, byte {at}, bit {bit}"


def files(folder):
    return sorted(p for p in folder.rglob("*") if p.is_file() and p.stat().st_size)


def places(folder, of_each, seed):
    """A number of bits of each file, each with a generator of its own."""
    for path in files(folder):
        for i in range(of_each):
            yield path.relative_to(folder), random.Random(f"{seed} {path.name} {i}")


def error(action):
    """The message for the user; `None` if all goes well."""
    try:
        action()
    except acklab.AcklabError as e:
        return str(e)
    return None


def whole(folder):
    """The files of a complete sweep but for what the user typed."""
    found = content(folder)
    return {name: data for name, data in found.items() if name != "sweep.json"}


def begin(folder, after=None):
    def run():
        return acklab.sweep(
            RECORDED,
            grid=GRID,
            seeds=5,
            out=folder,
            jobs=1,
            on_progress=None if after is None else stop_after(after),
        )

    if after is None:
        run()
    else:
        with pytest.raises(Stop):
            run()


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr(store, "SHARD_RUNS", 7)


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("after", [10, None])
def test_a_sweep_goes_on_from_what_is_whole(after, tmp_path):
    good, begun = tmp_path / "good", tmp_path / "begun"
    begin(good)
    begin(begun, after)
    wanted = whole(good)
    mended = 0
    for name, draw in places(begun, 6 if after else 3, after):
        folder = tmp_path / "s"
        shutil.copytree(begun, folder)
        where = flipped(folder / name, draw)
        said = error(partial(begin, folder))
        if said is None:
            assert whole(folder) == wanted, where
            mended += 1
        else:
            assert "s/" in said, where
            assert "help:" in said, where
        shutil.rmtree(folder)
    assert mended


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("after", [10, None])
def test_what_is_read_of_a_sweep_is_what_was_written(after, tmp_path):
    begun = tmp_path / "begun"
    begin(begun, after)
    good = acklab.open(begun)
    wanted = {t: good.table(t) for t in TABLES}
    refused = 0
    for name, draw in places(begun, 6, after):
        folder = tmp_path / "s"
        shutil.copytree(begun, folder)
        where = flipped(folder / name, draw)

        def read(folder=folder, where=where):
            found = acklab.open(folder)
            assert found.manifest == good.manifest, where
            assert found.scenarios == good.scenarios, where
            for table in TABLES:
                assert found.table(table).equals(wanted[table]), where
                assert found.scan(table).collect().equals(wanted[table]), where

        said = error(read)
        assert said is None or "s/" in said, where
        refused += said is not None
        shutil.rmtree(folder)
    assert refused


def test_the_first_page_of_a_journal(tmp_path):
    """The page of the schema: what is wrong there was called a bug, again and again."""
    swept(tmp_path / "good")
    wanted = whole(tmp_path / "good")
    begun = tmp_path / "begun"
    with pytest.raises(Stop):
        swept(begun, on_progress=stop_after(10), jobs=1)
    # Rows in the log go into the database.
    plan = acklab.sweeps.plan.plan(acklab.source.read(TINY), GRID, [], 5, [])
    with store.opened(begun, plan, "") as opened:
        opened._journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = (begun / ".journal").read_bytes()
    draw = random.Random(1)
    meant = [i for i in range(4096) if data[i]]
    for at in draw.sample(meant, 40):
        folder = tmp_path / "s"
        shutil.copytree(begun, folder)
        bit = 1 << draw.randrange(8)
        (folder / ".journal").write_bytes(data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :])
        swept(folder)
        assert whole(folder) == wanted, (at, bit)
        shutil.rmtree(folder)


@pytest.mark.usefixtures("small_shards")
def test_a_line_of_the_sums_that_is_gone_costs_its_runs_only(tmp_path):
    begin(tmp_path / "good")
    folder = tmp_path / "s"
    begin(folder)
    path = folder / sums.NAME
    lines = path.read_text().splitlines(keepends=True)
    for gone in (0, 1, 6, len(lines) - 1):
        path.write_text("".join(lines[:gone] + lines[gone + 1 :]))
        begin(folder)
        assert whole(folder) == whole(tmp_path / "good"), lines[gone]


@pytest.mark.usefixtures("small_shards")
def test_what_was_mended_is_told(acklab_cli, tiny_file, tmp_path):
    words = ("sweep", tiny_file, "--seeds", 5, "--out", "s")
    assert acklab_cli(*words).returncode == 0
    for name in ("scenario.toml", "SHA256SUMS", "flows/0-4.parquet"):
        flipped(tmp_path / "s" / name, random.Random(name))
        done = acklab_cli(*words)
        assert done.returncode == 0, done.stderr
        assert f"note: {'' if '/' in name else tmp_path / 's'}" in done.stderr
        assert name in done.stderr
        assert acklab_cli(*words).stderr == ""


def test_what_is_read_of_a_run_is_what_was_written(tmp_path):
    scenario = acklab.load(SMALL)
    good = tmp_path / "good"
    good.mkdir()
    from acklab.saving import save

    save(scenario.run(), good, "acklab run small.toml")

    def everything(folder):
        run = acklab.open(folder)
        about = (run.name, run.seed, run.version, run.command, run.cost, run.recorded)
        tables = {t: run.table(t).to_dict(as_series=False) for t in run.tables}
        return repr((about, run.expectations(), run.resolved, tables))

    wanted, found = everything(good), []
    refused = 0
    for name, draw in places(good, 40, "run"):
        folder = tmp_path / "s"
        shutil.copytree(good, folder)
        where = flipped(folder / name, draw)
        said = error(lambda folder=folder: found.append(everything(folder)))
        assert found.pop() == wanted if said is None else "s/" in said, where
        refused += said is not None
        shutil.rmtree(folder)
    assert refused


def published(folder):
    return {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_study_goes_on_from_what_is_whole(tmp_path, monkeypatch):
    new.write_new("kept", tmp_path)
    study = load(tmp_path / "kept")
    effort, runs = Effort(1, quick=True), []
    make.make(study, effort, tmp_path / "good", 1, lambda *of: runs.append(of))
    wanted = published(tmp_path / "good")

    def stops(done, total):
        if done == total - 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make.make(study, effort, tmp_path / "begun", 1, stops)
    # The last run may have been kept before it was stopped.
    shutil.copytree(tmp_path / "begun", tmp_path / "whole")
    runs.clear()
    make.make(study, effort, tmp_path / "whole", 1, lambda *of: runs.append(of))
    again, left = 0, len(runs)
    for name, draw in places(tmp_path / "begun", 9, "study"):
        out = tmp_path / "s"
        shutil.copytree(tmp_path / "begun", out)
        where = flipped(out / name, draw)
        runs.clear()
        make.make(study, effort, out, 1, lambda *of: runs.append(of))
        assert published(out) == wanted, where
        # A line that is damaged is one run more.
        again += len(runs) > left
        shutil.rmtree(out)
    assert again
