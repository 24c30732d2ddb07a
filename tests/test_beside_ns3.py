"""What ns-3's own single runs say beside a verdict."""

import pytest

from acklab.studies.ack_aggregation import references
from acklab.studies.ack_aggregation.beside import beside, unbacked
from acklab.studies.ack_aggregation.evidence import Evidence
from acklab.studies.ack_aggregation.findings import RATIOS
from acklab.studies.ack_aggregation.findings_fairness import FAIRNESS
from acklab.studies.ack_aggregation.findings_rates import RATES
from acklab.studies.ack_aggregation.findings_throughput import THROUGHPUT
from acklab.studies.ack_aggregation.findings_vegas import VEGAS
from acklab.studies.runs import Runs

FINDINGS = {f.id: f for f in (*THROUGHPUT, *RATES, *VEGAS, *FAIRNESS)}
CONTROLLERS = ("bbr3", "cubic", "newreno", "vegas")


@pytest.fixture(scope="module")
def inferred():
    """acklab has nothing, ns-3 its tables of the inferred set-up."""
    alone = {("thesis", cc, r): references.ns3_thesis(cc, r) for cc in CONTROLLERS for r in RATIOS}
    pairs = {
        ("thesis", pair, r): references.ns3_thesis_fairness(pair, r)
        for pair in ("vegas-vegas", "newreno-newreno", "newreno-vegas")
        for r in RATIOS
    }
    return Evidence({}, {}, {}, {}, {}, ns3=alone | pairs)


@pytest.mark.parametrize(
    ("name", "numbers", "told"),
    [
        ("T1-vegas-baseline", "Vegas 1.76 / 8.56 / 8.52 / 2.62 / 5.56 Mbit/s", "holds"),
        ("T1-bbr-stable", "BBRv3 8.83 / 6.67 / 6.55 / 6.49 / 6.63 Mbit/s", "holds"),
        ("T1-cubic-collapse", "CUBIC 9.00 / 8.53 / 8.53 / 8.50 / 8.56 Mbit/s", "does not"),
        ("T2-vegas", "vegas-vegas, Jain's index 1.000 / 0.627 / 0.978 / 0.503 / 0.503", "holds"),
        # Of a pair ns-3's table has the index, not who has more.
        (
            "T3-newreno-vegas",
            "newreno-vegas, Jain's index 0.544 / 0.569 / 0.970 / 0.502 / 0.503",
            "its tables alone cannot tell",
        ),
        # A single start differs from no other.
        (
            "T1-vegas-sparser",
            "Vegas 1.76 / 8.56 / 8.52 / 2.62 / 5.56 Mbit/s",
            "one start cannot tell",
        ),
    ],
)
def test_a_rule_is_asked_of_ns3s_single_runs(inferred, name, numbers, told):
    text = f"ns-3.44, inferred set-up, one run: {numbers} ({told})"
    assert beside(FINDINGS[name], inferred) == [text]


def test_a_row_about_something_else_has_no_numbers_of_ns3(inferred):
    assert beside(FINDINGS["F2-bbr-drops"], inferred) == []


def test_what_ns3_was_not_run_with_is_named():
    stated = Evidence(
        {}, {}, {}, {}, {}, runs=Runs({}), ns3={("ns3", "cubic", r): 9.0 for r in RATIOS}
    )
    assert unbacked(FINDINGS["F2-bbr-drops"], stated, "ns3") == ["bbr3"]
    assert unbacked(FINDINGS["F2-cubic-steady"], stated, "ns3") == []


def test_the_table_has_both(reproduced):
    import polars as pl

    rows = pl.read_csv(reproduced[1].tables["claims"])
    numbers = dict(rows.select("id", "numbers").iter_rows())
    assert numbers["T1-vegas-baseline"].endswith("2.62 / 5.56 Mbit/s (holds)")
    told = [n for n in numbers.values() if "no ns-3 run beside it" in n]
    assert all("as stated, ns-3 stack" in n.split("no ns-3 run")[0] for n in told)
    verdicts = dict(rows.select("id", "verdict").iter_rows())
    beside_it = {i for i, n in numbers.items() if "no ns-3 run beside it" in n}
    assert {verdicts[i] for i in beside_it} == {"reproduced"}
