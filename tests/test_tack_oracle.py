"""TACK against what its authors' own implementation did over an emulated line, and against Eq. 3.

FillP (its build of 2018 for Pantheon) over 100 Mbit/s and 200 ms: 97.8 Mbit/s on the wire and 19.2
ACKs a second, 0.19 % of the data packets, which have about 1210 bytes then.
"""

import pytest

import acklab

#: Payload of a packet of 1500 bytes; two bytes of its number stay away.
HEADERS = 64


def line(cc, seconds, mtu):
    transport = {"name": "tack", "mtu": mtu, "send_buffer": 1 << 24, "recv_buffer": 1 << 24}
    return {
        "name": "oracle",
        "duration": f"{seconds} s",
        "topology": {
            "preset": "dumbbell",
            "access": {"rate": "10 Gbit/s", "delay": "0.1 ms"},
            "bottleneck": {"rate": "100 Mbit/s", "delay": "99.8 ms", "queue": "2.5 MB"},
        },
        "flow": [{"name": "f", "transport": transport, "cc": cc}],
    }


def steady(cc, mtu=1500):
    """What a minute took that begins after half a minute: start-up has other ACKs."""
    runs = [acklab.load(line(cc, s, mtu)).run(seed=1) for s in (30, 90)]
    first, second = (run.flows.row(0, named=True) for run in runs)
    columns = ("received_bytes", "acks_sent", "data_segments", "iacks_sent")
    return {name: second[name] - first[name] for name in columns}


@pytest.mark.parametrize("probe_rtt", ["floor", "gentle"])
def test_a_long_fat_line_is_filled_with_four_acks_per_round_trip(probe_rtt):
    took = steady({"name": "bbr-tack", "probe_rtt": probe_rtt})
    payload = 1500 - HEADERS - 2
    wire = took["received_bytes"] * 8 / 60e6 * (payload + HEADERS) / payload
    assert 97.8 <= wire <= 100.1
    assert 19.2 <= took["acks_sent"] / 60 <= 20.2
    assert took["iacks_sent"] <= 5


def test_acks_are_a_five_hundredth_of_packets_as_short_as_theirs():
    took = steady("bbr-tack", mtu=1210)
    assert took["acks_sent"] / took["data_segments"] < 0.002


def test_a_standing_queue_lowers_the_frequency():
    """RTT_min is a minimum of ten seconds: a queue that CUBIC keeps full for longer is path."""
    took = steady("cubic")
    assert (took["acks_sent"] - took["iacks_sent"]) / 60 < 17
