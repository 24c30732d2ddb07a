"""Live connections as results: qlog, tables, plots, reports, comparisons as of simulated runs."""

import json
import socket
import subprocess
import sys
import threading
import time

import polars as pl
import pytest

import acklab
import acklab.tack
from acklab.formats import write_qlog
from acklab.results import frame_of
from acklab.tack.recorded import Recorder
from test_qlog import named, read
from test_qlog_tack import AT_RECEIVER, AT_SENDER, DEFINITIONS, conforms  # noqa: F401
from test_tack_live import acklab_, ended, listening, own_keys, stop  # noqa: F401

PLOTS = ("series", "sequence", "phases", "cdf", "ack-spacing", "segments-per-ack")
TABLES = ("flows", "series", "events", "acks", "reports", "packets", "tack_contents", "links")


@pytest.fixture(scope="module")
def simulated():
    scenario = {
        "name": "same",
        "duration": "2 s",
        "record": {"packets": True, "acks": True, "events": True, "every": "10 ms"},
        "topology": {"preset": "dumbbell", "bottleneck": {"rate": "20 Mbit/s", "delay": "5 ms"}},
        "flow": [{"name": "stream-0", "transport": "tack", "cc": "bbr-tack"}],
    }
    return acklab.load(scenario).run()


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The folder of a measurement over loopback, as the command leaves it, and its output."""
    home = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as m:
        m.setenv("XDG_CONFIG_HOME", str(home / "config"))
        server = acklab_("tack", "perf", "--listen", "127.0.0.1:0", "--once")
        at, key = listening(server)
        words = ["--to", at, "--key", key, "-t", "0.5", "-P", "2", "--json"]
        code, out, err = ended(acklab_("tack", "perf", *words, "--qlog", home / "run"), 120)
    if code:
        server.kill()
    assert code == 0, err + server.communicate()[0]
    ended(server)
    return home / "run", json.loads(out)


def both_ends(size, streams=1):
    """A result of transfers in this process, both ends recorded, and what was sent."""
    recorder = Recorder("both")
    key = acklab.tack.Key.pair()
    ends = []
    with acklab.tack.listen("127.0.0.1:0", key, record=recorder) as server:
        host, port = server.address
        for i in range(streams):
            client = acklab.tack.connect(f"{host}:{port}", key, record=recorder)
            peer = server.accept(10)
            reader = threading.Thread(target=drained, args=(peer,))
            reader.start()
            client.write_all(bytes(size))
            client.finish()
            reader.join(60)
            client.close()
            recorder.add(f"f{i}", client, sends=True)
            recorder.add(f"f{i}", peer, sends=False)
            ends.append((client.report(), peer.report()))
        return recorder.result("over loopback"), ends


def drained(connection):
    while connection.read():
        pass
    connection.close()


def appears(path, seconds=60):
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, path
        time.sleep(0.05)


@pytest.fixture(scope="module")
def both():
    return both_ends(2_000_000, 2)


def test_the_tables_have_the_columns_of_a_simulated_run(both, simulated):
    result, _ = both
    for name in TABLES:
        live, sim = result.table(name), simulated.table(name)
        assert live.columns == sim.columns, name
        # Nobody sees the links of a real path.
        assert live.dtypes == sim.dtypes or name == "links", name


def test_a_transfer_shorter_than_a_sample_has_columns_of_the_same_kinds(simulated):
    # Columns of words without rows, and with nothing but none.
    assert {frame_of({"w": w})["w"].dtype for w in ([], [None], ["a"])} == {pl.String}
    result, _ = both_ends(100)
    for name in TABLES:
        live, sim = result.table(name), simulated.table(name)
        assert live.schema == sim.schema or name == "links", name


def test_what_both_ends_saw_is_one_run(both):
    result, ends = both
    packets, contents = result.packets, result.tack_contents
    for i, (ours, theirs) in enumerate(ends):
        row = result.flows.row(i, named=True)
        assert row["flow"] == f"f{i}"
        assert row["data_segments"] == ours["data_packets"]
        assert row["received_bytes"] == theirs["received_bytes"] == 2_000_000
        # A peer that lingers still answers.
        assert 0 <= row["acks_sent"] - theirs["acks_sent"] <= 2
        mine = packets.filter(pl.col("flow") == f"f{i}")
        sent = mine.filter(what="sent", point="client", direction="forward")
        assert (sent["len"] > 0).sum() == ours["data_packets"]
        came = mine.filter(what="delivered", point="server", direction="forward")
        # A packet has one number at both ends, and arrives after it was sent.
        way = sent.join(came, on="packet", suffix="_there", how="inner")
        assert len(way) == len(came)
        assert (way["time_ns_there"] >= way["time_ns"]).all()
        assert (way["size"] == way["size_there"]).all()
    assert packets["time_ns"].is_sorted()
    assert contents["packet"].to_list() == sorted(set(packets["packet"]))
    assert result.reports["time_s"].is_sorted()
    assert set(result.acks["what"]) == {"sent", "received"}


def test_the_start_of_a_connection_is_in_it(both):
    frames = both[0].tack_contents.sort("packet")["frames"].head(2).to_list()
    kinds = [json.loads(f)[0]["frame_type"] for f in frames]
    assert kinds == ["hello", "accept"]
    first = both[0].packets.row(0, named=True)
    assert (first["what"], first["point"], first["size"]) == ("sent", "client", 1228)


def test_samples_stand_where_those_of_a_simulated_run_do(both):
    series = both[0].series
    tens = series["time_s"] * 100
    assert ((tens - tens.round()).abs() < 1e-6).all()
    for flow in ("f0", "f1"):
        mine = series.filter(pl.col("flow") == flow)
        assert mine["acked_bytes"].is_sorted()


@pytest.mark.parametrize("ends", ["both", "one"])
def test_qlog_is_as_the_schema_defines(ends, both, measured, tmp_path, conforms):  # noqa: F811
    if ends == "both":
        files = write_qlog(both[0], tmp_path)
        expected = ["f0", "f0.receiver", "f1", "f1.receiver"]
    else:
        files = sorted(measured[0].glob("*.sqlog"))
        expected = ["stream-0", "stream-1"]
    assert [f.name for f in files] == [f"{stem}.sqlog" for stem in expected]
    for file in files:
        header, events = read(file)
        conforms(header, "QlogFileSeq")
        assert "live, recorded by acklab" in header["description"]
        allowed = AT_RECEIVER if ".receiver." in file.name else AT_SENDER
        assert {e["name"] for e in events} <= allowed | {"recovery:packet_lost"}
        assert named(events, "transport:packet_sent")
        for event in events[:2000]:
            conforms(event, "Event")
            data = dict(event["data"])
            for frame in data.pop("frames", []):
                conforms(frame, "TackFrame")
            body = data if event["name"].startswith(("rec", "tack")) else data | {"frames": []}
            conforms(body, DEFINITIONS[event["name"]])


def test_a_measurement_is_a_result_folder(measured):
    folder, told = measured
    run = acklab.open(folder)
    assert run.recorded == ("series", "events", "acks", "packets")
    flows = run.flows
    assert flows["flow"].to_list() == ["stream-0", "stream-1"]
    assert flows["data_segments"].to_list() == [s["report"]["data_packets"] for s in told["sent"]]
    assert flows["iacks_sent"].to_list() == [r["report"]["iacks_sent"] for r in told["received"]]
    assert flows["out_of_order_segments"].null_count() == 2, "only the receiver knows"
    assert "acklab tack perf" in run.command
    acklab.load(folder / "scenario.toml")


def test_every_tool_takes_it(measured, simulated, tmp_path):
    folder, _ = measured
    sim = simulated.save(tmp_path / "sim")
    for words in (
        *(("plot", folder, k, "--out", tmp_path / f"{k}.svg") for k in PLOTS),
        ("report", folder, "--out", tmp_path / "r.html"),
        ("compare", folder, sim, "--out", tmp_path / "c.csv"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "acklab", *map(str, words)], capture_output=True, text=True
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)


def test_a_receiver_keeps_what_it_saw(tmp_path):
    (tmp_path / "f").write_bytes(bytes(3_000_000))
    words = ("--listen", "127.0.0.1:0", "--out", tmp_path / "g", "--qlog", tmp_path / "there")
    receiver = acklab_("tack", "recv", *words)
    at, key = listening(receiver)
    sender = ("tack", "send", tmp_path / "f", "--to", at, "--key", key)
    code, _, err = ended(acklab_(*sender, "--qlog", tmp_path / "here"), 120)
    assert code == 0, err
    code, _, err = ended(receiver, 120)
    assert code == 0, err
    here, there = acklab.open(tmp_path / "here"), acklab.open(tmp_path / "there")
    assert here.flows["received_bytes"][0] >= 3_000_000
    assert there.flows["received_bytes"][0] >= 3_000_000
    assert there.flows["cwnd_max_packets"].null_count() == 1
    assert len(there.reports) > 0
    assert "reports" not in here.tables
    assert [p.name for p in (tmp_path / "there").glob("*.sqlog")] == ["file.receiver.sqlog"]


def test_proxies_keep_each_connection(tmp_path):
    """Both proxies keep a folder of each connection; their counts and TCP's bytes agree."""
    service = socket.create_server(("127.0.0.1", 0))
    sizes = [(2_000_000, 1_000), (3_000, 700_000)]

    def serve():
        for _, back in sizes:
            tcp, _ = service.accept()
            with tcp:
                while tcp.recv(65536):
                    pass
                tcp.sendall(bytes(back))

    serving = threading.Thread(target=serve, daemon=True)
    serving.start()
    port = service.getsockname()[1]
    words = ("proxy", "--serve", "127.0.0.1:0", "--to", f"127.0.0.1:{port}")
    there = acklab_("tack", *words, "--qlog", tmp_path / "there")
    at, key = listening(there)
    words = ("proxy", "--listen", "127.0.0.1:0", "--to", at, "--key", key)
    here = acklab_("tack", *words, "--qlog", tmp_path / "here")
    entrance = int(here.stdout.readline().rsplit(":", 1)[1])
    for number, (up, down) in enumerate(sizes, start=1):
        with socket.create_connection(("127.0.0.1", entrance), timeout=30) as tcp:
            tcp.sendall(bytes(up))
            tcp.shutdown(socket.SHUT_WR)
            got = 0
            while more := tcp.recv(65536):
                got += len(more)
        assert got == down
        for side in ("here", "there"):
            appears(tmp_path / side / f"{number:04}")
    for proxy in (here, there):
        stop(proxy)
    serving.join(10)
    for number, (up, down) in enumerate(sizes, start=1):
        name, carried = ("up", up) if up > down else ("down", down)
        for side in ("here", "there"):
            run = acklab.open(tmp_path / side / f"{number:04}")
            sends = (side == "here") == (name == "up")
            assert run.flows["flow"].to_list() == [name]
            assert run.flows["received_bytes"].to_list() == [carried]
            assert ("reports" in run.tables) != sends
            kind = f"{name}.sqlog" if sends else f"{name}.receiver.sqlog"
            files = [p.name for p in (tmp_path / side / f"{number:04}").glob("*.sqlog")]
            assert files == [kind]
            assert "acklab tack proxy" in run.command


def test_no_more_is_kept_than_was_asked(tmp_path):
    recorder = Recorder("few", most_packets=50)
    key = acklab.tack.Key.pair()
    with acklab.tack.listen("127.0.0.1:0", key) as server:
        host, port = server.address
        client = acklab.tack.connect(f"{host}:{port}", key, record=recorder)
        reader = threading.Thread(target=drained, args=(server.accept(10),))
        reader.start()
        client.write_all(bytes(1_000_000))
        client.close()
        reader.join(60)
    recorder.add("few", client, sends=True)
    result = recorder.result()
    assert len(result.packets) == 50
    assert result.missed > 500
    assert result.flows["data_segments"][0] >= 690
    assert result.packets["time_ns"].max() < result.acks["time_s"].max() * 1e9


def test_a_folder_that_is_something_else_stays(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    words = ("tack", "perf", "--to", "127.0.0.1:9", "--qlog", tmp_path / "mine")
    code, _, err = ended(acklab_(*words))
    assert code == 1
    assert "mine" in err
    assert (tmp_path / "mine" / "letter").read_text() == "dear"
