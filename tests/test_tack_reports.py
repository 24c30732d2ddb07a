"""Reports and estimates of receivers of TACK: the table `reports` against packets and equations."""

import polars as pl
import pytest

import acklab
from acklab.saving import save
from test_tack_capture import pytestmark, read, result  # noqa: F401


@pytest.fixture(scope="module")
def reports(result):  # noqa: F811
    return result.reports


def test_each_report_is_an_acknowledgement(result, reports):  # noqa: F811
    sent = result.acks.filter(pl.col("what") == "sent")
    same = ("time_s", "flow", "reason", "ack_bytes")
    assert reports.select(same).equals(sent.select(same))
    assert reports["report_number"].is_sorted()


def test_what_they_say_is_on_the_wire(reports, read):  # noqa: F811
    """Rates, counts and lists of the TACKs as tshark reads them from a capture of all of it."""
    names = ("number", "rate", "expected", "lost", "unsettled", "fastest.hold")
    lists = [f"tack.{n}.{edge}" for n in ("acked", "unacked") for edge in ("start", "end")]
    fields = (*(f"tack.{n}" for n in names), *lists)
    rows = read(*fields, view="bulk@d0", only="ip.src == 10.0.0.4 && tack.rate")
    tacks = reports.filter(pl.col("interval_expected").is_not_null())
    assert len(rows) == len(tacks) > 300
    for row, ours in zip(rows, tacks.iter_rows(named=True), strict=True):
        number, rate, expected, lost, unsettled = (int(cell) for cell in row[:5])
        assert number == ours["report_number"]
        assert (ours["sample_mbps"] or 0) == pytest.approx(rate * 8 / 1e6)
        assert (expected, lost) == (ours["interval_expected"], ours["interval_lost"])
        assert ours["largest_pkt_seq"] - unsettled == ours["settled_pkt_seq"]
        if row[5]:
            assert ours["fastest_hold_ms"] == pytest.approx(int(row[5]) / 1e3)
        for name, starts, ends in (("acked", *row[6:8]), ("unacked", *row[8:10])):
            edges = zip(starts.split(","), ends.split(","), strict=True)
            flat = [int(e) for pair in edges for e in pair if e]
            assert ours[f"{name}_blocks"] == flat
    assert tacks["unacked_blocks"].list.len().max() >= 2


def test_losses_are_named_once(reports):
    between = reports["lost_between"].explode().drop_nulls().to_list()
    pairs = list(zip(between[::2], between[1::2], strict=True))
    assert len(pairs) > 10
    assert all(high - low >= 2 for low, high in pairs)
    assert pairs == sorted(set(pairs))


def test_what_the_receiver_knows_is_what_it_was_told(result, reports, read):  # noqa: F811
    """RTT_min and rho' are those of the SYNC that came last; the interval follows (Eq. 2)."""
    fields = ("frame.time_epoch", "tack.sync.rtt_min", "tack.sync.ack_loss")
    syncs = read(*fields, view="bulk@d0", only="ip.src == 10.0.0.1 && tack.sync.number")
    assert syncs
    told = pl.DataFrame(
        {
            "time_s": [float(row[0]) for row in syncs],
            "rtt_us": [int(row[1]) for row in syncs],
            "loss": [int(row[2]) for row in syncs],
        }
    )
    later = reports.join_asof(told, on="time_s").filter(pl.col("rtt_us").is_not_null())
    assert len(later) > 100
    assert (later["known_rtt_min_ms"] * 1e3).round().cast(pl.Int64).equals(later["rtt_us"])
    assert (later["rho_ack"] * 1e6).round().cast(pl.Int64).equals(later["loss"])
    assert (later["tack_interval_ms"] - later["known_rtt_min_ms"] / 4).abs().max() < 1e-6


def test_estimates_follow_the_equations(reports):
    after = reports.filter(pl.col("bw_mbps") > 0)
    # Eq. 3 with L = 2, beta = 4 and a payload of 1434 bytes.
    bytes_per_s = after["bw_mbps"] * 1e6 / 8
    counted = bytes_per_s / (2 * 1434)
    timed = 4e3 / after["known_rtt_min_ms"]
    expected = pl.DataFrame({"c": counted, "t": timed}).min_horizontal()
    assert ((after["tack_hz"] - expected).abs() / expected).max() < 0.01
    settled = reports.filter(pl.col("interval_expected") > 0)
    rho = settled["interval_lost"] / settled["interval_expected"]
    assert (settled["rho"] - rho).abs().max() < 1e-5
    # The best of a window is no less than what was measured within it, and start-up ends.
    assert (after["bw_mbps"] - after["sample_mbps"].fill_null(0)).min() > -1e-3
    assert reports["start_up"][0] == 1
    assert reports["start_up"][-1] == 0


def test_they_are_saved_and_opened(result, reports, small, tmp_path):  # noqa: F811
    save(result, tmp_path / "tack", "")
    assert acklab.open(tmp_path / "tack").reports.equals(reports)
    small["record"] = {"acks": True}
    tcp = acklab.load(small).run()
    save(tcp, tmp_path / "tcp", "")
    assert len(tcp.reports) == 0
    assert not (tmp_path / "tcp" / "reports.parquet").exists()
