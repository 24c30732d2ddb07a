"""Data files for Flent: what Flent makes of them, against what the run says."""

import csv
import gzip
import importlib.util
import io
import json
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import acklab
from acklab.formats import write_flent
from conftest import PATIENCE
from recordings import lossy, recorded

needs_flent = pytest.mark.skipif(
    not importlib.util.find_spec("flent"), reason="flent is not installed"
)

UPLOADS = ["TCP upload::1", "TCP upload::2"]


@pytest.fixture(scope="module")
def result():
    return recorded()


@pytest.fixture(scope="module")
def file(result, tmp_path_factory):
    return write_flent(result, tmp_path_factory.mktemp("flent") / "lossy.flent.gz")


def flent(file, *options):
    """Flent's output, without a word of complaint beside it."""
    words = [sys.executable, "-m", "flent", "-i", str(file), *options]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
    said = [line for line in done.stderr.splitlines() if not harmless(line)]
    assert (done.returncode, said) == (0, []), done.stderr
    return "".join(line for line in done.stdout.splitlines(True) if not harmless(line.strip()))


def harmless(line):
    greetings = ("Starting Flent", "Started Flent", "Running as user", "Initialised matplotlib")
    return line.startswith(greetings)


def goodput(result, index):
    flow = result.flows["flow"][index]
    return result.series.filter(pl.col("flow") == flow, pl.col("time_s") > 0)["goodput_mbps"]


@needs_flent
def test_flents_summary_has_our_means(result, file):
    text = flent(file, "-f", "summary")
    assert "Title: 'lossy'" in text
    for index, name in enumerate(UPLOADS):
        mean, median = re.search(rf"{name} *: +(\S+) +(\S+)", text).groups()
        ours = goodput(result, index)
        assert float(mean) == pytest.approx(ours.mean(), abs=0.01)
        assert float(median) == pytest.approx(ours.median(), abs=0.01)
    ping = float(re.search(r"Ping \(ms\) ICMP *: +(\S+)", text).group(1))
    by_time = result.series.group_by("time_s").agg(pl.col("rtt_ms").mean())["rtt_ms"]
    assert ping == pytest.approx(by_time.mean(), abs=0.01)


@needs_flent
def test_flents_table_is_ours(result, file):
    rows = list(csv.DictReader(io.StringIO(flent(file, "-f", "csv"))))
    for index, name in enumerate(UPLOADS):
        theirs = [float(r[name]) for r in rows if r[name]]
        assert theirs == pytest.approx(goodput(result, index).drop_nulls().to_list())
    fair = [float(r["TCP upload fairness"]) for r in rows if r["TCP upload fairness"]]
    assert 0.5 <= min(fair) < max(fair) <= 1.0 + 1e-9


@needs_flent
@pytest.mark.parametrize("plot", ["totals", "upload_with_ping", "ping_cdf", "tcp_cwnd", "tcp_rtt"])
def test_flent_draws_it(file, tmp_path, plot):
    picture = tmp_path / "a.png"
    flent(file, "-p", plot, "-o", str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_goodput_adds_up_to_what_was_received(result, file):
    data = json.loads(gzip.decompress(file.read_bytes()))
    step = data["metadata"]["STEP_SIZE"]
    for index, name in enumerate(UPLOADS):
        mbit = np.nansum(np.array(data["results"][name], dtype=float)) * step
        assert mbit * 1e6 / 8 == pytest.approx(result.flows["received_bytes"][index], rel=1e-6)
    sums = np.nansum(np.array([data["results"][n] for n in UPLOADS], dtype=float), axis=0)
    assert data["results"]["TCP upload sum"] == pytest.approx(sums.tolist())


def test_the_same_run_gives_the_same_bytes(result, file, tmp_path):
    again = write_flent(result.scenario.run(seed=3), tmp_path / "b.flent.gz")
    assert again.read_bytes() == file.read_bytes()


def test_without_samples_it_says_how_to_take_some(tmp_path):
    with pytest.raises(acklab.AcklabError, match=r'every = "10 ms"'):
        write_flent(acklab.load(lossy() | {"record": {}}).run(), tmp_path / "a.flent.gz")
    rare = lossy() | {"record": {"every": "1 h"}}
    with pytest.raises(acklab.AcklabError, match="shorter than the run"):
        write_flent(acklab.load(rare).run(), tmp_path / "a.flent.gz")
    assert list(tmp_path.iterdir()) == []
