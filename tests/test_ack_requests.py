"""TARR and ACK_FREQUENCY: what a user sees of them, and what tshark does."""

import polars as pl
import pytest

import acklab
from acklab.formats import write_pcapng
from test_pcapng import needs_tshark, tshark

SCENARIO = {
    "duration": "4 s",
    "topology": {
        "preset": "dumbbell",
        "pairs": 2,
        "bottleneck": {"rate": "20 Mbit/s", "delay": "10 ms", "queue": "1 BDP"},
    },
    "flow": [
        {"name": "tarr", "ack": {"name": "tarr", "rule": "fixed", "r": 8, "in_slow_start": True}},
        {"name": "quic", "ack": {"name": "ack-frequency", "in_slow_start": True}},
    ],
    "record": {"packets": True, "acks": True},
}


@pytest.fixture(scope="module")
def result():
    return acklab.run_many([(acklab.load(SCENARIO), 1)])[0]


def test_the_receiver_does_as_asked(result):
    """Disorder is still acknowledged at once, so only ACKs by count show the count."""
    counted = result.acks.filter(pl.col("what") == "sent", pl.col("reason") == "byte_count")
    of = {flow: counted.filter(pl.col("flow") == flow)["segments"] for flow in ("tarr", "quic")}
    assert of["tarr"].median() == 8
    assert of["tarr"].max() <= 9
    assert of["quic"].median() > 4


@needs_tshark
def test_tshark_reads_tarr(result, tmp_path):
    whole = write_pcapng(result, tmp_path / "whole.pcapng", whole=True)
    assert tshark(whole, "frame.number", only="_ws.malformed") == []
    asked = tshark(whole, "tcp.options.tarr.rate", "ip.len", only="tcp.options.tarr.rate")
    # This tshark shows the byte's upper seven bits.
    assert {int(rate) for rate, _ in asked} == {8}
    assert max(int(length) for _, length in asked) == 1500


@pytest.mark.parametrize(
    ("ack", "message"),
    [
        ({"name": "tarr", "r": 128}, "whole number from 1 to 127"),
        ({"name": "ack-frequency", "threshold": 0}, "whole number from 1 to 1024"),
        ({"name": "ack-frequency", "max_delay": "0.2 ms"}, "shorter than the receiver can keep"),
    ],
)
def test_what_cannot_be_asked_is_an_error(ack, message):
    flow = [{**SCENARIO["flow"][0], "ack": ack}]
    with pytest.raises(acklab.ScenarioError, match=message):
        acklab.load({**SCENARIO, "flow": flow})
