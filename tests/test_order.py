"""A flow looks the same in every panel and figure, and flows stand in the scenario's order."""

import copy
import json
import re

import pytest
from matplotlib.colors import to_hex

import acklab
from acklab.plots.drawn import Choice
from acklab.plots.kinds import KINDS, recorded
from acklab.plots.series import tidy
from acklab.plots.style import CATEGORICAL, dash_pixels
from acklab.saving import save
from conftest import SMALL

RECORD = {"every": "10 ms", "events": True, "acks": True, "packets": True}


def spec(*flows):
    base = copy.deepcopy({k: v for k, v in SMALL.items() if k != "sample_every"})
    return {**base, "record": RECORD, "flow": list(flows)}


@pytest.fixture(scope="module")
def result():
    """Names against the alphabet; only the second is paced; the third comes late."""
    return acklab.load(
        spec(
            {"name": "z", "cc": "cubic"},
            {"name": "m", "cc": "bbr3"},
            {"name": "a", "cc": "bbr3", "start": "1 s"},
        )
    ).run()


def colours(ax):
    """Of the lines that carry a name."""
    handles, names = ax.get_legend_handles_labels()
    drawn = {
        n: getattr(h, "get_color", getattr(h, "get_edgecolor", None))
        for h, n in zip(handles, names, strict=True)
    }
    return {name: to_hex(of()).upper() for name, of in drawn.items()}


EXPECTED = dict(zip("zma", CATEGORICAL, strict=False))


@pytest.mark.parametrize("kind", ["series", "fairness", "cdf", "ack-spacing", "ellipse"])
@pytest.mark.parametrize("flows", [None, ["m"], ["a", "m"]])
def test_a_flow_has_one_colour(result, kind, flows):
    if kind == "fairness" and flows == ["m"]:
        pytest.skip("fairness is of several")
    figure = KINDS[kind].draw(recorded(result), Choice(flows=flows)).figure
    seen = [colours(ax) for ax in figure.axes]
    for panel in seen:
        for name in set(panel) & set(EXPECTED):
            assert panel[name] == EXPECTED[name].upper(), (kind, name)
    assert any(set(panel) & set(EXPECTED) for panel in seen)


def test_the_paced_flow_has_its_colour_in_the_panel_that_it_has_alone(result):
    figure = result.plot.series(flows=["z", "m"]).figure
    pacing = next(ax for ax in figure.axes if ax.get_ylabel().startswith("pacing"))
    assert colours(pacing) == {"m": EXPECTED["m"].upper()}


def test_boxes_have_the_flows_colours(result):
    figure = KINDS["box"].draw(recorded(result), Choice(flows=["a"])).figure
    [patch] = figure.axes[0].patches
    assert to_hex(patch.get_facecolor()).upper() == EXPECTED["a"].upper()


@pytest.mark.parametrize("saved", [False, True])
def test_ten_comes_after_nine(tmp_path, saved):
    result = acklab.load(spec({"name": "f", "count": 12})).run()
    names = result.flows["flow"].to_list()
    assert names[10:] == [f"f-{i}" for i in (10, 11)]
    if saved:
        save(result, tmp_path, "")
        result = acklab.open(tmp_path)
    source = recorded(result)
    data = tidy(source, Choice())
    for quantity in ("goodput", "cwnd", "srtt"):
        own = data.filter(data["quantity"] == quantity)
        assert own["name"].unique(maintain_order=True).to_list() == names
    for kind in ("phases", "ack-spacing", "segments-per-ack", "box", "cdf", "ellipse"):
        data = KINDS[kind].draw(source, Choice()).data
        column = "flow" if "flow" in data.columns else "group"
        assert data[column].unique(maintain_order=True).to_list() == names, kind
    fairness = KINDS["fairness"].draw(source, Choice()).data
    assert fairness.group_by("time_s", maintain_order=True).first()["flow"][-1] == names[0]


def test_dollars_in_names_are_dollars(tmp_path):
    result = acklab.load(spec({"name": "a$\\bad{$"}, {"name": "$b$"})).run()
    of_others = {"heatmap", "line", "air-timeline", "airtime", "ampdu-sizes"}
    for kind in set(KINDS) - of_others:
        drawn = KINDS[kind].draw(recorded(result), Choice())
        drawn.save(tmp_path / kind)
    figure = result.plot.ack_spacing().figure
    texts = {t.get_text() for t in figure.legends[0].get_texts()}
    assert texts == {"a$\\bad{$", "$b$"}


def test_logarithmic_axes_have_no_formulas(tmp_path):
    from acklab.plots import style

    figure, axes = style.figure(1, 1, (3, 3))
    axes[0][0].plot([1, 1000], [1, 1000])
    axes[0][0].set(xscale="log", yscale="log")
    style.save(figure, tmp_path / "a")
    labels = [t.get_text() for t in axes[0][0].get_xticklabels()]
    assert any(labels)
    assert not any("$" in t for t in labels)


def test_the_charts_of_a_report_have_the_colours_of_its_figures(result):
    from acklab.report.build import build
    from acklab.report.run import _sections

    page = build("t", sections=list(_sections(recorded(result))))
    specs = [json.loads(t) for t in re.findall(r'type="application/json">(.*?)</script>', page)]
    charts = [s for s in specs if {n["name"] for n in s.get("lines", [])} & set(EXPECTED)]
    assert len(charts) >= 5
    for chart in charts:
        for line, colour, dashes in zip(
            chart["lines"], chart["light"], chart["dashes"], strict=True
        ):
            if line["name"] in EXPECTED:
                place = list(EXPECTED).index(line["name"])
                assert colour == EXPECTED[line["name"]]
                assert dashes == dash_pixels(place)
