"""TACK in captures: what tshark reads with the dissector, against what the run says."""

import shutil
import subprocess

import polars as pl
import pytest

import acklab
from acklab.formats import write_dissector, write_pcapng
from conftest import PATIENCE

pytestmark = pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed")


@pytest.fixture(scope="module")
def result():
    scenario = {
        "name": "tamed",
        "duration": "20 s",
        "record": {"packets": True, "acks": True},
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
        "flow": [
            {
                "name": "bulk",
                "transport": "tack",
                "cc": "cubic",
                "app": {"kind": "bulk", "bytes": "4 MB"},
            }
        ],
    }
    return acklab.load(scenario).run(seed=5)


@pytest.fixture(scope="module")
def read(result, tmp_path_factory):
    """Reads fields of the packets of a view that have the first of them."""
    folder = tmp_path_factory.mktemp("tack")
    script = write_dissector(folder / "tack.lua")
    captures = {
        whole: write_pcapng(result, folder / f"{whole}.pcapng", whole=whole)
        for whole in (False, True)
    }

    def fields(*names, view="bulk@s0", whole=False, only=""):
        words = ["tshark", "-X", f"lua_script:{script}", "-r", str(captures[whole])]
        words += ["-T", "fields", "-E", "separator=;", *(w for n in names for w in ("-e", n))]
        words += ["-Y", f'frame.interface_name == "{view}" && {only or names[0]}']
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=True)
        assert "Lua" not in done.stderr
        return [line.split(";") for line in done.stdout.splitlines()]

    return fields


def at(result, node, what, direction):
    only = (pl.col("point") == node) & (pl.col("what") == what)
    return result.packets.filter(only & (pl.col("direction") == direction))


def whole_numbers(rows):
    return [tuple(int(cell or 0) for cell in row) for row in rows]


@pytest.mark.parametrize("whole", [False, True])
def test_every_packet_is_read(result, read, whole):
    everything = "udp && !(tack.number && !tack.wrong && !_ws.malformed)"
    assert read("frame.number", only=everything, whole=whole) == []
    rows = read("tack.number", "tack.payload", "frame.len", "ip.src", whole=whole)
    table = result.packets.filter(
        pl.col("point") == "s0", pl.col("what").is_in(["sent", "delivered"])
    )
    theirs = whole_numbers(row[:3] for row in rows)
    ours = table.select("seq", "len", "size").rows()
    assert [(n % (1 << 32), length, size) for n, length, size in theirs] == ours
    assert len(rows) > 3000


def test_numbers_of_data_are_the_runs(result, read):
    flow = result.flows.row(0, named=True)
    rows = read(
        "tack.offset",
        "tack.payload",
        "tack.fin",
        "tack.pkt_seq",
        only="tack.seq && ip.src == 10.0.0.1",
    )
    data = [(int(a), int(b), c in ("1", "True")) for a, b, c, _ in rows]
    assert sum(1 for _, size, _ in data if size) == flow["data_segments"]
    covered = 0
    for offset, size, _ in sorted(data):
        assert offset <= covered
        covered = max(covered, offset + size)
    assert covered == flow["received_bytes"] == 4_000_000
    ends = {offset + size for offset, size, fin in data if fin}
    assert ends == {4_000_000}
    numbers = [int(row[3]) for row in rows]
    assert numbers == sorted(set(numbers))


def test_acknowledgements_are_the_runs(result, read):
    """Counters of the receiver, by its TACKs and IACKs, against its own packets."""
    flow = result.flows.row(0, named=True)
    feedback = "tack.space == 1 && ip.src == 10.0.0.4 && !tack.offer.beta"
    sent = read("frame.number", view="bulk@d0", only=feedback)
    assert len(sent) == flow["acks_sent"]
    came = read("frame.number", only=feedback)
    assert len(came) == flow["acks_received"] < len(sent)
    # One TACK each, without an IACK beside it, so that fields have one value.
    lone = "ip.src == 10.0.0.4 && tack.rate && !tack.iack"
    names = ("cumulative", "largest", "packets", "expected", "lost")
    rows = read("frame.time_epoch", *(f"tack.{n}" for n in names), view="bulk@d0", only=lone)
    arrived = at(result, "d0", "delivered", "forward").filter(pl.col("len") > 0)
    times, numbers = arrived["time_ns"].to_numpy(), arrived["seq"].to_numpy()
    for when, *cells in rows:
        cumulative, largest, packets, expected, lost = (int(c) for c in cells)
        by_then = numbers[times <= round(float(when) * 1e9)]
        assert packets == len(set(by_then))
        assert largest == max(by_then)
        assert lost <= expected
        assert cumulative <= 4_000_001
    assert len(rows) > 100


def test_the_lives_of_acknowledgements_are_the_packets(result, read):
    """Each row of the table is a packet that tshark has, with the reason in its frames."""
    reports = "ip.src == 10.0.0.4 && tack.packets"
    fields = ("frame.time_epoch", "tack.cumulative", "tack.iack", "tack.rate")
    for what, view in (("sent", "bulk@d0"), ("received", "bulk@s0")):
        rows = read(*fields, view=view, only=reports)
        table = result.acks.filter(pl.col("what") == what)
        assert len(rows) == len(table) > 300
        for row, ours in zip(rows, table.iter_rows(named=True), strict=True):
            assert float(row[0]) == pytest.approx(ours["time_s"], abs=1e-9)
            assert int(row[1].split(",")[-1]) == ours["ack_bytes"]
            if what == "sent":
                code = row[2].split(",")[0]
                iack = {"1": "iack_loss", "2": "iack_window"}.get(code)
                assert ours["reason"] == iack or (not iack and ours["reason"].startswith("tack_"))
    count = dict(result.acks["what"].value_counts().rows())
    assert count["sent"] - count["received"] == count["dropped"] > 20


def test_reasons_are_the_schedules(result):
    """After start-up a full pipe has periodic TACKs, an interval after the one before or later."""
    sent = result.acks.filter(pl.col("what") == "sent")
    reasons = set(sent["reason"])
    assert {"iack_loss", "tack_start_up", "tack_periodic", "tack_now"} <= reasons
    only_tacks = sent.filter(pl.col("reason").str.starts_with("tack_"))
    gaps = only_tacks.with_columns(gap=pl.col("time_s").diff())
    periodic = gaps.filter(pl.col("reason") == "tack_periodic")["gap"]
    least = result.flows["rtt_min_ms"][0] / 1e3
    # RTT_min is as the receiver has it, which a SYNC renews once it changes by a quarter.
    assert periodic.min() > least / 4 * 0.75
    assert result.flows["ack_delay_mean_ms"][0] > 0


def test_lists_lie_where_they_should(read):
    """Blocks lie apart, above the cumulative point, and those of one list between the other's."""
    names = ("acked.start", "acked.end", "unacked.start", "unacked.end", "cumulative")
    rows = read(*(f"tack.{n}" for n in names), view="bulk@d0", only="tack.acked > 0 && !tack.iack")
    both = 0
    for row in rows:
        a_from, a_to, u_from, u_to = ([int(c) for c in cell.split(",") if c] for cell in row[:4])
        acked, unacked = list(zip(a_from, a_to, strict=True)), list(zip(u_from, u_to, strict=True))
        assert acked == sorted(acked, reverse=True)
        assert unacked == sorted(unacked)
        edges = [e for block in sorted(acked + unacked) for e in block]
        assert edges == sorted(edges)
        assert int(row[4]) <= edges[0]
        both += bool(unacked)
    assert both > 10


def test_losses_are_the_lines(result, read):
    """IACKs name ranges of PKT.SEQ; each of their numbers was lost or never sent."""
    rows = read("tack.loss.largest", "tack.loss.span", view="bulk@d0")
    sent = set(at(result, "s0", "sent", "forward").filter(pl.col("len") > 0)["seq"].to_list())
    came = set(at(result, "d0", "delivered", "forward")["seq"].to_list())
    named = set()
    for largest, span in rows:
        ends = zip(largest.split(","), span.split(","), strict=True)
        named |= {n for top, s in ends for n in range(int(top) - int(s) + 1, int(top))}
    assert not named & came
    assert named & sent == {n for n in sent - came if n < max(came)}
    assert len(named & sent) > 10


def test_the_path_of_acknowledgements_is_told_about(result, read):
    rows = whole_numbers(read("tack.sync.rtt_min", "tack.sync.ack_loss", only="tack.sync.number"))
    assert rows
    least = result.flows["rtt_min_ms"][0] * 1e3
    assert least > 44_000
    assert all(44_000 < rtt < 60_000 for rtt, _ in rows)
    # Of a hundred packets each.
    assert 20_000 < sum(loss for _, loss in rows[1:]) / len(rows[1:]) < 200_000


def test_the_command_writes_it(acklab_cli, tmp_path):
    done = acklab_cli("dissector", str(tmp_path / "t.lua"))
    assert "lua_script" in done.stdout
    assert (tmp_path / "t.lua").read_text() == write_dissector(tmp_path / "u.lua").read_text()
