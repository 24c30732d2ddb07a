"""TACK after it has lost thousands of packets at once: more gaps than a TACK has room for."""

import pytest

import acklab


def overshot(**parameters):
    """BBR fills a fast path and a queue of one BDP: half of what it sends is lost for a while."""
    tack = {"name": "tack", "send_buffer": 64 << 20, "recv_buffer": 64 << 20, **parameters}
    return acklab.load(
        {
            "duration": "5 s",
            "warmup": "3 s",
            "topology": {
                "preset": "dumbbell",
                "pairs": 1,
                "access": {"rate": "5 Gbit/s", "delay": "100 us"},
                "bottleneck": {"rate": "590 Mbit/s", "delay": "39.8 ms", "queue": "1 BDP"},
            },
            "flow": [{"transport": tack, "cc": "bbr1"}],
        }
    ).run(seed=1)


@pytest.mark.parametrize("parameters", [{}, {"rate_samples": "sender"}, {"blocks": "poor"}])
def test_the_flow_recovers(parameters):
    """Packets that arrived, but that no list had room for, once counted as under way for ever."""
    run = overshot(**parameters)
    assert run.flows["goodput_warm_mbps"][0] > 450


def test_nothing_is_repeated_that_arrived():
    """The receiver keeps as many gaps as its buffer can have; packets beyond 1,024 were lost."""
    run = overshot()
    dropped = run.links["dropped"].sum()
    assert dropped > 2000
    assert run.flows["lost_segments"][0] == dropped
