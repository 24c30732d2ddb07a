"""Figures of ellipses in the page of a study."""

import math
import re
from itertools import pairwise

import pytest

import kit_study
from acklab.report.paper import ellipses, figures
from acklab.report.paper.sources import sources
from acklab.studies.kit import folder
from acklab.studies.kit.fields import Field
from acklab.studies.kit.flaws import Flaw
from acklab.studies.kit.numbers import Numbers

FIGURE = """[[figure]]
id = "both"
title = "Both"
group = "main"
quantity = "goodput"
against = "rtt"
x = "ratio"
lines = "cc"
kind = "ellipses"

[[figure]]"""


def test_an_ellipse_is_one_standard_deviation():
    """Two independent pairs: the axes are the standard deviations, long one first."""
    e = ellipses.ellipse_of([(-2, 0), (2, 0), (0, -1), (0, 1)])
    assert (e.x, e.y) == (0, 0)
    assert (e.long, e.short) == pytest.approx((math.sqrt(8 / 3), math.sqrt(2 / 3)))
    assert e.angle == pytest.approx(0)


def test_an_ellipse_lies_along_its_points():
    e = ellipses.ellipse_of([(0, 0), (1, 1), (2, 2)])
    assert e.angle == pytest.approx(45)
    # The variance along the diagonal is that of 0, sqrt 2 and 2 sqrt 2.
    assert (e.long, e.short) == pytest.approx((math.sqrt(2), 0), abs=1e-9)
    assert ellipses.ellipse_of([(0, 0), (1, 1)]) is None


@pytest.fixture
def study(tmp_path):
    path = kit_study.write(tmp_path)
    kit_study.change(path / "study.toml", "[[figure]]", FIGURE)
    return path


def _numbers(study):
    """Goodput rises and RTT falls with the seed, but for one run without a delay."""
    shape = study.vocabulary.shapes["main", "goodput"]
    goodput = {key: {1: 8.0, 2: 9.0, 3: 10.0} for key in shape.cells}
    rtt = {key: {1: 100.0, 2: 10.0, 3: 0.0} for key in shape.cells}
    fields = {"goodput": goodput, "rtt": rtt}
    return Numbers({("main", name): Field(shape.axes, of) for name, of in fields.items()})


def test_less_delay_is_to_the_right_and_more_goodput_is_higher(study):
    study = folder.load(study)
    figure = study.shown("both")
    mine = sources(study, _numbers(study), study.setups("decides"))
    page = figures.rendered(study, figure, mine)
    assert "less to the right" in page
    assert page.count("<ellipse") == len(study.vocabulary.grids["main"]["cc"])
    dots = re.findall(r'<circle class="mark l0" cx="([\d.]+)" cy="([\d.]+)"', page)
    (x1, y1), (x2, y2) = (map(float, dot) for dot in dots[:2])
    assert x1 < x2
    assert y1 > y2
    ratios = len(study.vocabulary.grids["main"]["ratio"])
    # A delay of nothing has no place on a logarithmic scale.
    assert len(dots) == 2 * ratios


def test_names_do_not_cover_each_other(study):
    study = folder.load(study)
    mine = sources(study, _numbers(study), study.setups("decides"))
    page = figures.rendered(study, study.shown("both"), mine)
    chart = page[: page.index("</svg></figure>")].rpartition("<svg viewBox")[2]
    below = [float(y) for y in re.findall(r'class="beside"[^>]* y="([\d.]+)"', chart)]
    # All clouds are the same here.
    assert len(below) > 1
    assert all(b - a >= 11 for a, b in pairwise(below))


@pytest.mark.parametrize(
    ("what", "to", "told"),
    [
        ('against = "rtt"\n', "", "ellipses need `lines`"),
        ('lines = "cc"\nkind = "ellipses"', 'kind = "ellipses"', "ellipses need `lines`"),
        ('against = "rtt"', 'against = "rttt"', "did you mean 'rtt'"),
        ('kind = "ellipses"', 'kind = "bars"', "`against` is for ellipses"),
    ],
)
def test_what_is_missing_is_told(study, what, to, told):
    kit_study.change(study / "study.toml", what, to)
    with pytest.raises(Flaw, match=re.escape(told)):
        folder.load(study)
