"""Eqs 15, 16 and 19 beside recorded packets, to rounding: the simulator's own arrivals go in."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import acklab
from acklab.fluid.queues import eq15, eq16, eq19
from acklab.fluid.scenario_case import case_of
from acklab.scenario import load

SEGMENT, HEADERS = 1448, 52
LIMIT, RATE = 50, 10e6 / 12_000


@pytest.fixture(scope="module", params=["cubic", "newreno", "bbr3"])
def recorded(request):
    """Each packet at the bottleneck; an ACK for each."""
    link = {"a": "r", "b": "b", "rate": "10 Mbit/s", "delay": "20 ms", "queue": f"{LIMIT} packets"}
    scenario = load(
        {
            "name": "records",
            "duration": "30 s",
            "start": "0 s",
            "node": [{"name": x} for x in ("a", "r", "b")],
            "link": [{"a": "a", "b": "r", "rate": "1 Gbit/s", "delay": "0 ms"}, link],
            "tcp": {"profile": "linux", "segment": SEGMENT},
            "record": {"every": "5 ms", "queues": True, "packets": True},
            "flow": [
                {"name": "f", "from": "a", "to": "b", "cc": request.param, "ack": "per-packet"}
            ],
        }
    )
    return case_of(scenario.resolved), scenario.run(1)


def backlog(arrivals: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eq 16 between arrivals, which come at once: the queue that each finds, and has behind it.

    In packets of 1500 bytes, with what is left of the one on the line.
    """
    finds, leaves = np.empty(len(arrivals)), np.empty(len(arrivals))
    q, before = 0.0, 0.0
    for i, (t, size) in enumerate(zip(arrivals, sizes, strict=True)):
        q = max(q + float(eq16(0.0, RATE, q)) * (t - before), 0.0)
        finds[i] = q
        q += size
        leaves[i], before = q, t
    return finds, leaves


def at(packets: pl.DataFrame, point: str, what: str) -> pl.DataFrame:
    """Sightings of data at a point."""
    seen = packets.filter((pl.col("point") == point) & (pl.col("what") == what))
    return seen.filter(pl.col("direction") == "forward")


def queued(result: acklab.Result) -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    """Packets that came into the bottleneck, times in s, and sizes in packets of 1500 B."""
    came = at(result.packets, "r->b", "queued")
    return came, came["time_ns"].to_numpy() / 1e9, came["size"].to_numpy() / 1500


def test_eq_16_is_the_recorded_queue(recorded):
    _, result = recorded
    _, t, sizes = queued(result)
    _, behind = backlog(t, sizes)
    series = result.link_series.filter(pl.col("link") == "r->b")
    samples = series["time_s"].to_numpy()
    last = np.searchsorted(t, samples, "right") - 1
    known = last >= 0
    fluid = np.maximum(behind[last] - RATE * (samples - t[last]), 0)[known]
    # The packet on the line is not in the queue, however much of it is left.
    waits = np.maximum(np.ceil(fluid - 1e-6) - 1, 0)
    counted = series["queue_packets"].to_numpy()[known]
    # Handshakes and the end are shorter packets.
    whole = np.abs(waits - counted) <= 1e-9
    assert whole.mean() > 0.998
    assert np.abs(fluid - counted).max() <= 2
    assert counted.max() > 10


def test_eq_15_is_the_recorded_round_trip(recorded):
    case, result = recorded
    packets = result.packets
    came, t, sizes = queued(result)
    finds, _ = backlog(t, sizes)
    sent = at(packets, "a", "sent").unique("seq", keep="none").filter(pl.col("len") == SEGMENT)
    acks = packets.filter((pl.col("point") == "a") & (pl.col("what") == "delivered")).unique(
        "ack", keep="first"
    )
    each = came.with_columns(pl.Series("finds", finds)).select("packet", "finds")
    joined = (
        sent.join(each, on="packet")
        .with_columns((pl.col("seq") + SEGMENT).alias("answer"))
        .join(acks.select("ack", pl.col("time_ns").alias("back")), left_on="answer", right_on="ack")
    )
    rtt = (joined["back"] - joined["time_ns"]).to_numpy() / 1e9
    expected = eq15(case.flows[0].rtt, joined["finds"].to_numpy(), RATE, shared=False)
    assert joined.height > 5000
    late = rtt - expected
    # An ACK behind a hole says nothing new and comes with the next that does.
    exact = np.abs(late) < 2e-9 * LIMIT
    assert exact.mean() > 0.97
    assert late.min() > -1e-7


def test_eq_19_is_what_was_dropped(recorded):
    _, result = recorded
    dropped = at(result.packets, "r->b", "dropped")
    _, t, sizes = queued(result)
    _, behind = backlog(t, sizes)
    if dropped.height == 0:
        # BBR leaves the queue long before it is full.
        assert behind.max() < LIMIT
        return
    when = dropped["time_ns"].to_numpy() / 1e9
    last = np.searchsorted(t, when, "right") - 1
    found = np.maximum(behind[last] - RATE * (when - t[last]), 0)
    # Full is the queue with its limit and the packet on the line, and nothing else is dropped.
    waits = np.ceil(found - 1e-6) - 1
    assert (waits == LIMIT).all()
    # Between the first and the last drop of a full spell Eq 19 drops what cannot be served.
    spell = when < when[0] + 0.2
    began, ended = when[spell][0], when[spell][-1]
    inside = (t >= began) & (t <= ended)
    came_in = sizes[inside].sum() + spell.sum()
    lost = eq19(LIMIT, LIMIT, np.array([came_in]), RATE * (ended - began)).sum()
    assert spell.sum() == pytest.approx(lost, abs=2)
