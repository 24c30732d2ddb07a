"""qlog of TACK: against its schema, and against the run by recomputation."""

import json
from pathlib import Path

import polars as pl
import pytest

import acklab
from acklab.formats import write_qlog
from cddl import conforming
from test_qlog import acked, named, numbers, read, sent, stream

SCHEMA = Path(__file__).parents[1] / "docs" / "schema" / "tack-qlog.cddl"

DEFINITIONS = {
    "transport:packet_sent": "TackPacketSent",
    "transport:packet_received": "TackPacketReceived",
    "recovery:packet_lost": "TackPacketLost",
    "recovery:metrics_updated": "RecoveryMetricsUpdated",
    "recovery:congestion_state_updated": "RecoveryCongestionStateUpdated",
    "tack:estimates_updated": "TackEstimatesUpdated",
}
AT_SENDER = DEFINITIONS.keys() - {"tack:estimates_updated"}
AT_RECEIVER = {"transport:packet_sent", "transport:packet_received", "tack:estimates_updated"}


def tamed(**flow):
    bulk = {"name": "bulk", "transport": "tack", "cc": "cubic"}
    return {
        "name": "tamed",
        "duration": "20 s",
        "record": {"packets": True, "acks": True, "events": True, "every": "10 ms"},
        "topology": {
            "preset": "dumbbell",
            "access": {"rate": "100 Mbit/s", "delay": "2 ms"},
            "bottleneck": {
                "rate": "10 Mbit/s",
                "delay": "20 ms",
                "queue": "60 packets",
                "loss": 0.005,
                "reverse": {"loss": 0.1},
            },
        },
        "flow": [bulk | {"app": {"kind": "bulk", "bytes": "4 MB"}} | flow],
    }


@pytest.fixture(scope="module")
def result():
    return acklab.load(tamed()).run(seed=5)


@pytest.fixture(scope="module")
def files(result, tmp_path_factory):
    return write_qlog(result, tmp_path_factory.mktemp("qlog"))


@pytest.fixture(scope="module")
def logs(files):
    assert [f.name for f in files] == ["bulk.sqlog", "bulk.receiver.sqlog"]
    return [read(file) for file in files]


@pytest.fixture(scope="module")
def conforms():
    drafts = (Path(__file__).parent / "data" / "qlog-0.3.cddl").read_text()
    return conforming(drafts + SCHEMA.read_text())


def frames(events, kind):
    return [f for e in events for f in e["data"].get("frames", []) if f["frame_type"] == kind]


def feedback(events, name):
    reports = {"tack", "iack"}
    return [
        e for e in named(events, name) if reports & {f["frame_type"] for f in e["data"]["frames"]}
    ]


def test_everything_is_as_the_schema_defines(logs, conforms):
    for (header, events), expected in zip(logs, (AT_SENDER, AT_RECEIVER), strict=True):
        conforms(header, "QlogFileSeq")
        assert header["trace"]["common_fields"]["protocol_type"] == ["TACK"]
        assert {e["name"] for e in events} == expected
        for event in events:
            conforms(event, "Event")
            data = dict(event["data"])
            for frame in data.pop("frames", []):
                conforms(frame, "TackFrame")
            body = data if event["name"].startswith(("rec", "tack")) else data | {"frames": []}
            conforms(body, DEFINITIONS[event["name"]])
        times = [e["time"] for e in events]
        assert times == sorted(times)


def test_the_validator_tells_right_from_wrong(logs, conforms):
    (tack, *_), (iack, *_) = (frames(logs[1][1], kind) for kind in ("tack", "iack"))
    for right, wrong in ((tack, {"rho": 1}), (tack, {"settled": "9"}), (iack, {"reason": "why"})):
        conforms(right, "TackFrame")
        with pytest.raises(Exception, match="error validating"):
            conforms(right | wrong, "TackFrame")


def test_packets_are_the_runs(result, logs):
    flow, events = result.flows.row(0, named=True), logs[0][1]
    data = [e for e in named(events, "transport:packet_sent") if frames([e], "stream")]
    order = [e["data"]["header"]["packet_number"] for e in data]
    assert order == sorted(set(order))
    assert sum(e["data"]["raw"]["payload_length"] > 0 for e in data) == flow["data_segments"]
    again = [e["data"]["trigger"] for e in data if "trigger" in e["data"]]
    assert len(again) == flow["retransmissions"] > 50
    assert set(again) == {"reported"}


def test_what_is_lost_was_lost_on_the_way(result, logs):
    """Each packet that the sender takes for lost was dropped by a link, and is sent again."""
    flow, events = result.flows.row(0, named=True), logs[0][1]
    lost = named(events, "recovery:packet_lost")
    order = [e["data"]["header"]["packet_number"] for e in lost]
    assert len(order) == len(set(order)) == flow["lost_segments"]
    dropped = result.packets.filter(pl.col("what") == "dropped", pl.col("direction") == "forward")
    contents = result.tack_contents.filter(pl.col("feedback") == 0)
    theirs = dropped.join(contents, on="packet")["number"]
    assert set(order) == set(theirs.to_list())
    packets = {n: e for n, e in sent(events).items() if frames([e], "stream")}
    again = [stream(e) for e in packets.values() if "trigger" in e["data"]]
    assert sorted(stream(packets[n]) for n in order) == sorted(again)
    # Of IACKs a tenth is lost; what they named is left to TACKs.
    why = [e["data"]["trigger"] for e in lost]
    assert why.count("iack") > 5 * why.count("tack") > 0
    heard = [f["lost"] for f in frames(events, "iack") if "lost" in f]
    named_by_iacks = {n for first, last in heard for n in range(first, last + 1)}
    for e in lost:
        if e["data"]["trigger"] == "iack":
            assert e["data"]["header"]["packet_number"] in named_by_iacks


def test_acknowledged_bytes_are_the_runs(logs):
    events = logs[0][1]
    packets = {n: e for n, e in sent(events).items() if frames([e], "stream")}
    done = [n for n, _ in acked(events)]
    assert len(done) == len(set(done))
    carried = sorted({stream(packets[n]) for n in done})
    assert sum(length for _, length in carried) == 4_000_000
    closing = frames(named(events, "transport:packet_received"), "close")
    assert {c["cumulative"] for c in closing} <= {4_000_001}


def test_reports_are_the_runs_with_their_reasons(result, logs):
    out = feedback(logs[1][1], "transport:packet_sent")
    table = result.reports
    assert len(out) == len(table) > 300
    for event, row in zip(out, table.iter_rows(named=True), strict=True):
        data = event["data"]
        assert event["time"] == pytest.approx(row["time_s"] * 1e3)
        assert data["trigger"] == row["reason"]
        assert data["header"] | {"packet_number": row["report_number"]} == data["header"]
        report = [f for f in data["frames"] if f["frame_type"] in ("tack", "iack")]
        assert report[-1]["cumulative"] == row["ack_bytes"]
        for f in report:
            if f["frame_type"] == "tack":
                assert [e for b in f["acked"] for e in b] == row["acked_blocks"]
                assert [e for b in f["unacked"] for e in b] == row["unacked_blocks"]
    came = feedback(logs[0][1], "transport:packet_received")
    heard = result.acks.filter(pl.col("what") == "received")
    assert len(came) == len(heard) < len(out)
    by_number = {e["data"]["header"]["packet_number"]: e["data"] for e in out}
    for event in came:
        theirs = by_number[event["data"]["header"]["packet_number"]]
        assert event["data"]["trigger"] == theirs["trigger"]


def test_what_a_receiver_calls_lost_has_not_come(logs):
    events = logs[1][1]
    arrived, told = set(), []
    for event in events:
        header = event["data"].get("header", {})
        if event["name"] == "transport:packet_received" and header["space"] == "data":
            arrived.add(header["packet_number"])
        for frame in frames([event], "iack"):
            if "lost" in frame:
                first, last = frame["lost"]
                assert not arrived & set(range(first, last + 1))
                assert {first - 1, last + 1} <= arrived
                told.append((first, last))
    assert told == sorted(set(told))
    assert len(told) > 50


def test_estimates_are_the_reports(result, logs):
    """Only changes are logged; together they give every row back."""
    known, at = {}, {}
    for event in named(logs[1][1], "tack:estimates_updated"):
        known |= event["data"]
        at[event["time"]] = dict(known)
    now = {}
    for row in result.reports.iter_rows(named=True):
        now = at.get(round(row["time_s"] * 1e9) / 1e6, now)
        assert now["max_delivery_rate"] == round(row["bw_mbps"] * 1e6)
        assert now["data_loss_rate"] == row["rho"]
        assert now["ack_loss_rate"] == row["rho_ack"]
        assert now["tack_interval"] == row["tack_interval_ms"]
        assert now["start_up"] == bool(row["start_up"])


def test_metrics_are_the_samples(result, logs):
    updates = named(logs[0][1], "recovery:metrics_updated")
    last = {}
    for event in updates:
        last |= event["data"]
    row = result.series.row(-1, named=True)
    assert last["congestion_window"] == row["cwnd_bytes"]
    assert last["smoothed_rtt"] == row["srtt_ms"]
    states = [e["data"] for e in named(logs[0][1], "recovery:congestion_state_updated")]
    assert [s["new"] for s in states].count("recovery") == result.flows["recoveries"][0] > 3


def test_responses_are_seen_by_who_responds(tmp_path):
    scenario = tamed(app={"kind": "request-response", "response": "20 kB"})
    run = acklab.load(scenario).run(seed=2)
    (_, responder), (header, asker) = (read(f) for f in write_qlog(run, tmp_path))
    assert header["trace"]["vantage_point"] == {"name": "s0", "type": "client"}
    assert len(feedback(asker, "transport:packet_sent")) == len(run.reports)
    data = [e for e in sent(responder).values() if e["data"]["raw"]["payload_length"]]
    assert len(data) == run.flows["data_segments"][0]
    # The requests come this way, and are acknowledged by who responds.
    assert feedback(asker, "transport:packet_received")
    lost = named(responder, "recovery:packet_lost")
    assert len(lost) == run.flows["lost_segments"][0] > 0
    assert all("trigger" in e["data"] for e in feedback(asker, "transport:packet_sent"))


def test_timeouts_give_up_what_is_under_way(tmp_path):
    scenario = tamed(app={"kind": "request-response", "response": "20 kB"})
    scenario["topology"]["bottleneck"] |= {"loss": 0.2, "reverse": {"loss": 0.3}}
    run = acklab.load(scenario).run(seed=4)
    flow = run.flows.row(0, named=True)
    events = read(write_qlog(run, tmp_path)[0])[1]
    triggers = [e["data"].get("trigger") for e in named(events, "transport:packet_sent")]
    assert triggers.count("retransmit_timeout") == flow["retransmissions_rto"] > 0
    assert triggers.count("pto_probe") == flow["retransmissions_tlp"] > 0
    lost = named(events, "recovery:packet_lost")
    why = [e["data"]["trigger"] for e in lost]
    assert len(why) == flow["lost_segments"]
    assert why.count("pto_expired") > 0


def test_marks_are_counted_in_it(tmp_path):
    scenario = tamed(transport={"name": "tack", "ecn": True})
    bottleneck = {"qdisc": {"name": "fq-codel"}, "loss": 0.0, "reverse": {}}
    scenario["topology"]["bottleneck"] |= bottleneck
    run = acklab.load(scenario).run(seed=1)
    _, events = read(write_qlog(run, tmp_path)[1])
    marked = [f for f in frames(events, "iack") if f["reason"] == "mark"]
    assert marked
    last = frames(named(events, "transport:packet_sent"), "tack")[-1]["ecn"]
    assert last["ce"] >= marked[-1]["ecn"]["ce"] > 0


def test_beside_tcp_and_udp(tmp_path):
    """TCP's file is as ever, UDP at a constant rate has none, and no name is used twice."""
    scenario = tamed()
    scenario["flow"] = [
        {"name": "a", "transport": "tack"},
        {"name": "a.receiver"},
        {"name": "noise", "transport": "cbr"},
    ]
    scenario["duration"] = "3 s"
    run = acklab.load(scenario).run(seed=1)
    written = write_qlog(run, tmp_path)
    assert [f.name for f in written] == ["a.sqlog", "a.receiver.sqlog", "a.receiver_.sqlog"]
    header, events = read(written[2])
    assert header["trace"]["common_fields"]["protocol_type"] == ["TCP"]
    assert not frames(events, "tack")


def test_the_command_records_what_it_needs(acklab_cli, tmp_path):
    scenario = tmp_path / "t.toml"
    scenario.write_text(
        'name = "t"\nduration = "2 s"\n[topology]\npreset = "dumbbell"\n'
        '[topology.bottleneck]\nrate = "5 Mbit/s"\n[[flow]]\nname = "f"\ntransport = "tack"\n'
    )
    acklab_cli("run", str(scenario), "--qlog", "--out", str(tmp_path / "out"))
    _, events = read(tmp_path / "out" / "f.receiver.sqlog")
    assert {f["frame_type"] for e in events for f in e["data"].get("frames", [])} >= {"tack"}


def test_without_acks_it_says_how_to_record(tmp_path):
    scenario = tamed()
    del scenario["record"]["acks"]
    run = acklab.load(scenario | {"duration": "1 s"}).run()
    with pytest.raises(acklab.AcklabError, match="--record acks"):
        write_qlog(run, tmp_path)


def test_the_same_run_gives_the_same_bytes(result, files, tmp_path):
    again = write_qlog(result.scenario.run(seed=5), tmp_path)
    assert [f.read_bytes() for f in again] == [f.read_bytes() for f in files]


def test_it_is_json_without_surprises(files):
    for file in files:
        text = file.read_text()
        assert "NaN" not in text
        assert all(json.loads(t) for t in text.split("\x1e")[1:])


def test_ranges_of_what_is_acknowledged_are_in_order(logs):
    for frame in frames(logs[0][1], "ack"):
        told = numbers(frame["acked_ranges"])
        assert told == sorted(set(told))
