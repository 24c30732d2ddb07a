"""Why the RTT of `acklab model` over the air differs from the simulation: one cause at a time."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from acklab.fluid.bbr_model import Bbr
from acklab.fluid.beside import modelled, simulated
from acklab.fluid.case import case_of
from acklab.scenario import load

WARM, LENGTH = 10, 30
SINGLE = {"ampdu": "off", "amsdu": "off"}


def cell(n, cc, direction="up", wifi=None):
    """The case, a run's series after the warm-up, and its flows."""
    wire = {"rate": "1 Gbit/s", "delay": "10 ms"}
    scenario = load(
        {
            "name": "cell",
            "duration": f"{LENGTH} s",
            "warmup": f"{WARM} s",
            "record": {"every": "20 ms"},
            "topology": {"preset": "wlan", "stations": n, "direction": direction, "wire": wire},
            "wifi": {"standard": "n", "mcs": 7, **(wifi or {})},
            "flow": [{"count": n, "cc": cc, "start_jitter": "100 ms"}],
        }
    )
    result = scenario.run(1)
    series = result.series.filter(pl.col("time_s") > WARM)
    return case_of(scenario.resolved), series, simulated(result)


def rtt(flows) -> float:
    return float(np.median([f["rtt"] for f in flows]))


@pytest.mark.parametrize("cc", ["bbr1", "bbr3"])
@pytest.mark.parametrize(
    ("n", "direction", "wifi"),
    [(1, "up", {}), (2, "up", {}), (2, "down", {}), (2, "up", SINGLE)],
)
def test_bbr_believes_in_more_than_the_mean(monkeypatch, cc, n, direction, wifi):
    """BBR takes the largest of rates that the air makes vary: it paces a tenth to a third above
    what arrives. A fluid has the mean alone, so that its RTT is 30 to 50 % short. Given the
    recorded factor, and nothing else, at least three tenths of the error go."""
    case, series, theirs = cell(n, cc, direction, wifi)
    arrives = np.mean([f["goodput"] for f in theirs]) * 1500 / 1448
    factor = series["pacing_mbps"].median() / arrives
    assert 1.05 < factor < 1.4
    before = rtt(modelled(case, case.runs(1)[0])) / rtt(theirs) - 1
    assert before < -0.25
    monkeypatch.setattr(Bbr, "exceeds", factor)
    after = rtt(modelled(case, case.runs(1)[0])) / rtt(theirs) - 1
    assert abs(after) < 0.7 * abs(before)


@pytest.mark.parametrize("cc", ["newreno", "cubic"])
def test_uploads_that_fight_lose_more_than_a_fluid(cc):
    """Five uploads: packets are lost tens of times as often as in the model, where a queue loses
    one when it overflows in the mean. So windows are shorter, and the RTT a fraction."""
    case, series, theirs = cell(5, cc)
    trace = case.runs(1)[0]
    ours = modelled(case, trace)
    assert np.mean([f["lost"] for f in theirs]) > 20 * np.mean([f["lost"] for f in ours])
    inflight = trace.inflight[trace.time > WARM].mean()
    assert inflight > 1.4 * series["inflight_bytes"].mean() / 1448
    assert rtt(ours) > 2 * rtt(theirs)


@pytest.mark.parametrize("cc", ["newreno", "cubic", "bbr1", "bbr3"])
def test_equation_15_holds_for_the_recorded_queue_without_aggregation(cc):
    """What is in flight over what arrives is the RTT within 5 %: the model has the window wrong
    there, not Eq 15."""
    _, series, theirs = cell(2, cc, "up", SINGLE)
    arrives = np.mean([f["goodput"] for f in theirs]) * 1e6 / 8
    expected = series["inflight_bytes"].mean() / arrives
    assert expected == pytest.approx(series["rtt_ms"].mean() / 1e3, rel=0.05)
