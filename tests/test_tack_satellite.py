"""TACK with BBR over 600 ms: start-up loses thousands of packets, and PROBE_RTT has to end."""

import pytest

import acklab


def run(seed: int, **parameters):
    """20 Mbit/s with a queue of one BDP, one packet in a hundred lost each way."""
    tack = {"name": "tack", "send_buffer": 16 << 20, "recv_buffer": 16 << 20, **parameters}
    loss = 0.01
    return acklab.load(
        {
            "duration": "40 s",
            "topology": {
                "preset": "dumbbell",
                "bottleneck": {
                    "rate": "20 Mbit/s",
                    "delay": "300 ms",
                    "queue": "1 BDP",
                    "loss": loss,
                    "reverse": {"loss": loss, "queue": "1000 packets"},
                },
            },
            "flow": [{"name": "f", "transport": tack, "cc": "bbr1"}],
            "record": {"every": "50 ms"},
        }
    ).run(seed=seed)


def longest_probe(result) -> float:
    """The longest PROBE_RTT, s."""
    longest = begun = 0.0
    before = ""
    for time, state in result.series.select("time_s", "state").iter_rows():
        if state != before:
            begun, before = time, state
        if state == "PROBE_RTT":
            longest = max(longest, time - begun)
    return longest


@pytest.mark.parametrize("order", ["lowest", "reported"])
def test_full_lists_do_not_hide_repairs(order):
    """In the order of the reports, BBR repairs where no list reaches, four packets a round trip."""
    longest = [longest_probe(run(seed, repair_order=order)) for seed in range(10, 15)]
    if order == "lowest":
        assert max(longest) < 5, longest
    else:
        assert max(longest) > 10, longest
