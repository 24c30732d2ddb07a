"""Why the RTT of `acklab model` over the air differs from the simulation: one cause at a time."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from acklab.fluid.air import Air
from acklab.fluid.bbr_model import Bbr
from acklab.fluid.beside import modelled, simulated
from acklab.fluid.scenario_case import case_of
from acklab.scenario import load

WARM, LENGTH = 10, 30
SINGLE = {"ampdu": "off", "amsdu": "off"}


def described(n, cc, direction="up", wifi=None, length=LENGTH, **record):
    wire = {"rate": "1 Gbit/s", "delay": "10 ms"}
    return load(
        {
            "name": "cell",
            "duration": f"{length} s",
            "warmup": f"{WARM} s",
            "record": {"every": "20 ms", **record},
            "topology": {"preset": "wlan", "stations": n, "direction": direction, "wire": wire},
            "wifi": {"standard": "n", "mcs": 7, **(wifi or {})},
            "flow": [{"count": n, "cc": cc, "start_jitter": "100 ms"}],
        }
    )


def cell(n, cc, direction="up", wifi=None):
    """The case, a run's series after the warm-up, and its flows."""
    scenario = described(n, cc, direction, wifi)
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
    assert 1.05 < factor < 1.5
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
    # `Trace.inflight` leaves out what takes an access or whose ACK waits for one.
    window = trace.window[trace.time > WARM].mean()
    assert window > 1.9 * series["inflight_bytes"].mean() / 1448
    assert rtt(ours) > 2 * rtt(theirs)


@pytest.mark.parametrize("cc", ["newreno", "cubic", "bbr1", "bbr3"])
def test_equation_15_holds_for_the_recorded_queue_without_aggregation(cc):
    """Bytes in flight over goodput are the RTT within 5 %: the model has the window wrong
    there, not Eq 15."""
    _, series, theirs = cell(2, cc, "up", SINGLE)
    arrives = np.mean([f["goodput"] for f in theirs]) * 1e6 / 8
    expected = series["inflight_bytes"].mean() / arrives
    assert expected == pytest.approx(series["rtt_ms"].mean() / 1e3, rel=0.05)


def acks_of(result, flow: str) -> tuple[np.ndarray, np.ndarray]:
    """When the sending server hears ACKs of a flow, s, and how old their time stamps are, ms."""
    own = result.packets.filter(
        (pl.col("flow") == flow) & (pl.col("point") == "server") & (pl.col("time_ns") > WARM * 1e9)
    )
    sent = own.filter((pl.col("what") == "sent") & (pl.col("len") > 0))
    began = (sent["ts_val"].cast(pl.Float64) - sent["time_ns"] / 1e6).median()
    heard = own.filter((pl.col("what") == "delivered") & (pl.col("direction") == "reverse"))
    at = heard["time_ns"].to_numpy() / 1e9
    return at, at * 1e3 - (heard["ts_ecr"].to_numpy() - began)


@pytest.mark.parametrize("cc", ["newreno", "cubic"])
def test_a_recorded_rtt_is_that_of_the_last_ack_of_many(cc):
    """Downloads: ACKs come twenty at a time, in an A-MPDU. The latest RTT that a record has is that
    of the last of them, which waited least for the station's access: a tenth to a quarter below the
    mean of all ACKs. That mean is what is in flight over what arrives, and the model's RTT is a
    mean."""
    result = described(2, cc, "down", length=16, packets=True).run(1)
    for flow in result.flows["flow"]:
        at, rtts = acks_of(result, flow)
        bursts = 1 + np.count_nonzero(np.diff(at) > 1e-3)
        assert len(at) > 15 * bursts
        latest = rtts[np.searchsorted(at, np.arange(at[0], at[-1], 0.02), "right") - 1].mean()
        own = result.series.filter((pl.col("flow") == flow) & (pl.col("time_s") > WARM))
        assert latest == pytest.approx(own["rtt_ms"].mean(), rel=0.06)
        assert 0.7 < latest / rtts.mean() < 0.92
        arrives = result.flows.filter(pl.col("flow") == flow)["goodput_warm_mbps"][0] * 1e3 / 8
        assert own["inflight_bytes"].mean() / arrives == pytest.approx(rtts.mean(), rel=0.06)


@pytest.mark.parametrize("cc", ["newreno", "cubic"])
def test_downloads_beside_the_mean_of_all_packets(monkeypatch, cc):
    """A PPDU is in the device until it ends, and counts against the device's limit: so the record
    has it, and so has the model, whose RTT is within an eighth of that of all packets then. Without
    the PPDU under way it is 8 % longer. Beside the recorded RTT, that of the last ACK of many, it
    is longer anyway."""
    case, series, theirs = cell(2, cc, "down")
    arrives = np.mean([f["goodput"] for f in theirs]) * 1e3 / 8
    mean = series["inflight_bytes"].mean() / arrives

    def off() -> float:
        trace = case.runs(1)[0]
        return trace.rtt[trace.time > WARM].mean() * 1e3 / mean - 1

    counted = off()
    assert abs(counted) < 0.125
    assert rtt(modelled(case, case.runs(1)[0])) > 1.1 * rtt(theirs)
    monkeypatch.setattr(Air, "_under_way", lambda self, of: 0.0)
    assert off() > counted + 0.06


def test_a_device_counts_what_is_under_way():
    """Of 500 packets that it holds at most so many wait as a PPDU under way leaves."""
    result = described(2, "newreno", "down", length=30, queues=True).run(1)
    queued = result.link_series.filter(
        pl.col("link").str.starts_with("ap->") & (pl.col("time_s") > WARM)
    )
    # Both links have the device's queue.
    most = queued["queue_packets"].max()
    case = case_of(described(2, "newreno", "down").resolved)
    sizes = [t.at_once for s in case.radio.queue(2)._sources for t in s.turns]
    assert 500 - 2 * max(sizes) < most < 500 - 0.8 * min(sizes)


def test_the_acks_of_two_uploads_fill_the_access_point():
    """Without A-MPDUs an access point has the air as often as each of two stations, once for two
    packets, which is as often as it has an ACK to send: a load of 1. CUBIC's flows get a few per
    cent more ACKs, and 500 pile up: each waits longer than the model's whole RTT. A load of 1 is an
    edge: with 2 % more ACKs the model's RTT is almost twice as long."""
    result = described(2, "cubic", "up", SINGLE, length=16, queues=True, packets=True).run(1)
    queued = result.link_series.filter((pl.col("link") == "ap->sta0") & (pl.col("time_s") > WARM))
    assert queued["queue_packets"].median() > 400
    # Before any is lost, and so before any SACK.
    early = result.packets.filter(pl.col("time_ns").is_between(1e9, 8e9))
    acks = early.filter((pl.col("point") == "server") & (pl.col("what") == "sent"))
    data = early.filter((pl.col("point") == "server") & (pl.col("what") == "delivered"))
    assert 0.51 < acks.height / data.height < 0.56
    case, _, theirs = cell(2, "cubic", "up", SINGLE)
    air = case.radio.queue(2)
    assert [s.part for s in air._answers] == [1.0]
    assert [s.pile for s in air._answers] == [0.0]
    ours = rtt(modelled(case, case.runs(1)[0]))
    more = case.with_factor("every", 0.98)
    edge = rtt(modelled(more, more.runs(1)[0]))
    assert ours < 0.8 * rtt(theirs) < rtt(theirs) < edge
    assert edge > 1.7 * ours
