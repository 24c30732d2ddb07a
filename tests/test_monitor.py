"""Captures of radio channels: what tshark makes of them, against what the run says."""

import json
import shutil

import polars as pl
import pytest

import acklab
from acklab.formats import write_monitor
from cells import cell, hidden, run
from test_pcapng import tshark

needs_tshark = pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed")

#: Type and subtype (IEEE 802.11-2020, table 9-1) of what PPDUs of that kind have in them.
SUBTYPES = {
    "data": "0x0028",
    "bar": "0x0018",
    "block_ack": "0x0019",
    "rts": "0x001b",
    "cts": "0x001c",
    "ack": "0x001d",
}
ADDRESSES = {"ap": 0, "sta0": 1, "sta1": 2, "sta2": 3}


@pytest.fixture(scope="module", params=[cell, hidden], ids=["cell", "hidden"])
def captured(request, tmp_path_factory):
    result = run(request.param())
    (file,) = write_monitor(result, tmp_path_factory.mktemp("monitor"))
    assert file.name == "wifi.monitor.pcapng"
    return result, file


def address(station):
    return f"02:00:00:00:00:{ADDRESSES[station]:02x}"


def frames(file):
    fields = ["wlan.fc.type_subtype", "wlan.ta", "wlan.fc.retry", "radiotap.ampdu.reference"]
    rows = tshark(file, "frame.number", *fields, "radiotap.flags.badfcs")
    names = ["number", "subtype", "from", "retry", "reference", "bad"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    marks = (pl.col(c).is_in(["1", "True"]) for c in ("retry", "bad"))
    return frame.with_columns(*marks)


@needs_tshark
def test_tshark_has_nothing_to_complain_about(captured):
    wrong = "_ws.malformed || _ws.short || _ws.expert.severity >= Warning"
    assert tshark(captured[1], "frame.number", "_ws.expert.message", only=wrong) == []


@needs_tshark
def test_frames_are_those_of_the_ppdus(captured):
    """By type and subtype, readable or not; data frames one by one, as MPDUs."""
    result, file = captured
    each = pl.when(pl.col("kind") == "data").then("mpdus").otherwise(1).cast(pl.Int64).sum()
    ours = result.ppdus.group_by("kind", "garbled").agg(each.alias("frames"))
    told = {(SUBTYPES[kind], bad): n for kind, bad, n in ours.iter_rows()}
    found = frames(file).group_by("subtype", "bad").len().iter_rows()
    assert {(subtype, bad): n for subtype, bad, n in found} == told
    assert {bad for _, bad in told} == {False, True}


@needs_tshark
def test_retries_and_mpdus_are_those_of_the_stations(captured):
    result, file = captured
    data = frames(file).filter(pl.col("subtype") == SUBTYPES["data"])
    for row in result.stations.iter_rows(named=True):
        own = data.filter(pl.col("from") == address(row["station"]))
        assert (len(own), own["retry"].sum()) == (row["mpdus"], row["retries"]), row["station"]
    assert result.stations["retries"].sum() > 10


@needs_tshark
def test_the_histogram_of_a_mpdus_is_that_of_the_run(captured):
    """A second time, from the reference numbers of radiotap's A-MPDU status."""
    result, file = captured
    data = frames(file).filter(pl.col("subtype") == SUBTYPES["data"])
    alone = pl.when(pl.col("reference") == "").then("number").otherwise("reference")
    ppdus = data.group_by("from", pl.col("reference") == "", alone.alias("ppdu")).len("mpdus")
    found = ppdus.group_by("from", "mpdus").len("ppdus")
    told = {(a, int(m)): n for a, m, n in found.iter_rows()}
    ours = result.ampdu_sizes.select("station", "mpdus", "ppdus").iter_rows()
    assert told == {(address(s), m): n for s, m, n in ours}
    assert max(m for _, m in told) > 10


@needs_tshark
def test_times_are_those_of_the_ppdus(captured):
    result, file = captured
    only = f"wlan.fc.type_subtype != {SUBTYPES['data']}"
    found = [round(float(r[0]) * 1e9) for r in tshark(file, "frame.time_epoch", only=only)]
    ours = result.ppdus.filter(pl.col("kind") != "data").sort("time_ns")
    assert found == ours["time_ns"].to_list()


def test_the_same_run_gives_the_same_bytes_and_nothing_else_changes(tmp_path):
    first, second = run(cell()), run(cell())
    (a,), (b,) = (write_monitor(r, tmp_path / n) for r, n in ((first, "a"), (second, "b")))
    assert a.read_bytes() == b.read_bytes()
    assert run(cell(record={})).flows.equals(first.flows)


def test_without_frames_it_says_how_to_record_them(tmp_path):
    with pytest.raises(acklab.NotRecordedError, match="frames = true"):
        write_monitor(run(cell(record={})), tmp_path)


def test_without_a_channel_there_is_nothing_to_capture(small, tmp_path):
    small["record"] = {"frames": True}
    with pytest.raises(acklab.AcklabError, match="no radio channel to capture"):
        write_monitor(acklab.load(small).run(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_channel_is_no_place_for_packets():
    with pytest.raises(acklab.ScenarioError, match=r"record\.frames"):
        acklab.load(cell(record={"packets": ["wifi"]}))


def test_on_the_command_line(acklab_cli, tmp_path):
    file = tmp_path / "cell.json"
    file.write_text(json.dumps(cell(record={})))
    done = acklab_cli("run", file, "--pcap", "--out", "a")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "a" / "run.json").read_text())["recorded"] == [
        "packets",
        "frames",
    ]
    (ours,) = write_monitor(run(cell()), tmp_path)
    assert (tmp_path / "a" / "wifi.monitor.pcapng").read_bytes() == ours.read_bytes()
    done = acklab_cli("run", file, "--out", "a")
    assert not (tmp_path / "a" / "wifi.monitor.pcapng").exists(), "it belongs to the run before"
