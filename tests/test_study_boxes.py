"""Figures of distributions and of several quantities in the page of a study."""

import re

import pytest

import kit_study
from acklab.report.paper import drawing, figures
from acklab.report.paper.drawing import Panel, Point, Series
from acklab.report.paper.sources import sources
from acklab.studies import built_in
from acklab.studies.kit import folder
from acklab.studies.kit.fields import Field
from acklab.studies.kit.flaws import Flaw
from acklab.studies.kit.numbers import Numbers
from made_up import numbers_of

FIGURE = """[[figure]]
id = "boxes"
title = "Boxes"
group = "main"
quantity = "goodput"
x = "ratio"
lines = "cc"
kind = "boxes"

[[figure]]
id = "two"
title = "Two quantities"
group = "main"
quantity = "goodput"
beside = ["rtt"]
x = "ratio"
panels = "cc"

[[figure]]"""


@pytest.fixture
def study(tmp_path):
    path = kit_study.write(tmp_path)
    kit_study.change(path / "study.toml", "[[figure]]", FIGURE)
    return path


def _rendered(study, name):
    """Five runs have 1, 2, 3, 4 and 10 Mbit/s, and ten times that in ms."""
    shape = study.vocabulary.shapes["main", "goodput"]
    runs = dict(enumerate((3.0, 1.0, 10.0, 2.0, 4.0), 1))
    delays = {seed: 10 * value for seed, value in runs.items()}
    fields = {"goodput": runs, "rtt": delays}
    ours = Numbers(
        {("main", n): Field(shape.axes, dict.fromkeys(shape.cells, of)) for n, of in fields.items()}
    )
    return figures.rendered(
        study, study.shown(name), sources(study, ours, study.setups("decides")[:1])
    )


def test_a_box_is_of_the_runs_where_no_quantities_are_named(study):
    study = folder.load(study)
    page = _rendered(study, "boxes")
    assert "the least and the largest of the runs" in page
    grid = study.vocabulary.grids["main"]
    boxes = re.findall(r'<rect class="mark l\d"[^>]* y="([\d.]+)"[^>]* height="([\d.]+)"', page)
    assert len(boxes) == len(grid["cc"]) * len(grid["ratio"])
    # Quartiles are 2 and 4, the ends 1 and 10: the box is two of nine units of the whiskers.
    top, high = map(float, boxes[0])
    ends = [float(y) for y in re.findall(r'<path class="bar l0" d="M[\d.]+ [\d.]+V([\d.]+)m', page)]
    low_end, high_end = ends[:2]
    assert (low_end - high_end) / high == pytest.approx(9 / 2, rel=0.02)
    assert low_end - (top + high) == pytest.approx(high / 2, abs=0.2)


def test_whiskers_and_quartiles_of_quantities():
    point = Point("a", 5.0, 1.0, 9.0, (4.0, 6.0))
    of = Panel("", [Series("s", 0, [point])], ["a"], ["a"], "boxes")
    bottom, top = drawing.bounds([of])
    assert bottom == 0
    assert top > 9
    svg = drawing.panel(of, "label", bottom, top, "x", "y")
    ends = [float(y) for y in re.findall(r'<path class="bar l0" d="M[\d.]+ [\d.]+V([\d.]+)m', svg)]
    y, high = map(
        float, re.search(r'<rect [^>]* y="([\d.]+)"[^>]* height="([\d.]+)"', svg).groups()
    )
    stroke = float(re.search(r'<path class="axis" d="M[\d.]+ ([\d.]+)h[\d.]+"/>', svg)[1])
    assert ends[0] - (y + high) == pytest.approx(1.5 * high, abs=0.2)
    assert y - ends[1] == pytest.approx(1.5 * high, abs=0.2)
    assert stroke == pytest.approx(y + high / 2, abs=0.1)


def test_several_quantities_are_lines_of_one_chart(study):
    study = folder.load(study)
    page = _rendered(study, "two")
    charts = page.count("<svg viewBox")
    assert charts == len(study.vocabulary.grids["main"]["cc"])
    assert page.count('<path class="line l0" d="M') == page.count('<path class="line l1" d="M')
    assert "means over the runs" in page


def test_marks_of_witnesses_at_one_place_stand_beside_each_other():
    theirs = [Series(name, look, [Point("a", 5.0)], 1) for look, name in enumerate("ab")]
    ours = [Series(name, look, [Point("a", 4.0)]) for look, name in enumerate("ab")]
    of = Panel("", [*ours, *theirs], ["a"], ["a"], "bars")
    svg = drawing.panel(of, "label", 0.0, 6.0, "x", "y")
    marks = re.findall(r'<path class="mark l\d theirs w0" d="M([\d.]+) ([\d.]+)', svg)
    (x1, y1), (x2, y2) = ((float(x), float(y)) for x, y in marks)
    assert y1 == y2
    assert x2 - x1 > 8


@pytest.mark.parametrize(
    ("what", "to", "told"),
    [
        ('kind = "boxes"', 'kind = "boxes"\nbox = ["rtt"]', "two quantities below the median"),
        ('lines = "cc"\nkind = "boxes"', 'kind = "bars"\nbeside = ["rtt"]', "`beside` is for"),
        ('beside = ["rtt"]', 'beside = ["rttt"]', "did you mean 'rtt'"),
    ],
)
def test_what_does_not_fit_is_told(study, what, to, told):
    kit_study.change(study / "study.toml", what, to)
    with pytest.raises(Flaw, match=re.escape(told)):
        folder.load(study)


def _over_time(keys):
    """A study's figure over the seconds of a run, drawn of made-up numbers at these seconds."""
    study = folder.load(built_in()["bbr-wifi6"])
    figure = study.shown("time5")
    ours = numbers_of(study, seconds=keys)
    return figures.rendered(study, figure, sources(study, ours, study.setups("decides")[:1]))


@pytest.mark.parametrize(
    ("keys", "labels"),
    [
        (range(3, 10), [3, 4, 5, 6, 7, 8, 9]),
        (range(3, 60), [10, 20, 30, 40, 50]),
        (range(5, 301), [50, 100, 150, 200, 250, 300]),
    ],
)
def test_over_time_round_seconds_have_labels(keys, labels):
    page = _over_time(keys)
    chart = page[: page.index("</svg></figure>")]
    across = re.findall(r'<text x="[\d.]+" y="170" text-anchor="middle">([^<]*)</text>', chart)
    assert [int(x) for x in across] == labels
    for told in re.findall(r'aria-label="[^"]*\bby time in s\. ([^"]*)"', page):
        lines = told.split("; ")
        ends = [re.fullmatch(r"\S+: [\d.]+ at (\d+), [\d.]+ Mbit/s at (\d+)", x) for x in lines]
        assert [e.groups() for e in ends] == [(str(keys[0]), str(keys[-1]))] * 2
