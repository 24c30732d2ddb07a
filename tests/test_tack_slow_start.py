"""CUBIC's slow start under TACK: how it ends, and what that costs.

HyStart has two detectors. The ACK train takes packets that arrive for longer than half a round trip
for a full path; a paced flow spreads its ACKs over as much without any queue, so it gets twice the
time (`hystart_update` reads `sk_pacing_status`). The delay detector wants eight samples of a round,
and TACK has four acknowledgements in it, each with the smallest RTT of all packets since the last.
"""

import polars as pl
import pytest

import acklab


def run(transport, cc, mbits=100, rtt=40, **more):
    scenario = {
        "name": "slow-start",
        "duration": "6 s",
        "topology": {
            "preset": "dumbbell",
            "access": {"rate": "10 Gbit/s", "delay": "1 ms"},
            "bottleneck": {
                "rate": f"{mbits} Mbit/s",
                "delay": f"{rtt / 2 - 1} ms",
                "queue": "1 BDP",
            },
        },
        "flow": [{"name": "f", "transport": transport, "cc": cc}],
        **more,
    }
    return acklab.load(scenario).run(seed=1)


def goodput(*args, **more):
    return run(*args, **more).flows["goodput_mbps"][0]


@pytest.mark.parametrize("hystart", ["linux", "plusplus"])
@pytest.mark.parametrize("path", [(20, 40), (100, 40), (200, 10), (20, 100)])
def test_tack_has_the_goodput_of_tcp(hystart, path):
    cc = {"name": "cubic", "hystart": hystart}
    tack, tcp = (goodput(transport, cc, *path) for transport in ("tack", "tcp"))
    # TACK's packets have 1434 bytes of payload, TCP's 1448.
    assert tack / 1434 > 0.96 * tcp / 1448


def test_slow_start_ends_where_the_queue_grows():
    """Not at 37 packets, an eighth of what the path holds."""
    result = run("tack", "cubic", record={"events": True})
    states = result.events.filter(pl.col("event") == "state")
    (end,) = states.filter(pl.col("cause") == "congestion_avoidance")["value"].head(1)
    bdp = 100e6 / 8 * 0.04
    assert end > bdp * 1434 / 1500


def test_the_delay_detector_sees_the_queue():
    """With one sample for each TACK it had four of its eight, and only drops ended slow start."""
    lost = {
        hystart: run("tack", {"name": "cubic", "hystart": hystart}).flows["retransmissions"][0]
        for hystart in ("plusplus", "off")
    }
    assert lost["plusplus"] < lost["off"] / 2
