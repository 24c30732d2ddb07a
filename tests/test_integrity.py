"""A table that is not what the run left is never read as if it were."""

import json
import random
import shutil
import subprocess
import sys

import pytest

import acklab
from conftest import SMALL_TOML

TABLES = ("flows", "links", "series", "link_series")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("integrity")
    (folder / "small.toml").write_text(SMALL_TOML)
    words = [sys.executable, "-m", "acklab", "run", "small.toml", "--out", "r"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder / "r"


@pytest.mark.parametrize("seed", range(20))
def test_a_wrong_bit_is_noticed(run, tmp_path, seed):
    broken = shutil.copytree(run, tmp_path / "r")
    draw = random.Random(seed)
    path = broken / f"{draw.choice(TABLES)}.parquet"
    data = bytearray(path.read_bytes())
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)
    with pytest.raises(acklab.AcklabError, match=rf"{path.name}: it is not what the run left"):
        acklab.open(broken).table(path.stem)


def test_a_table_of_another_run_is_noticed(run, tmp_path):
    broken = shutil.copytree(run, tmp_path / "r")
    acklab.load(run / "scenario.toml").run(seed=2).links.write_parquet(broken / "flows.parquet")
    with pytest.raises(acklab.AcklabError, match="not what the run left"):
        _ = acklab.open(broken).flows


def test_a_table_that_is_gone_was_not_empty(run, tmp_path):
    broken = shutil.copytree(run, tmp_path / "r")
    (broken / "series.parquet").unlink()
    with pytest.raises(acklab.AcklabError, match="the run left it, and it is gone"):
        acklab.open(broken).plot.series()


def test_folders_from_before_there_were_sums_are_read(run, tmp_path):
    old = shutil.copytree(run, tmp_path / "r")
    about = json.loads((old / "run.json").read_text())
    newer = ("made", "sha256", "sum")
    (old / "run.json").write_text(json.dumps({k: v for k, v in about.items() if k not in newer}))
    assert acklab.open(old).flows.height == 1
    assert acklab.open(old).tables == sorted(TABLES)
