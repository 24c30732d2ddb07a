"""An ACK for each L segments, with and without what a sender needs for it."""

import pytest

import acklab

#: A sender that needs an ACK for every other segment.
BARE = {
    "cc": {"name": "newreno", "growth": "ns3"},
    "tcp": {"loss_detection": "dupack", "tlp": False, "pacing": "never"},
}
COUNTS_BYTES = {**BARE, "cc": {"name": "newreno", "growth": "abc", "abc_l": 16}}
PACED = {**BARE, "tcp": {**BARE["tcp"], "pacing": "always"}}
ALL = {**COUNTS_BYTES, "tcp": {"loss_detection": "rack", "tlp": True, "pacing": "always"}}


def flow(segments, sender, **line):
    """50 Mbit/s and 40 ms with a queue of a tenth of a BDP."""
    bottleneck = {"rate": "50 Mbit/s", "delay": "20 ms", "queue": "0.1 BDP", **line}
    result = acklab.load(
        {
            "duration": "20 s",
            "topology": {"preset": "dumbbell", "bottleneck": bottleneck},
            "tcp": {"send_buffer": "4 MiB", "recv_buffer": "4 MiB"},
            "flow": [{**sender, "ack": {"name": "byte-counting", "l": segments}}],
        }
    ).run()
    return result.flows.row(0, named=True)


@pytest.mark.parametrize("segments", [1, 2, 4, 8, 16])
def test_there_is_an_ack_for_each_l_segments_and_for_each_gap(segments):
    told = flow(segments, ALL, queue="10 BDP")
    assert told["retransmissions"] == 0
    assert told["segments_per_ack"] == pytest.approx(segments, rel=0.05)


def test_a_sender_without_remedies_starves_and_each_remedy_helps():
    goodput = {
        name: flow(16, sender)["goodput_mbps"]
        for name, sender in {
            "bare": BARE,
            "bytes": COUNTS_BYTES,
            "paced": PACED,
            "all": ALL,
        }.items()
    }
    assert flow(2, BARE)["goodput_mbps"] > 3 * goodput["bare"]
    assert min(goodput["bytes"], goodput["paced"]) > 2 * goodput["bare"]
    assert goodput["all"] > max(goodput["bytes"], goodput["paced"])
    assert goodput["all"] > 0.85 * flow(2, ALL)["goodput_mbps"]
