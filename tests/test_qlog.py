"""qlog: against the definitions of the drafts, and against the run by recomputation."""

import json
from pathlib import Path

import polars as pl
import pytest

import acklab
from acklab.formats import write_qlog
from acklab.formats.scoreboard import Scoreboard, as_ranges
from cddl import conforming, kind
from recordings import lossy, recorded

#: The definition of each event's data.
DEFINITIONS = {
    "transport:packet_sent": "TransportPacketSent",
    "transport:packet_received": "TransportPacketReceived",
    "recovery:packet_lost": "RecoveryPacketLost",
    "recovery:metrics_updated": "RecoveryMetricsUpdated",
    "recovery:congestion_state_updated": "RecoveryCongestionStateUpdated",
}

FLOWS = [0, 1]


@pytest.fixture(scope="module")
def result():
    return recorded()


@pytest.fixture(scope="module")
def files(result, tmp_path_factory):
    return write_qlog(result, tmp_path_factory.mktemp("qlog"))


@pytest.fixture(scope="module")
def logs(files):
    return [read(file) for file in files]


def read(file):
    """The header and the events of a JSON text sequence (RFC 7464)."""
    empty, *texts = file.read_text().split("\x1e")
    assert empty == ""
    assert all(text.endswith("\n") for text in texts)
    header, *events = [json.loads(text) for text in texts]
    return header, events


def named(events, name):
    return [e for e in events if e["name"] == name]


def numbers(ranges):
    return [n for first, last in ranges for n in range(first, last + 1)]


def acked(events):
    """Number of a transmission, and when it was acknowledged, in order."""
    return [
        (n, e["time"])
        for e in named(events, "transport:packet_received")
        for f in e["data"]["frames"]
        for n in numbers(f.get("acked_ranges", []))
    ]


def sent(events):
    """Transmissions by number."""
    packets = named(events, "transport:packet_sent")
    return {e["data"]["header"]["packet_number"]: e for e in packets}


@pytest.fixture(scope="module")
def conforms():
    """Holds a value against a definition of the drafts."""
    return conforming((Path(__file__).parent / "data" / "qlog-0.3.cddl").read_text())


@pytest.mark.parametrize("index", FLOWS)
def test_everything_is_as_the_drafts_define(logs, conforms, index):
    header, events = logs[index]
    conforms(header, "QlogFileSeq")
    assert {e["name"] for e in events} == DEFINITIONS.keys()
    for event in events:
        conforms(event, "Event")
        data = dict(event["data"])
        # Frames one by one: the validator knows no choice of maps within an array.
        for frame in data.pop("frames", []):
            conforms(frame, "QuicFrame")
        conforms(data, DEFINITIONS[event["name"]])
    times = [e["time"] for e in events]
    assert times == sorted(times)


def test_the_validator_tells_right_from_wrong(conforms):
    for wrong in ({"min_rtt": "1"}, {"min_rtt": 1.0, "cwnd": 1}):
        with pytest.raises(Exception, match="error validating"):
            conforms(wrong, "RecoveryMetricsUpdated")


def test_values_that_no_definition_tells_apart():
    values = [0, 1, -1, 256, 1.0, -1.0, True, "1", "2", None, [1], [1, 1], {"a": 1}, {"b": 1}]
    assert len(set(map(kind, values))) == len(values)
    assert kind([1, {"a": 1.5}]) == kind([200, {"a": 0.1}])


@pytest.mark.parametrize("index", FLOWS)
def test_packets_are_the_runs(result, logs, index):
    flow, events = result.flows.row(index, named=True), logs[index][1]
    packets = sent(events)
    assert list(packets) == list(range(len(packets)))
    data = [e for e in packets.values() if e["data"]["raw"]["payload_length"]]
    assert len(data) == flow["data_segments"]
    again = [e for e in data if "trigger" in e["data"]]
    assert len(again) == flow["retransmissions"] > 10
    assert {e["data"]["trigger"] for e in again} == {"retransmit_reordered"}
    received = named(events, "transport:packet_received")
    assert len(received) == flow["acks_received"] + 1


@pytest.mark.parametrize("index", FLOWS)
def test_what_is_lost_was_sent_and_is_sent_again(result, logs, index):
    """Nothing here is repeated needlessly: what is lost is never acknowledged."""
    flow, events = result.flows.row(index, named=True), logs[index][1]
    assert flow["spurious_retransmissions"] == 0
    lost = [e["data"]["header"]["packet_number"] for e in named(events, "recovery:packet_lost")]
    assert len(lost) == len(set(lost)) == flow["lost_segments"]
    assert not set(lost) & {n for n, _ in acked(events)}
    packets = sent(events)
    ranges = [stream(packets[n]) for n in lost]
    again = [stream(e) for e in packets.values() if "trigger" in e["data"]]
    assert sorted(ranges) == sorted(again)


def stream(event):
    (frame,) = [f for f in event["data"]["frames"] if f["frame_type"] == "stream"]
    return frame["offset"], frame["length"]


@pytest.mark.parametrize("index", FLOWS)
def test_acknowledged_bytes_are_the_runs(result, logs, index):
    events = logs[index][1]
    packets = sent(events)
    done = [n for n, _ in acked(events)]
    assert len(done) == len(set(done))
    carried = sorted(stream(packets[n]) for n in done if n)
    # From the first byte without a gap as far as the last ACK, and perhaps some by SACK beyond.
    reached = 0
    for offset, length in carried:
        if offset != reached:
            break
        reached += length
    flow = result.flows["flow"][index]
    last = result.acks.filter(pl.col("flow") == flow, pl.col("what") == "received")
    assert reached == last["ack_bytes"].max()


@pytest.mark.parametrize("index", FLOWS)
def test_rtt_is_the_runs(result, logs, index):
    """The smallest is of an ACK for one segment, or of a timestamp, whose clock has 1 ms."""
    events = logs[index][1]
    packets = sent(events)
    rtts = [time - packets[n]["time"] for n, time in acked(events)]
    assert min(rtts) == pytest.approx(result.flows["rtt_min_ms"][index], abs=1)
    sampled = [
        e["data"]["min_rtt"]
        for e in named(events, "recovery:metrics_updated")
        if "min_rtt" in e["data"]
    ]
    assert sampled == sorted(sampled, reverse=True)
    assert min(rtts) <= sampled[-1] + 1


def test_metrics_are_the_samples(result, logs):
    """Only changes are logged; together they give every sample back."""
    known, at = {}, {}
    for event in named(logs[0][1], "recovery:metrics_updated"):
        known |= event["data"]
        at[event["time"]] = dict(known)
    series = result.series.filter(pl.col("flow") == "bulk")
    now = {}
    for row in series.iter_rows(named=True):
        now = at.get(round(row["time_s"] * 1e3, 6), now)
        assert now["congestion_window"] == row["cwnd_bytes"]
        assert now["bytes_in_flight"] == row["inflight_bytes"]
        assert now.get("smoothed_rtt") == row["srtt_ms"]
        assert now.get("ssthresh") == row["ssthresh_bytes"]


@pytest.mark.parametrize("index", FLOWS)
def test_states_follow_each_other(result, logs, index):
    changes = [e["data"] for e in named(logs[index][1], "recovery:congestion_state_updated")]
    assert "old" not in changes[0]
    assert [c["old"] for c in changes[1:]] == [c["new"] for c in changes[:-1]]
    flow = result.flows.row(index, named=True)
    assert [c["new"] for c in changes].count("recovery") == flow["recoveries"]


def test_requests_and_responses(tmp_path):
    """Both ends have data and acknowledge each other's; the sender is who responds."""
    scenario = lossy()
    scenario["flow"] = [{"name": "a b/c", "app": {"kind": "request-response"}}]
    run = acklab.load(scenario).run()
    (file,) = write_qlog(run, tmp_path)
    assert file.name == "a_b_c.sqlog"
    header, events = read(file)
    assert header["trace"]["vantage_point"] == {"name": "d0", "type": "server"}
    data = [e for e in sent(events).values() if e["data"]["raw"]["payload_length"]]
    assert len(data) == run.flows["data_segments"][0]
    for name in ("transport:packet_sent", "transport:packet_received"):
        frames = [f for e in named(events, name) for f in e["data"]["frames"]]
        assert {f["frame_type"] for f in frames} >= {"stream", "ack"}


def test_timeouts_and_probes_have_their_triggers(tmp_path):
    """A probe repeats without a loss; after a timeout all is lost that was sent."""
    scenario = lossy()
    scenario["topology"]["bottleneck"]["loss"] = 0.1
    app = {"kind": "request-response", "response": "20 kB"}
    scenario["flow"] = [{"name": "web", "cc": "newreno", "from": "d0", "to": "s0", "app": app}]
    run = acklab.load(scenario).run(seed=1)
    _, events = read(write_qlog(run, tmp_path)[0])
    flow = run.flows.row(0, named=True)
    triggers = [e["data"].get("trigger") for e in sent(events).values()]
    assert triggers.count("retransmit_timeout") == flow["retransmissions_rto"] > 0
    assert triggers.count("pto_probe") == flow["retransmissions_tlp"] > 0
    assert triggers.count("retransmit_reordered") == flow["retransmissions_rack"] > 0
    lost = named(events, "recovery:packet_lost")
    why = [e["data"].get("trigger") for e in lost]
    assert 0 < why.count("pto_expired") <= flow["retransmissions_rto"]
    assert len(lost) <= flow["retransmissions"] - flow["retransmissions_tlp"] + 1


def test_the_same_run_gives_the_same_bytes(result, files, tmp_path):
    again = write_qlog(result.scenario.run(seed=3), tmp_path)
    assert [f.read_bytes() for f in again] == [f.read_bytes() for f in files]


def test_without_recordings_it_says_how_to_record(tmp_path):
    with pytest.raises(acklab.AcklabError, match="--record packets,events,series"):
        write_qlog(acklab.load(lossy() | {"record": {}}).run(), tmp_path)
    partly = lossy()
    partly["record"] = {"packets": ["d0"], "events": True, "every": "10 ms"}
    with pytest.raises(acklab.AcklabError, match=r"record\.packets = true"):
        write_qlog(acklab.load(partly).run(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_transmission_is_acknowledged_with_its_last_byte():
    board = Scoreboard()
    assert board.send(0, 100, 0) == []
    assert board.send(100, 200, 1) == []
    assert board.acknowledge(50, []) == []
    assert board.acknowledge(50, [(100, 200)]) == [1]
    assert board.acknowledge(100, []) == [0]
    assert board.acknowledge(100, [(0, 50)]) == []


def test_bytes_sent_again_belong_to_their_latest_transmission():
    board = Scoreboard()
    board.send(0, 300, 0)
    # The middle of it, so the first transmission is still the latest of its ends.
    assert board.send(100, 200, 1) == []
    assert board.acknowledge(200, []) == [1]
    assert board.acknowledge(300, []) == [0]
    board.send(300, 400, 2)
    assert board.send(300, 400, 3) == [2]
    assert board.acknowledge(400, []) == [3]


def test_ranges():
    assert as_ranges([1, 2, 3, 5, 8, 9]) == [(1, 3), (5, 5), (8, 9)]
    assert as_ranges([]) == []


def test_the_window_is_told_before_the_state_of_the_same_moment(tmp_path):
    """Readers such as qlog-dancer draw a state at the height of the window, and want one."""
    for path in write_qlog(recorded(), tmp_path):
        texts = path.read_text().split("\x1e")[2:]
        names = [json.loads(text)["name"] for text in texts]
        first = names.index("recovery:congestion_state_updated")
        assert "recovery:metrics_updated" in names[:first]
