"""Figures of ellipses in the page of a study."""

import math
import re
from dataclasses import astuple
from itertools import combinations

import pytest

import kit_study
from acklab.report.paper import ellipses, figures
from acklab.report.paper.ellipses import Cloud
from acklab.report.paper.placing import Box, Chart, placed
from acklab.report.paper.sources import sources
from acklab.studies import built_in
from acklab.studies.kit import folder
from acklab.studies.kit.fields import Field
from acklab.studies.kit.flaws import Flaw
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.page import on_paper
from conftest import in_a_browser

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
#: Where the letters of the names are, in units of the chart.
BOXES = """[...document.querySelectorAll('text.beside')].map((name) => {
  const box = name.getBBox();
  return [box.x, box.y + 2, box.x + box.width, box.y + box.height - 2];
})"""
#: The middles of its dots and marks.
POINTS = """[...document.querySelectorAll('circle.mark, .multiples path.mark')].map((mark) => {
  const box = mark.getBBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
})"""


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


def _cover(boxes):
    """Pairs of rectangles (left, top, right, bottom) that have a part in common."""
    return [
        (a, b)
        for a, b in combinations(boxes, 2)
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]


#: Names and marks as in the map of queues: at one place, close to each other, at an edge.
MIDDLES = {
    "one place": [("FIFO, 1000 packets", (120, 90)), ("CoDel", (120, 90)), ("PIE", (120, 90))],
    "close": [(f"BBRv{n}", (125.0 + n, 33.0 + n)) for n in (1, 2, 3)] + [("CUBIC", (92, 42))],
    "six at a corner": [(name, (280.0, 190.0)) for name in ("a", "bb", "ccc", "dddd", "e", "ff")],
    "apart": [("CAKE", (60, 60)), ("PIE", (160, 120))],
}


@pytest.mark.parametrize("name", MIDDLES)
def test_names_cover_no_other_name_no_mark_and_no_dot(name):
    dots = [(x, y) for x in range(60, 280, 40) for y in range(20, 190, 40)]
    frame = Box(43, 1, 299, 195)
    found = placed(MIDDLES[name], Chart(frame, dots))
    boxes = [astuple(n.box) for n in found]
    assert _cover(boxes) == []
    marks = [mark for _, mark in MIDDLES[name]]
    assert not any(n.box.has(point) for n in found for point in [*marks, *dots])
    assert all(n.box.within(frame) for n in found)
    # One that does not stand beside its mark has a thread that begins there.
    for n in found:
        far = math.dist(n.mark, n.box.nearest(n.mark))
        assert (n.thread is not None) == (far > 9)
        assert n.thread is None or n.thread[0] == n.mark
    assert placed(MIDDLES[name], Chart(frame, dots)) == found


def test_a_name_alone_stands_to_the_right_of_its_mark():
    (name,) = placed([("CAKE", (60, 60))], Chart(Box(43, 1, 299, 195), []))
    assert (name.box.left, name.thread) == (67, None)
    assert name.at == (67, 63)


#: Delay and share of each queue at 5 Mbit/s, about as in the map of queues.
QUEUES = {
    "FIFO, 1000 packets": (44, 0.958),
    "CoDel": (5.8, 0.950),
    "PIE": (9.3, 0.957),
    "FQ-CoDel": (5.9, 0.949),
    "CAKE": (4.6, 0.940),
}
#: Runs about these.
ABOUT = [(0.5, 0.008), (0.8, -0.004), (1.2, 0.003), (1.9, -0.006), (1.1, 0.001)]


@in_a_browser
@pytest.mark.parametrize("width", [400, 1280])
def test_in_a_browser_names_cover_nothing(open_page, tmp_path, width):
    """The letters are as wide as the browser draws them."""
    study = folder.load(built_in()["queue-map"])
    lines = [
        Cloud(name, look, [(x * times, y + more) for times, more in ABOUT])
        for look, (name, (x, y)) in enumerate(QUEUES.items())
    ]
    drawn = ellipses.row(study, study.shown("ellipses"), [("5 Mbit/s", lines)])
    path = tmp_path / "ellipses.html"
    path.write_text(on_paper("Ellipses", f'<header class="top"></header>{drawn}'))
    tab = open_page(path.as_uri())
    tab.set_viewport_size({"width": width, "height": 900})
    boxes = tab.evaluate(BOXES)
    assert len(boxes) == len(QUEUES)
    assert _cover(boxes) == []
    points = tab.evaluate(POINTS)
    assert len(points) == len(QUEUES) * (1 + len(ABOUT))
    covered = [p for p in points for b in boxes if b[0] < p[0] < b[2] and b[1] < p[1] < b[3]]
    assert covered == []


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
