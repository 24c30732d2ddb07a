"""Captures: what tshark makes of them, against what the run says."""

import shutil
import subprocess

import polars as pl
import pytest

import acklab
from acklab.formats import write_pcapng
from conftest import PATIENCE

needs_tshark = pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed")


@pytest.fixture(scope="module")
def result():
    scenario = {
        "name": "capture",
        "duration": "6 s",
        "record": {"packets": True, "acks": True},
        "topology": {
            "preset": "dumbbell",
            "access": {"rate": "100 Mbit/s", "delay": "2 ms"},
            "bottleneck": {
                "rate": "10 Mbit/s",
                "delay": "20 ms",
                "queue": "12 packets",
                "loss": 0.001,
                "reverse": {"ack_filter": {"name": "aggregate", "ratio": 2, "timeout": "5 ms"}},
            },
        },
        "flow": [{"name": "bulk", "cc": "cubic"}],
    }
    return acklab.load(scenario).run(seed=3)


@pytest.fixture(scope="module")
def capture(result, tmp_path_factory):
    return write_pcapng(result, tmp_path_factory.mktemp("capture") / "a.pcapng")


@pytest.fixture(scope="module")
def at_sender(capture):
    """A capture at the sender alone; tshark takes a packet seen twice for two."""
    alone = capture.with_name("sender.pcapng")
    only = ["-Y", 'frame.interface_name == "bulk@s0"', "-w", str(alone)]
    subprocess.run(["tshark", "-r", str(capture), *only], check=True, timeout=PATIENCE)
    return alone


def tshark(file, *fields, only=None, more=()):
    words = ["tshark", "-r", str(file), "-T", "fields", "-E", "separator=;", *more]
    words += [w for f in fields for w in ("-e", f)]
    words += ["-Y", only] if only else []
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=True)
    return [line.split(";") for line in done.stdout.splitlines()]


@needs_tshark
def test_tshark_has_nothing_to_complain_about(result, tmp_path):
    whole = write_pcapng(result, tmp_path / "whole.pcapng", whole=True)
    checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    wrong = "_ws.malformed || _ws.short || tcp.checksum.status == 0 || ip.checksum.status == 0"
    assert tshark(whole, "frame.number", only=wrong, more=checks) == []
    right = tshark(whole, "frame.number", only="tcp.checksum.status == 1", more=checks)
    assert len(right) == len(tshark(whole, "frame.number"))
    # Notes and chats are tshark's analysis; errors would be about the file.
    assert tshark(whole, "_ws.expert.message", only="_ws.expert.severity >= error") == []


@needs_tshark
def test_packets_and_times_are_the_tables(result, capture):
    seen = tshark(capture, "frame.time_epoch", "frame.interface_name", "tcp.seq_raw", "frame.len")
    at_sender = [row for row in seen if row[1] == "bulk@s0"]
    ours = pl.col("what").is_in(["sent", "delivered"]) & (pl.col("point") == "s0")
    hosts = result.packets.filter(ours)
    assert len(at_sender) == len(hosts)
    times = [round(float(row[0]) * 1e9) for row in at_sender]
    assert times == hosts["time_ns"].to_list()
    assert [int(row[2]) for row in at_sender] == hosts["seq"].to_list()
    assert [int(row[3]) for row in at_sender] == hosts["size"].to_list()


@needs_tshark
def test_retransmissions_are_tsharks(result, at_sender):
    """Every retransmission, by whichever of its names tshark knows it.

    One that follows the highest sequence number by less than 3 ms or an RTT is "out of order" to
    tshark; nothing is where it was sent.
    """
    names = ["retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order"]
    again = " || ".join(f"tcp.analysis.{n}" for n in names)
    found = tshark(at_sender, "tcp.seq_raw", only=again)
    flow = result.flows.row(0, named=True)
    assert flow["retransmissions"] > 5
    assert len(found) == flow["retransmissions"]


@needs_tshark
def test_rtt_is_tsharks(result, at_sender):
    """The smallest one: it is of an ACK for one segment, where all definitions agree."""
    from_receiver = "tcp.analysis.ack_rtt && ip.src == 10.0.0.4"
    found = tshark(at_sender, "tcp.analysis.ack_rtt", only=from_receiver)
    samples = [float(row[0]) * 1e3 for row in found]
    assert len(samples) > 100
    assert min(samples) == pytest.approx(result.flows["rtt_min_ms"][0], abs=0.001)


@needs_tshark
def test_drops_say_why(result, capture):
    at_link = 'frame.interface_name == "left->right" && frame.comment'
    comments = [r[0] for r in tshark(capture, "frame.comment", only=at_link)]
    link = result.links.filter(pl.col("link") == "left->right").row(0, named=True)
    assert comments.count("dropped: queue_full") == link["drops_queue_full"]
    assert comments.count("lost after transmission") == link["drops_random_loss"]
    assert link["drops_queue_full"] > 0
    assert link["drops_random_loss"] > 0


def test_the_same_run_gives_the_same_bytes(result, capture, tmp_path):
    again = result.scenario.run(seed=3)
    assert write_pcapng(again, tmp_path / "b.pcapng").read_bytes() == capture.read_bytes()


def test_without_a_recording_it_says_how_to_record(small, tmp_path):
    with pytest.raises(acklab.AcklabError, match="record"):
        write_pcapng(acklab.load(small).run(), tmp_path / "a.pcapng")
    assert list(tmp_path.iterdir()) == []
