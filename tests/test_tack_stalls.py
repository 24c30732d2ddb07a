"""A full queue may drop the repair of a gap, but not again and again while nothing else happens."""

import itertools

import pytest

import acklab


def longest_standstill(rate: str, delay: str, queue: str, cc: str) -> float:
    """The longest time for which the cumulative acknowledgement stands still, s."""
    result = acklab.run(
        {
            "duration": "12 s",
            "topology": {
                "preset": "dumbbell",
                "bottleneck": {"rate": rate, "delay": delay, "queue": queue},
            },
            "flow": [{"name": "f", "cc": cc, "transport": {"name": "tack"}}],
            "record": {"every": "50 ms"},
        },
        seed=1,
    )
    longest = since = 0.0
    before = -1
    for time, acked in result.series.select("time_s", "acked_bytes").iter_rows():
        if acked != before:
            before, since = acked, time
        longest = max(longest, time - since)
    return longest


@pytest.mark.parametrize("cc", ["cubic", "newreno", "vegas", "bbr1"])
def test_a_drop_tail_queue_does_not_stop_the_stream(cc):
    """A lost repair reduces the window again (RFC 5681, section 4.3); else CUBIC stood for 10 s."""
    rates = ("0.5 Mbit/s", "1 Mbit/s", "5 Mbit/s", "20 Mbit/s")
    delays = ("1 ms", "5 ms", "10 ms", "50 ms")
    queues = ("5 packets", "10 packets", "30 packets")
    for path in itertools.product(rates, delays, queues):
        assert longest_standstill(*path, cc) < 2, path
