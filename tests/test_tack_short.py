"""TACK where the interval between two TACKs is longer than the round trip.

`beta / RTT_min` has a bound there, `interval.shortest`: a window lasts for an interval, not for a
round trip (1 / f in the journal version's window, IEEE/ACM ToN 29(6), section VI-D).
"""

import pytest

import acklab


def flow(rate, delay, cc, queue="200 packets", duration="2 s"):
    scenario = {
        "name": "short",
        "duration": duration,
        "topology": {
            "preset": "dumbbell",
            "access": {"rate": "40 Gbit/s", "delay": "1 us"},
            "bottleneck": {"rate": rate, "delay": delay, "queue": queue},
        },
        "flow": [{"transport": {"name": "tack"}, "cc": cc}],
    }
    return acklab.load(scenario).run(seed=1).flows.row(0, named=True)


@pytest.mark.parametrize("cc", ["bbr-tack", "bbr1", "bbr3", "cubic"])
@pytest.mark.parametrize("mbits", [10, 100, 1000])
@pytest.mark.parametrize("delay", ["3 us", "50 us", "250 us", "500 us", "2 ms"])
def test_paths_below_a_millisecond_are_filled(cc, mbits, delay):
    """A packet of 1500 bytes has 1434 of payload; a thousand TACKs a second are the most."""
    got = flow(f"{mbits} Mbit/s", delay, cc, "500 packets")
    assert got["goodput_mbps"] > 0.95 * mbits * 1434 / 1500
    assert got["acks_sent"] - got["iacks_sent"] < 2 * 1000 + 128 + 10


def test_the_window_of_bbr_tack_is_no_longer_than_it_has_to_be():
    got = flow("100 Mbit/s", "50 us", "bbr-tack")
    assert got["rtt_mean_ms"] < 1
    assert got["retransmissions"] == 0
