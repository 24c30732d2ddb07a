"""Figures of radio channels, and what they are drawn from a second time."""

import json
import tomllib
from itertools import pairwise

import polars as pl
import pytest

import acklab
from acklab.errors import AcklabError
from acklab.plots import plot
from acklab.plots.air import USUAL_PPDUS
from acklab.plots.kinds import recorded
from acklab.plots.radio import KINDS, USES
from acklab.report.run import run_report, write_run_report
from cells import cell, hidden, run
from test_report import chart_data

FIGURES = ("air-timeline", "airtime", "ampdu-sizes")
SIFS_NS = 16_000
#: Of HT, mixed format, one stream: what has to be heard alone for the rest to be read.
PREAMBLE_NS = 36_000


@pytest.fixture(scope="module", params=[cell, hidden], ids=["cell", "hidden"])
def result(request):
    return run(request.param())


@pytest.fixture(scope="module")
def crowd():
    """Fifteen stations, two of which send."""
    topology = {**cell()["topology"], "stations": 15}
    flows = [{**cell()["flow"][0], "count": 1, "name": f"f{i}", "from": f"sta{i}"} for i in (3, 9)]
    return run(cell(topology=topology, flow=flows))


@pytest.mark.parametrize("kind", FIGURES)
def test_figures_are_drawn_with_their_data_beside_them(result, kind, tmp_path):
    one, two = (plot(result, kind).save(tmp_path / name, "svg") for name in "ab")
    assert [p.read_bytes() for p in one] == [p.read_bytes() for p in two]
    assert [p.suffix for p in one] == [".svg", ".csv"]
    drawn = plot(result, kind)
    assert drawn.alt.startswith(result.scenario.name)
    assert drawn.figure.get_supxlabel().endswith(f"acklab {acklab.__version__}")


def test_the_timeline_has_every_ppdu_of_its_window(result):
    begin, end = 0.1, 0.2
    data = plot(result, "air-timeline", start=begin, end=end).data
    own = result.ppdus.filter(
        (pl.col("end_ns") > round(begin * 1e9)) & (pl.col("time_ns") < round(end * 1e9))
    ).sort("time_ns")
    assert len(data) == len(own) > 20
    assert (data["time_s"] * 1e9).round().to_list() == own["time_ns"].to_list()
    assert data["garbled"].to_list() == own["garbled"].to_list()
    kinds = dict(data.group_by("what").len().iter_rows())
    names = own.with_columns(pl.col("kind").replace({"cts": "rts", "block_ack": "ack"}))
    counts = dict(names.group_by("kind").len().iter_rows())
    acks = own.filter(pl.col("use") == "transport_ack").height
    assert kinds.get("transport ACKs", 0) == acks > 0
    assert kinds["data"] == counts["data"] - acks
    assert kinds["ACK, Block Ack"] == counts["ack"]
    assert kinds.get("RTS, CTS", 0) == counts.get("rts", 0)
    assert kinds.get("BAR", 0) == counts.get("bar", 0)


def test_questions_for_addresses_are_counted_and_drawn():
    """One station and its access point ask each other once; who knows nobody asks nothing."""
    one = cell(wifi={"arp": True}, topology={**cell()["topology"], "stations": 1})
    one["flow"] = [{**one["flow"][0], "count": 1}]
    asked, known = run(one), run({**one, "wifi": {}})
    for column in ("arp_requests", "arp_replies"):
        assert asked.stations[column].to_list() == [1, 1]
        assert known.stations[column].to_list() == [0, 0]
    assert asked.stations["arp_lost"].sum() == asked.links["drops_unresolved"].sum() == 0
    # A question to the access point, which it sends on, its own question, and two answers.
    arp = asked.ppdus.filter(pl.col("use") == "control").filter(pl.col("mpdus") == 1)
    assert arp["kind"].value_counts().sort("kind")["count"].to_list() == [3, 2]
    assert (arp["psdu_bytes"] == 66).all()
    assert set(arp.filter(pl.col("kind") == "group")["mode"]) == {"OFDM 6 Mbit/s"}
    drawn = plot(asked, "air-timeline", start=0, end=1).data
    assert drawn.filter(pl.col("what") == "ARP").height == 5
    first = [r.ppdus.filter(pl.col("use") == "data")["time_ns"].min() for r in (asked, known)]
    # Before each first question 0 to 9 ms pass.
    assert 0.5e6 < first[0] - first[1] < 21e6


def test_agreements_are_counted_and_drawn():
    """One station and its access point agree to block acks each way before their first A-MPDUs."""
    one = cell(wifi={"addba": True}, topology={**cell()["topology"], "stations": 1})
    one["flow"] = [{**one["flow"][0], "count": 1}]
    asked, known = run(one), run({**one, "wifi": {}})
    for column in ("addba_requests", "agreements"):
        assert asked.stations[column].to_list() == [1, 1]
        assert known.stations[column].to_list() == [0, 0]
    assert asked.stations["agreements_failed"].sum() == 0
    assert known.stations["first_agreement_ms"].to_list() == [None, None]
    addba = asked.ppdus.filter(pl.col("kind").cast(str).str.starts_with("addba"))
    assert addba["kind"].value_counts().sort("kind")["count"].to_list() == [2, 2]
    assert (addba["psdu_bytes"] == 37).all()
    assert (addba["use"] == "control").all()
    assert set(addba["mode"]) == {"OFDM 6 Mbit/s"}
    last = asked.ppdus.filter(pl.col("mpdus") > 1).group_by("from").agg(pl.col("time_ns").min())
    first = dict(asked.stations.select("station", "first_agreement_ms").iter_rows())
    assert all(first[name] < at / 1e6 for name, at in last.iter_rows())
    drawn = plot(asked, "air-timeline", start=0, end=1).data
    assert drawn.filter(pl.col("what") == "ADDBA").height == 4


def test_the_timeline_has_bars_as_long_as_the_ppdus(result):
    drawn = plot(result, "air-timeline", start=0.1, end=0.15)
    (ax,) = drawn.figure.axes
    assert [t.get_text() for t in ax.get_yticklabels()] == result.stations["station"].to_list()
    assert ax.get_xlim() == pytest.approx((-0.5, 50.5))
    origin = float(ax.get_xlabel().removeprefix("time since ").removesuffix(" s, ms"))
    labels = {look.label for look in KINDS.values()}
    bars = [c for c in ax.collections if len(c.get_facecolor()) and c.get_paths()]
    filled = [c for c in bars if c.get_linewidth()[0] == 0]
    spans = [p.get_extents() for c in filled for p in c.get_paths()]
    assert len(spans) == len(drawn.data)
    length = sum(s.width for s in spans)
    assert length == pytest.approx(1e3 * (drawn.data["end_s"] - drawn.data["time_s"]).sum())
    first = min(s.x0 for s in spans)
    assert first == pytest.approx(1e3 * (drawn.data["time_s"].min() - origin))
    assert first < 1, "what was under way at the beginning belongs to it"
    assert {t.get_text() for t in drawn.figure.legends[0].texts} <= labels | {
        "not readable",
        "lost to noise",
    }


def test_without_times_the_timeline_shows_a_few_exchanges_in_the_middle(result):
    data = plot(result, "air-timeline").data
    assert len(data) == USUAL_PPDUS
    times = result.ppdus.sort("time_ns").select(pl.col("^.*_ns$") / 1e9)
    begin = data["time_s"][0]
    assert begin >= times["time_ns"][len(times) // 2]
    before = times.filter(pl.col("time_ns") < begin)
    assert before["end_ns"].max() <= begin, "it begins where all is silent"
    assert len(before) - len(times) // 2 < 20
    assert len(plot(result, "air-timeline", start=0.1).data) == USUAL_PPDUS
    last = plot(result, "air-timeline", end=0.2).data
    assert len(last) == USUAL_PPDUS
    assert last["time_s"].max() < 0.2


def test_of_many_stations_those_that_were_silent_have_no_lane(crowd):
    (ax,) = plot(crowd, "air-timeline").figure.axes
    assert {t.get_text() for t in ax.get_yticklabels()} <= {"ap", "sta3", "sta9"}
    assert "more stations were silent" in ax.get_title(loc="left")
    panels = plot(crowd, "ampdu-sizes").figure.axes
    assert [a.get_title(loc="left").partition(":")[0] for a in panels] == ["ap", "sta3", "sta9"]


def test_of_very_many_stations_those_that_sent_longest_have_a_lane(crowd, monkeypatch):
    from acklab.plots import air
    from acklab.report import radio

    monkeypatch.setattr(air, "MOST_SHOWN", 2)
    monkeypatch.setattr(radio, "MOST_SHOWN", 2)
    drawn = plot(crowd, "air-timeline", start=0.0, end=1.0)
    (ax,) = drawn.figure.axes
    assert ax.get_title(loc="left") == "the 2 of 16 stations that sent longest"
    sent = crowd.ppdus.group_by("from").agg((pl.col("end_ns") - pl.col("time_ns")).sum())
    longest = set(sent.sort("end_ns")["from"][-2:])
    assert set(drawn.data["from"]) == longest
    assert {t.get_text() for t in ax.get_yticklabels()} == longest
    assert "Of 3 stations the 2 that sent longest have a row." in run_report(recorded(crowd))


def test_what_goes_to_several_at_once_shares_a_lane():
    flow = {"cc": "cubic", "count": 3, "start_jitter": "1 ms"}
    wifi = {"standard": "ax", "mcs": 7, "ofdma": {"single_user": False}}
    topology = {"preset": "wlan", "stations": 3, "direction": "down"}
    shape = {"topology": topology, "wifi": wifi, "record": {"ppdus": True}}
    at_once = run({"duration": "300 ms", "flow": [flow], **shape})
    (ax,) = plot(at_once, "air-timeline", start=0.2, end=0.25).figure.axes
    bars = [p.get_extents() for c in ax.collections for p in c.get_paths() if len(p.vertices) > 2]
    of_access_point = sorted((b.x0, b.y0, b.y1) for b in bars if b.y1 < 0.5)
    assert len(of_access_point) > 10
    for (start, _, low), (after, high, _) in pairwise(of_access_point):
        assert start < after or low < high, "nothing is drawn over something else"
    assert any(a[0] == b[0] for a, b in pairwise(of_access_point)), "some are at once"


def test_a_bar_of_a_station_is_the_whole_run(result):
    drawn = plot(result, "airtime")
    own = drawn.data.filter(pl.col("station").is_not_null())
    shares = own.group_by("station").agg(pl.col("share").sum())["share"]
    assert shares.to_list() == pytest.approx([1] * len(result.stations), abs=1e-9)
    for ax in drawn.figure.axes:
        ends = [b.get_x() + b.get_width() for b in ax.patches]
        assert max(ends) == pytest.approx(100, abs=1e-6)
        assert ax.get_xlim() == (0, 100)


def test_airtime_is_that_of_the_tables(result):
    data = plot(result, "airtime").data
    channel = data.filter(pl.col("station").is_null())
    assert channel["share"].sum() == pytest.approx(1, abs=1e-9)
    uses = dict(channel.select("use", "airtime_s").iter_rows())
    assert uses == dict(result.airtime.select("use", "airtime_s").iter_rows())
    for row in result.stations.iter_rows(named=True):
        own = data.filter(pl.col("station") == row["station"])
        assert dict(own.select("use", "airtime_s").iter_rows()) == {
            use: row[f"{use}_s"] for use in USES if f"{use}_s" in row
        }


def test_airtime_is_that_of_the_ppdus(result):
    """A second time: what was on the air in each moment, from the PPDUs alone."""
    ppdus = result.ppdus.with_row_index("n").with_columns(pl.col("^.*_ns$").cast(pl.Int64))
    spoilt = overlaps(ppdus, result.scenario)
    edges = pl.concat([ppdus["time_ns"], ppdus["end_ns"], spoilt["from_ns"], spoilt["to_ns"]])
    edges = edges.unique().sort()
    moments = pl.DataFrame({"a": edges[:-1], "b": edges[1:]})
    hit = moments.join_where(
        spoilt, pl.col("from_ns") <= pl.col("a"), pl.col("to_ns") >= pl.col("b")
    )
    heard = moments.join_where(
        ppdus, pl.col("time_ns") <= pl.col("a"), pl.col("end_ns") >= pl.col("b")
    )
    garbled = pl.col("a").is_in(hit["a"].implode()).any()
    used = (
        heard.sort("time_ns", maintain_order=True)
        .group_by("a", "b")
        .agg(
            pl.when(garbled)
            .then(pl.lit("collision"))
            .when(pl.col("lost").last())
            .then(pl.lit("noise"))
            .otherwise(pl.col("use").last())
            .alias("use")
        )
    )
    told = dict(used.group_by("use").agg((pl.col("b") - pl.col("a")).sum()).iter_rows())
    silent = moments.join(used, on=["a", "b"], how="anti")
    between = silent.join_where(
        answered(ppdus), pl.col("from_ns") <= pl.col("a"), pl.col("to_ns") >= pl.col("b")
    ).unique("a")
    told["sifs"] = (between["b"] - between["a"]).sum()
    ours = {u: round(s * 1e9) for u, s in result.airtime.select("use", "airtime_s").iter_rows()}
    rest = ours.pop("idle") + ours.pop("contention")
    assert ours == {use: told.get(use, 0) for use in ours}
    assert rest == round(result.airtime["airtime_s"].sum() * 1e9) - sum(told.values())
    assert told["collision"] > 0


def test_what_others_spoil_is_that_of_the_ppdus(result):
    """A second time: what each PPDU has lost, from the times of all of them."""
    ppdus = result.ppdus.with_row_index("n").with_columns(pl.col("^.*_ns$").cast(pl.Int64))
    lasted = (
        overlaps(ppdus, result.scenario)
        .group_by("n")
        .agg((pl.col("to_ns") - pl.col("from_ns")).sum().alias("overlap_ns"))
    )
    ppdus = ppdus.join(lasted, on="n", how="left").with_columns(pl.col("overlap_ns").fill_null(0))
    whole = pl.col("end_ns") - pl.col("time_ns")
    told = pl.when("garbled").then(whole).otherwise("overlap_ns")
    assert ppdus.select((told == pl.col("spoilt_ns")).all()).item()
    assert ppdus.filter(pl.col("garbled") & (pl.col("overlap_ns") == 0)).is_empty()
    assert (
        ppdus.filter(parts() & pl.col("garbled").not_() & (pl.col("overlap_ns") > 0))
        .select(((pl.col("mpdus_spoilt") > 0) & (pl.col("mpdus_spoilt") < pl.col("mpdus"))).all())
        .item()
    )
    by_station = ppdus.group_by("from").agg(pl.col("spoilt_ns").sum() / 1e9)
    told = dict(by_station.iter_rows())
    for station, collision in result.stations.select("station", "collision_s").iter_rows():
        assert collision == pytest.approx(told.get(station, 0), abs=1e-9)


def answered(ppdus):
    """The times between a PPDU and what its recipient sends a SIFS later."""
    later = ppdus.select(pl.col("time_ns").alias("to_ns"), pl.col("from").alias("by"))
    return ppdus.select(
        pl.col("end_ns").alias("from_ns"), pl.col("to").alias("by"), pl.col("end_ns") + SIFS_NS
    ).join(later, left_on=["end_ns", "by"], right_on=["to_ns", "by"], coalesce=False)


def parts():
    """Whether a PPDU is an A-MPDU of several MPDUs, of which others may be read."""
    return (pl.col("kind") == "data") & (pl.col("mpdus") > 1)


def overlaps(ppdus, scenario):
    """When each PPDU could not be read for what its receiver heard or sent beside it: `n`,
    `from_ns`, `to_ns`, which touch at most."""
    (wifi,) = tomllib.loads(scenario.resolved)["wifi"]
    apart = [{*pair} for pair in wifi["hidden"]]
    other = ppdus.select("n", "from", "time_ns", "end_ns").select(pl.all().name.suffix("_2"))
    pairs = ppdus.join_where(
        other,
        pl.col("time_ns") < pl.col("end_ns_2"),
        pl.col("time_ns_2") < pl.col("end_ns"),
        pl.col("n") != pl.col("n_2"),
    )
    rows = []
    for (n,), group in pairs.sort("time_ns_2").group_by("n", maintain_order=True):
        own = group.row(0, named=True)
        start, end = own["time_ns"], own["end_ns"]
        beside = [
            (max(start, r["time_ns_2"]), min(end, r["end_ns_2"]), r["from_2"] == own["to"])
            for r in group.iter_rows(named=True)
            if {own["to"], r["from_2"]} not in apart
        ]
        divisible = own["kind"] == "data" and own["mpdus"] > 1
        merged = []
        for begin, until, sent in sorted(beside):
            gives_up = sent or not divisible or begin < start + PREAMBLE_NS
            stretch = [begin, end if gives_up else until]
            if merged and stretch[0] <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], stretch[1])
            else:
                merged.append(stretch)
        rows += [(n, *m) for m in merged]
    schema = {"n": pl.UInt32, "from_ns": pl.Int64, "to_ns": pl.Int64}
    return pl.DataFrame(rows, schema, orient="row")


def test_sizes_are_shares_of_each_station(result):
    data = plot(result, "ampdu-sizes").data
    assert data.drop("share").equals(result.ampdu_sizes)
    shares = data.group_by("station").agg(pl.col("share").sum())["share"]
    assert shares.to_list() == pytest.approx([1] * len(shares))


def test_what_is_missing_is_told(small):
    quiet = run(cell(record={}))
    with pytest.raises(AcklabError, match=r"(?s)needs the table `ppdus`.*--record ppdus"):
        plot(quiet, "air-timeline")
    for kind in ("airtime", "ampdu-sizes"):
        plot(quiet, kind)
        with pytest.raises(AcklabError, match=r"(?s)the plot .*help: .*radio channel, `\[wifi\]`"):
            plot(acklab.load(small).run(), kind)


@pytest.mark.parametrize(
    ("kind", "choice", "text"),
    [
        ("air-timeline", {"flows": ["up-1"]}, "it takes --from, --to"),
        ("airtime", {"start": 0.1}, "it takes --title, --size, --style"),
        ("air-timeline", {"start": 0.9}, "help: choose other times"),
        ("air-timeline", {"start": 0.2, "end": 0.1}, "help: choose other times"),
    ],
)
def test_choices_that_show_nothing_are_refused(result, kind, choice, text):
    with pytest.raises(AcklabError, match=text):
        plot(result, kind, **choice)


def test_the_report_has_all_of_it(result, tmp_path, monkeypatch):
    from acklab.report import radio

    path = write_run_report(result, tmp_path / "whole.html")
    page = path.read_text()
    for anchor in ("stations", "airtime", "ampdu-sizes", "air-timeline"):
        assert f'<section id="{anchor}">' in page
    assert f"All {len(result.ppdus):,} PPDUs" in page
    (spec,) = [s for s in chart_data(page) if s.get("unit") == "ms"]
    assert sum(len(r["start"]) for r in spec["rows"]) == len(result.ppdus)
    assert [r["name"] for r in spec["rows"]] == result.stations["station"].to_list()
    monkeypatch.setattr(radio, "MOST_BARS", 50)
    page = write_run_report(result, tmp_path / "cut.html").read_text()
    windows = [s for s in chart_data(page) if s.get("unit") == "ms"]
    assert [sum(len(r["start"]) for r in w["rows"]) for w in windows] == [50, 50, 50]
    assert page.count(f"50 of {len(result.ppdus):,} PPDUs: every one from") == 3


def test_on_the_command_line(acklab_cli, tmp_path):
    file = tmp_path / "cell.json"
    file.write_text(json.dumps(cell(record={})))
    assert acklab_cli("run", file, "--report", "--out", "r").returncode == 0
    page = (tmp_path / "r" / "report.html").read_text()
    assert '<section id="airtime">' in page
    assert '<section id="air-timeline">' not in page
    drawn = acklab_cli("plot", "r", "airtime")
    assert drawn.stdout.split() == ["r/plots/airtime.svg", "r/plots/airtime.csv"]
    done = acklab_cli("plot", "r", "air-timeline")
    assert done.returncode == 1
    assert "--record ppdus" in done.stderr
    assert acklab_cli("run", file, "--record", "ppdus", "--out", "r").returncode == 0
    drawn = acklab_cli(
        "plot", "r", "air-timeline", "--from", "0.1", "--to", "0.12", "--out", "t.png"
    )
    assert drawn.returncode == 0, drawn.stderr
    assert pl.read_csv(tmp_path / "t.csv")["time_s"].max() < 0.12
