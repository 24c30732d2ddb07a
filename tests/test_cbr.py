"""UDP at a constant rate: what a user sees of it, and what tshark does."""

import polars as pl
import pytest

import acklab
from acklab.build import Flow, Link, describe
from acklab.formats import write_pcapng
from test_pcapng import needs_tshark, tshark

CBR = {"name": "cbr", "rate": "4 Mbit/s", "size": 1000, "feedback": {"every": 4, "size": 100}}


@pytest.fixture(scope="module")
def result():
    scenario = {
        "name": "cbr",
        "duration": "3 s",
        "record": {"packets": True, "delays": True},
        "topology": {
            "preset": "dumbbell",
            "pairs": 2,
            "access": {"rate": "100 Mbit/s", "delay": "2 ms"},
            "bottleneck": {"rate": "6 Mbit/s", "delay": "20 ms", "queue": "9 packets", "ce": 0.1},
        },
        "tcp": {"ecn": "on"},
        "flow": [{"name": "udp", "transport": CBR}, {"name": "tcp"}],
    }
    return acklab.load(scenario).run(seed=3)


def test_columns_of_datagrams_are_the_udp_flow_s_alone(result):
    udp, tcp = result.flows.row(0, named=True), result.flows.row(1, named=True)
    columns = [c for c in result.flows.columns if c.startswith("datagram")]
    assert len(columns) == 4
    assert all(tcp[c] is None for c in columns)
    assert udp["cc"] == "cbr"
    assert (udp["cwnd_mean_packets"], udp["rtt_p50_ms"]) == (None, None)
    assert udp["datagrams_lost"] > 0
    assert udp["owd_p50_ms"] > 24
    assert (tcp["cc"], tcp["datagram_loss"]) == ("cubic", None)


def test_the_summary_is_what_the_packets_say(result):
    """The same counts from the records of packets at the hosts."""
    udp = result.flows.row(0, named=True)
    mine = result.packets.filter((pl.col("flow") == "udp") & (pl.col("direction") == "forward"))
    sent = mine.filter((pl.col("point") == "s0") & (pl.col("what") == "sent"))
    came = mine.filter((pl.col("point") == "d0") & (pl.col("what") == "delivered"))
    assert sent["seq"].to_list() == list(range(udp["data_segments"]))
    assert set(sent["size"]) == {982}
    assert set(sent["len"]) == {954}
    assert udp["datagrams_received"] == came.height
    assert udp["datagrams_lost"] == came["seq"].max() + 1 - came.height
    loss = udp["datagrams_lost"] / (udp["datagrams_lost"] + came.height)
    assert udp["datagram_loss"] == pytest.approx(loss)
    # 1000 bytes at 4 Mbit/s: every 2 ms.
    assert set(sent["time_ns"].diff().drop_nulls()) == {2_000_000}
    assert udp["received_bytes"] == came.height * 954
    back = result.packets.filter((pl.col("flow") == "udp") & (pl.col("direction") == "reverse"))
    answers = back.filter((pl.col("point") == "d0") & (pl.col("what") == "sent"))
    assert answers["seq"].to_list() == list(range(4, came.height + 1, 4))
    assert (udp["acks_sent"], set(answers["size"])) == (came.height // 4, {82})


def test_marks_are_tcp_s_alone(result):
    """UDP without ECN is never marked; TCP's ECT packets are."""
    marked = result.packets.filter(pl.col("ecn") == "CE")
    assert set(marked["flow"]) == {"tcp"}


@needs_tshark
def test_tshark_sees_udp(result, tmp_path):
    whole = write_pcapng(result, tmp_path / "whole.pcapng", whole=True)
    checks = ["-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    wrong = "_ws.malformed || _ws.short || udp.checksum.status == 0 || ip.checksum.status == 0"
    assert tshark(whole, "frame.number", only=wrong, more=checks) == []
    fields = ("udp.length", "udp.dstport", "data.data")
    at_sender = 'frame.interface_name == "udp@s0" && udp.dstport == 5001'
    seen = tshark(whole, *fields, only=at_sender, more=checks)
    assert len(seen) == result.flows["data_segments"][0]
    numbers = [int(data[:16], 16) for _, _, data in seen]
    assert numbers == list(range(len(seen)))
    assert {length for length, _, _ in seen} == {"962"}


def test_a_scenario_made_in_python_can_name_a_transport():
    links = [Link(a="a", b="b", rate="10 Mbit/s", delay="1 ms")]
    flow = Flow(transport=CBR, src="a", dst="b")
    spec = describe("mine", duration="1 s", links=links, flows=[flow])
    assert acklab.load(spec).run().flows["cc"].to_list() == ["cbr"]
