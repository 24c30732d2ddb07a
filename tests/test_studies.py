"""Studies: every artefact is a table with the promised columns, and the references are found."""

import math

import polars as pl
import pytest

from acklab.stats import estimate
from acklab.studies import STUDIES
from acklab.studies.ack_aggregation import references
from acklab.studies.ack_aggregation.cells import cells
from acklab.studies.study import Effort

COLUMNS = ["paper", "acklab", "ci_low", "ci_high", "seeds"]


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    from acklab.studies.reproduce import reproduce

    study = STUDIES["ack-aggregation"]
    out = tmp_path_factory.mktemp("out")
    return out, reproduce(study, study.artefacts, Effort(2, quick=True), out)


@pytest.mark.parametrize("name", ["table1", "fig2", "fig3", "fig4"])
def test_artefacts_have_their_columns(reproduced, name):
    table = pl.read_csv(reproduced[1].tables[name], infer_schema_length=None)
    start = 3 + (name in ("fig2", "fig3"))
    assert table.columns[start : start + 5] == COLUMNS
    assert table["acklab"].is_finite().all()
    assert (table["seeds"] == 2).all()
    keys = table.columns[:start]
    assert table.select(keys).is_unique().all()


def test_table1_has_the_papers_and_the_references_numbers(reproduced):
    table = pl.read_csv(reproduced[1].tables["table1"], infer_schema_length=None)
    row = {(r["stack"], r["cc"], r["ratio"]): r for r in table.iter_rows(named=True)}
    assert len(row) == (6 + 5) * 5
    assert row["ns3", "cubic", 16]["paper"] == 1.96
    assert row["ns3", "cubic", 16]["ns3"] == 9.5331
    assert row["linux", "newreno", 4]["linux"] == pytest.approx(9.5174)
    assert row["linux", "bbr3", 1]["linux"] is None


def test_the_report_stands_alone(reproduced):
    out, written = reproduced
    page = written.report.read_text()
    assert written.report == out / "ack-aggregation" / "report.html"
    assert page.count("data:image/svg+xml,") == 3
    assert "Table 1: average throughput" in page


def test_one_artefact_alone(acklab_cli, tmp_path):
    args = ("reproduce", "ack-aggregation/table1", "--quick", "--seeds", 1, "--out", "o")
    done = acklab_cli(*args)
    assert done.returncode == 0, done.stderr
    assert [p.name for p in (tmp_path / "o" / "ack-aggregation").iterdir()] == ["table1.csv"]


def test_the_dumbbell_is_the_one_of_the_thesis():
    cell = cells(Effort(1))[2]
    assert cell.keys == {"stack": "linux", "cc": "bbr3", "ratio": 4}
    topology = cell.scenario["topology"]
    assert topology["access"]["rate"] == "100 Mbit/s"
    assert topology["bottleneck"]["delay"] == "20 ms"
    assert topology["bottleneck"]["reverse"]["ack_filter"]["ratio"] == 4
    assert (cell.scenario["start"], cell.scenario["duration"]) == ("2 s", "60 s")


def test_references_are_those_of_the_files():
    assert references.ns3("newreno", 1, "retx_segs") == 100
    assert references.ns3("bbr3", 1, "goodput_mbps") is None
    assert references.linux("newreno", 4, "goodput_mbps") == pytest.approx(9.5174)
    assert references.linux("vegas", 1, "goodput_mbps") is None


def test_estimates():
    e = estimate([1.0, 2.0, 3.0])
    # 4.303 is the 97.5 % quantile of Student's t with two degrees of freedom.
    assert (e.mean, e.n) == (2.0, 3)
    assert e.high - e.mean == pytest.approx(4.30265 / math.sqrt(3), rel=1e-5)
    assert math.isnan(estimate([1.0]).low)
    assert estimate([]).n == 0
