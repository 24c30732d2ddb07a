"""Validation: every row of the references is rebuilt, and the verdicts follow the criteria."""

import csv
from collections import defaultdict

import pytest

import acklab
from acklab.places import in_repository
from acklab.validate import compare, kernel_rows, ns3_rows
from acklab.validate.criteria import KERNEL, NS3, Tolerance
from acklab.validate.ns3 import parse


def test_every_row_of_the_kernel_is_in_a_cell():
    rows = kernel_rows()
    with (in_repository("validation") / "kernel" / "results.csv").open() as f:
        assert sum(len(r.values["goodput"]) + r.disturbed for r in rows) == len(
            list(csv.DictReader(f))
        )


def test_every_row_of_ns3_is_there():
    with (in_repository("validation") / "ns3" / "wired.csv").open() as f:
        assert len(ns3_rows()) == len(list(csv.DictReader(f)))


def test_every_scenario_loads():
    for reference in kernel_rows() + kernel_rows(lateness=True) + ns3_rows():
        for scenario in reference.scenarios:
            acklab.load(scenario)


def test_each_repeat_of_the_kernel_has_the_lateness_that_was_measured_in_it():
    (cell,) = [r for r in kernel_rows(lateness=True) if r.name == "main 10M48ms bbr 4"]
    links = [s["link"][0] for s in cell.scenarios]
    assert len(links) == len(cell.values["goodput"]) == 3
    assert links[0]["jitter"] == {"median": "33.3 us", "p99": "673.5 us", "max": "7428.0 us"}
    assert links[0]["reverse"]["jitter"]["p99"] == "794.2 us"
    (ideal,) = [r for r in kernel_rows() if r.name == cell.name]
    (scenario,) = ideal.scenarios
    assert "jitter" not in scenario["link"][0] | scenario["link"][0]["reverse"]


def test_arguments_of_the_ns3_program():
    args = parse("wired --tag=x --tcp=cubic --thin=8 --devq=40")
    assert (args["tcp"], args["thin"], args["devq"]) == ("cubic", "8", "40")
    assert (args["delack"], args["buf"]) == ("2", "131072")


def test_tolerances():
    t = Tolerance(0.25, absolute=20)
    assert t.holds(30, 14)
    assert t.holds(120, 100)
    assert not t.holds(130, 100)


def test_comparing_says_how_far_off(acklab_cli, tmp_path):
    cells = [r for r in kernel_rows() if r.name == "main 10M48ms reno 1"]
    (comparison,) = compare(cells, seeds=1)
    goodput = comparison.metrics[0]
    assert goodput.low <= goodput.reference <= goodput.high
    assert abs(goodput.error) < 0.03
    assert {"reference", "acklab", "error", "verdict"} <= set(comparison.rows()[0])


def test_the_command_writes_one_row_per_metric(acklab_cli, tmp_path):
    done = acklab_cli("validate", "ns3", "--seeds", 1, "--out", "v")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "v" / "validation.csv").open() as f:
        assert len(list(csv.DictReader(f))) == 4 * len(ns3_rows())


@pytest.fixture(scope="module")
def verdicts():
    """Of all cells: by source and metric, whether each cell is close enough."""
    found = defaultdict(list)
    for comparison in compare(kernel_rows() + ns3_rows(), seeds=5):
        for metric in comparison.metrics:
            found[comparison.reference.source, metric.name].append(metric.ok)
    return found


def test_the_criteria_are_the_published_ones():
    assert Tolerance(0.02) == NS3["goodput"]
    assert {
        "goodput": Tolerance(0.03),
        "retransmissions": Tolerance(0.25, absolute=20),
        "cwnd": Tolerance(0.15),
    } == KERNEL


@pytest.mark.parametrize(
    ("source", "metric", "least", "cells"),
    [
        ("ns3", "goodput", 55, 55),
        ("kernel", "goodput", 29, 30),
        ("kernel", "cwnd", 30, 30),
        ("kernel", "retransmissions", 23, 30),
    ],
)
def test_the_accuracy_is_no_worse_than_it_was(verdicts, source, metric, least, cells):
    judged = verdicts[source, metric]
    assert len(judged) == cells
    assert None not in judged
    assert sum(judged) >= least
