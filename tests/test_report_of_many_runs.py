"""The report of a sweep of 100,000 runs: bounded memory, a page that a phone opens."""

import json
import subprocess
import sys

import polars as pl
import pytest

import acklab
import sweeping
from acklab.report.summed import summed
from conftest import PATIENCE

#: Memory that 100,000 runs may take beyond 2,000, in MB. Their table of flows alone has 160.
MOST = 160

REPORTS = """
import json, resource, sys
from pathlib import Path
import acklab
from acklab.report.swept import write_sweep_report
told = []
for folder in map(Path, sys.argv[1:]):
    page = write_sweep_report(acklab.open(folder), folder / "report.html")
    told.append((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, page.stat().st_size))
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def sweeps(tmp_path_factory):
    """2,000 runs, and 100,000."""
    at = tmp_path_factory.mktemp("many")
    return [sweeping.many(at / f"s{cells}", cells, 5) for cells in (400, 20_000)]


@pytest.fixture(scope="module")
def told(sweeps):
    done = subprocess.run(
        [sys.executable, "-c", REPORTS, *map(str, sweeps)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_memory_does_not_grow_with_the_table(told):
    (few, _), (many, _) = told
    assert many - few < MOST


def test_the_page_stays_small_and_says_what_it_leaves_out(sweeps, told):
    assert max(size for _, size in told) < 5_000_000
    page = (sweeps[1] / "report.html").read_text()
    assert "20,000 cells with 5 seeds each, 100,000 runs." in page
    assert page.count("<tr data-keys=") == 1000
    assert "The first 1,000 of 20,000 cells." in page
    assert "The flows of a run are taken together" in page


def test_sums_of_shards_are_those_of_the_whole_table(sweeps):
    result = acklab.open(sweeps[0])
    ours = summed(result).runs
    whole = result.flows.group_by("run", maintain_order=True)
    by_hand = whole.agg(pl.col("goodput_mbps").sum(), pl.col("rtt_p95_ms").mean())
    assert ours["run"].to_list() == by_hand["run"].to_list()
    for column in ("goodput_mbps", "rtt_p95_ms"):
        assert ours[column].to_list() == pytest.approx(by_hand[column].to_list())
