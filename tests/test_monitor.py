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
    each = pl.when(pl.col("kind") == "data").then("mpdus").otherwise(1).cast(pl.Int64)
    spoilt = pl.when("garbled").then(each).otherwise(pl.col("mpdus_spoilt").cast(pl.Int64))
    ours = result.ppdus.group_by("kind").agg(
        (each - spoilt).sum().alias("read"), spoilt.sum().alias("spoilt")
    )
    told = {(SUBTYPES[kind], False): n for kind, n, _ in ours.iter_rows()}
    told |= {(SUBTYPES[kind], True): n for kind, _, n in ours.iter_rows()}
    found = frames(file).group_by("subtype", "bad").len().iter_rows()
    assert {(s, bad): n for s, bad, n in found} == {k: n for k, n in told.items() if n}
    assert told[SUBTYPES["data"], True] > 0
    partly = result.ppdus.filter((pl.col("mpdus_spoilt") > 0) & ~pl.col("garbled"))
    assert partly.is_empty() == (result.scenario.name != "hidden")


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


#: Bits of a symbol of 4 us, and what comes before the symbols: HT MCS 7 over 20 MHz with one stream
#: (IEEE 802.11-2020, 19.3.2, 19.5), and 24 Mbit/s of control frames (17.3.2, 17.3.3).
HT, LEGACY = (260, 36), (96, 20)
#: Fields that are read of each frame beside its time and length.
ON_AIR = ("wlan.ta", "wlan.ra", "wlan.duration", "radiotap.ampdu.reference", "wlan.fc.type_subtype")


def lasts_us(lengths, subtype):
    """Of a PPDU with MPDUs of these lengths; more than one stand behind delimiters, padded."""
    *padded, last = lengths
    psdu = sum(4 + -(-n // 4) * 4 for n in padded) + last + (4 if padded else 0)
    bits, preamble = HT if subtype == SUBTYPES["data"] else LEGACY
    return preamble + 4 * -(-(16 + 8 * psdu + 6) // bits)


def on_air(file):
    """Each PPDU of a capture: when, from whom, of which subtype, its NAV, and whether each of its
    frames could be read."""
    fields = ("frame.time_epoch", "frame.len", "radiotap.length", "radiotap.flags.badfcs", *ON_AIR)
    ppdus, senders = {}, {}
    for at, length, header, bad, ta, ra, nav, reference, subtype in tshark(file, *fields):
        # An ACK or a CTS is of whom the last frame of its receiver was for.
        sender = ta or senders[ra]
        senders[sender] = ra
        start = round(float(at) * 1e9)
        ppdu = ppdus.setdefault((start, sender, reference), [[], subtype, [], nav])
        ppdu[0].append(int(length) - int(header))
        ppdu[2].append(bad in ("1", "True"))
    for (start, sender, _), (lengths, subtype, bad, nav) in ppdus.items():
        end = start + 1000 * lasts_us(lengths, subtype)
        yield start, end, end + 1000 * int(nav), sender, subtype, bad


def spoilt(ppdu, ppdus):
    """When a PPDU to a station that hears all could not be read for the sake of others: never,
    always, or, if some of its frames could be, while others were on the air."""
    start, end, _, sender, _, bad = ppdu
    if all(bad):
        return [(start, end)]
    others = (
        [p for p in ppdus if p[3] != sender and p[0] < end and p[1] > start] if any(bad) else []
    )
    return [(max(start, p[0]), min(end, p[1])) for p in others]


def covered(spans):
    """Nanoseconds that some of `spans` cover."""
    total = last = 0
    for begin, end in sorted(spans):
        total += max(end, last) - max(begin, last)
        last = max(end, last)
    return total


@needs_tshark
def test_the_time_of_each_station_is_that_of_the_capture(captured):
    """A second time, from lengths, rates and Duration fields of frames."""
    result, file = captured
    ppdus = list(on_air(file))
    hears = {"sta0", "sta1"} if result.scenario.name == "hidden" else set()
    classes = {
        "mac_ack": {SUBTYPES["ack"], SUBTYPES["block_ack"]},
        "control": {SUBTYPES["rts"], SUBTYPES["cts"], SUBTYPES["bar"]},
    }
    for row in result.stations.iter_rows(named=True):
        told = {k.removesuffix("_s"): round(1e9 * v) for k, v in row.items() if k.endswith("_s")}
        who = row["station"]
        own = [p for p in ppdus if p[3] == address(who)]
        sent = {
            use: covered(p[:2] for p in own if p[4] in c and not any(p[5]))
            for use, c in classes.items()
        }
        collision = covered(span for p in own for span in spoilt(p, ppdus))
        assert told["collision"] == collision, who
        if not told["noise"]:
            assert {use: told[use] for use in sent} == sent, who
        sending = covered(p[:2] for p in own)
        uses = ("data", "transport_ack", "mac_ack", "control", "collision", "noise")
        assert sum(told[use] for use in uses) == sending, who
        deaf = {address(s) for s in hears - {who}} if who in hears else set()
        heard = [p for p in ppdus if p[3] not in deaf]
        least = covered(p[:2] for p in heard) - sending
        most = covered((p[0], p[2]) for p in heard) - sending
        assert least <= told["others"] <= most, who
        assert 0 < most - least < 0.05 * 1e9
        length = round(result.airtime["airtime_s"].sum() * 1e9)
        assert told["sifs"] + told["contention"] + told["idle"] == length - sending - told["others"]


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


@needs_tshark
def test_tshark_works_out_the_times_of_the_run(captured):
    """From the time of the first bit of a PSDU, its length, its mode: beginning and end of what is
    no A-MPDU, in whole microseconds, and the right FCS of what could be read."""
    result, file = captured
    more = ["-o", "wlan_radio.tsf_at_end:FALSE", "-o", "wlan.check_checksum:TRUE"]
    fields = ("frame.time_epoch", "wlan_radio.start_tsf", "wlan_radio.end_tsf", "wlan.fcs.status")
    only = f"wlan.fc.type_subtype != {SUBTYPES['data']}"
    rows = tshark(file, *fields, only=only, more=more)
    ppdus = result.ppdus.filter(pl.col("kind") != "data").sort("time_ns")
    assert len(rows) == ppdus.height > 50
    for (at, start, end, fcs), ppdu in zip(rows, ppdus.iter_rows(named=True), strict=True):
        assert round(float(at) * 1e9) == ppdu["time_ns"]
        assert int(start) == ppdu["time_ns"] // 1000
        assert int(end) - int(start) == (ppdu["end_ns"] - ppdu["time_ns"]) // 1000
        assert (fcs == "1") != ppdu["garbled"]
