"""The charts on pages of studies: drawn from numbers beside them, which runs give again."""

import csv
import importlib.util
from statistics import fmean

import pytest

import acklab
from acklab.studies.queue_map import cells, quantities
from acklab.studies.study import Effort
from conftest import ROOT

PAGES = ROOT / "docs/studies"


@pytest.fixture(scope="module")
def figures():
    spec = importlib.util.spec_from_file_location("study_figures", ROOT / "docs/study_figures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["bbr-wifi6", "queue-map"])
def test_a_figure_is_drawn_and_its_page_shows_it(figures, name):
    drawn = figures.drawn(name)
    assert drawn == figures.drawn(name)
    assert drawn.rstrip().endswith("</svg>")
    assert (PAGES / f"{name}.svg").exists()
    assert f"]({name}.svg)" in (PAGES / f"{name}.md").read_text()


@pytest.mark.parametrize(("queue", "cc"), [("fq-codel", "cubic"), ("cake", "vegas")])
def test_points_of_the_map_are_made_again(queue, cc):
    """On the slow line, three seeds."""
    lines = (PAGES / "queue-map.csv").read_text().splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert len(rows) == 3 * 5 * 6
    (row,) = (r for r in rows if (r["rate"], r["queue"], r["cc"]) == ("5", queue, cc))
    scenario = acklab.load(cells._cell(Effort(3), "idle", "one", cc, queue, 5, 20))
    runs = list(acklab.run_many([(scenario, seed) for seed in (1, 2, 3)], jobs=1))
    for name in ("filled", "delay_p95"):
        mean = fmean(getattr(quantities, name).of(run) for run in runs)
        assert float(row[name]) == pytest.approx(mean, abs=0.006), name
