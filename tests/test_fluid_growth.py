"""How many ACKs there are and how windows grow by them: the algebra beside the simulator."""

from __future__ import annotations

import numpy as np
import pytest

from acklab.fluid import responses
from acklab.scenario import load

EVERY = {"name": "byte-counting", "timeout": "none"}


def path(rate: str, rtt_ms: int, seconds: int, **flow) -> dict:
    """A path with a queue that is long enough."""
    link = {"a": "a", "b": "b", "rate": rate, "delay": f"{rtt_ms / 2} ms", "queue": "100 packets"}
    return {
        "name": "growth",
        "duration": f"{seconds} s",
        "node": [{"name": n} for n in ("a", "b")],
        "link": [link],
        "tcp": {"profile": "linux"},
        "flow": [{"name": "f", "from": "a", "to": "b", **flow}],
    }


@pytest.mark.parametrize("rtt_ms", [40, 80, 160])
def test_tacks_frequency_is_eq_3(rtt_ms):
    """Four in each smallest round trip that it has seen, where that is fewer than one for two
    packets."""
    flow = {"transport": {"name": "tack", "start_up": "tamed"}}
    row = load(path("20 Mbit/s", rtt_ms, 60, **flow)).run(1).flows
    rate, least = row["data_segments"][0] / 60, row["rtt_min_ms"][0] / 1e3
    equation = responses.tack(rate, least, 2, 4)
    assert equation == pytest.approx(4 / least)
    # There are more while it starts up, and in the first 10 s, of which its filter holds the round
    # trip without a queue: 100 a second at 40 ms.
    assert equation * 0.98 < row["acks_sent"][0] / 60 < equation * 1.2


@pytest.mark.parametrize(
    ("ack", "equation"),
    [
        (EVERY | {"l": 1}, lambda x: responses.byte_counting(x, 1)),
        (EVERY | {"l": 4}, lambda x: responses.byte_counting(x, 4)),
        ({"name": "delayed"}, lambda x: responses.delayed(x, 0.04)),
        (
            {"name": "periodic", "alpha": "10 ms", "out_of_order": "thin"},
            lambda x: responses.periodic(0.01),
        ),
    ],
)
def test_frequencies_of_acks_are_eqs_1_2_and_5(ack, equation):
    row = load(path("20 Mbit/s", 40, 30, cc="bbr1", ack=ack)).run(1).flows
    rate = row["data_segments"][0] / 30
    assert row["acks_sent"][0] / 30 == pytest.approx(equation(rate), rel=0.05)


@pytest.mark.parametrize("every", [1, 2, 8])
@pytest.mark.parametrize("growth", ["linux", "ns3"])
def test_avoidance_by_ack_and_by_byte(every, growth):
    """Reno adds a packet in each round trip by byte, and one in `every` of them by ACK."""
    scenario = path("100 Mbit/s", 50, 30)
    scenario["flow"][0] |= {
        "cc": {"name": "newreno", "growth": growth},
        "ack": EVERY | {"l": every},
    }
    scenario["record"] = {"every": "50 ms"}
    series = load(scenario).run(1).series
    time, window = series["time_s"].to_numpy(), series["cwnd_packets"].to_numpy()
    rtt = series["rtt_ms"].to_numpy() / 1e3
    # Two seconds of a climb, counted in round trips.
    climbs = []
    for i in range(200, len(time) - 40, 40):
        own = slice(i, i + 40)
        if (np.diff(window[own]) >= 0).all():
            rounds = (0.05 / rtt[own]).sum()
            grown = (window[i + 39] - window[i]) / (rounds * 39 / 40)
            # ns-3 adds whole bytes for each ACK.
            ideal = 1448 / window[own].mean()
            climbs.append(grown * (ideal / np.floor(ideal) if growth == "ns3" else 1))
    expected = responses.avoidance(every, by_byte=growth == "linux")
    assert len(climbs) >= 3
    assert np.median(climbs) == pytest.approx(expected, rel=0.1)
