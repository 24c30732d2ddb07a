"""Tables on narrow terminals: fewer columns, no value cut; quiet commands and JSON."""

import io
import json

import pytest
from rich.console import Console

import acklab
from acklab.cli import compare, show, show_classes
from conftest import ROOT


def narrow(width):
    return Console(file=io.StringIO(), width=width, highlight=False, color_system=None)


@pytest.mark.parametrize("name", ["bbr-with-cubic", "wifi-dumbbell", "cbr-with-cubic"])
@pytest.mark.parametrize("width", [80, 180])
def test_a_summary_fits_and_nothing_is_cut(monkeypatch, capsys, name, width):
    out = narrow(width)
    monkeypatch.setattr(show, "console", lambda: out)
    scenario = acklab.load(ROOT / "scenarios" / f"{name}.toml", overrides={"duration": "15 s"})
    result = scenario.run()
    show.summary(result)
    text = out.file.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for row in result.flows.iter_rows(named=True):
        assert f"{row['goodput_mbps']:.3f}" in text
        assert row["flow"] in text
    told = capsys.readouterr().err
    assert ("not shown, the terminal is too narrow: segments per ACK" in told) == (width == 80)


@pytest.mark.parametrize(("name", "filters"), [("single-flow", False), ("ack-aggregation", True)])
def test_a_column_without_a_value_does_not_appear(monkeypatch, name, filters):
    """No flow ends, none is of datagrams, and one scenario filters ACKs."""
    out = narrow(180)
    monkeypatch.setattr(show, "console", lambda: out)
    path = ROOT / "scenarios" / f"{name}.toml"
    show.summary(acklab.load(path, overrides={"duration": "7 s"}).run())
    text = out.file.getvalue()
    assert "complete" not in text
    assert "lost" not in text
    assert "one-way" not in text
    assert "timeouts" in text
    assert ("ACKs seen" in text) == ("ACKs dropped" in text) == filters


@pytest.mark.parametrize("width", [80, 180])
def test_the_delay_of_a_call_stands_beside_its_goodput(monkeypatch, width):
    out = narrow(width)
    monkeypatch.setattr(show, "console", lambda: out)
    result = acklab.load(ROOT / "scenarios" / "codel.toml", overrides={"duration": "8 s"}).run()
    show.summary(result)
    text = out.file.getvalue()
    (row,) = (line.split() for line in text.splitlines() if line.startswith("│ call │ cbr "))
    call = result.flows.filter(flow="call").row(0, named=True)
    assert f"{call['owd_p95_ms']:.2f}" in row
    assert (f"{call['owd_p50_ms']:.2f}" in row) == (width == 180)


@pytest.mark.parametrize("name", ["wifi6-ofdma", "wifi-dumbbell"])
def test_counts_of_ofdma_stand_there_if_a_station_took_part(monkeypatch, name):
    out = narrow(80)
    monkeypatch.setattr(show, "console", lambda: out)
    path = ROOT / "scenarios" / f"{name}.toml"
    result = acklab.load(path, overrides={"duration": "6 s"}).run()
    show.summary(result)
    text = out.file.getvalue()
    assert ("┃ OFDMA ┃" in text) == (name == "wifi6-ofdma")
    if name == "wifi6-ofdma":
        ap = result.stations.row(0, named=True)
        counts = [str(ap[c]) for c in ("data_ppdus", "polls", "triggers", "triggered_ppdus")]
        assert ap["triggers"] > 0
        assert ap["multi_user_ppdus"] == 0, "its column would be there"
        assert ["ap", *counts] in [line.replace("│", "").split() for line in text.splitlines()]


def values(result, part):
    """Counters of the tins or classes that the tables have, as they are written there."""
    at = {"tin": ("threshold_mbps", "pkts_arrived", "drops"), "class": ("ceil_mbps", "pkts_sent")}
    for row in result.queue_classes.filter(part=part).iter_rows(named=True):
        for column in at[part]:
            yield f"{row[column]:.3f}" if column.endswith("_mbps") else str(row[column])


@pytest.mark.parametrize(("name", "part"), [("cake-diffserv", "tin"), ("queue-tree", "class")])
@pytest.mark.parametrize("width", [50, 80, 100, 120])
def test_no_counter_of_a_class_is_cut(monkeypatch, capsys, name, part, width):
    out = narrow(width)
    monkeypatch.setattr(show, "console", lambda: out)
    path = ROOT / "scenarios" / f"{name}.toml"
    result = acklab.load(path, overrides={"duration": "8 s", "record.delays": True}).run()
    show.summary(result)
    text = out.file.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    words = text.replace(",", " ").split()
    for value in values(result, part):
        assert value in words, value
    if width == 80:
        # As `tc -s qdisc` has it: a table for each queue, and nothing left out.
        assert "\n┃ left->right " in text
        assert "lended" not in capsys.readouterr().err


def test_many_queues_do_without_the_columns_that_matter_least(monkeypatch, capsys):
    out = narrow(80)
    monkeypatch.setattr(show, "console", lambda: out)
    monkeypatch.setattr(show_classes, "_FEW", 1)
    path = ROOT / "scenarios" / "cake-diffserv.toml"
    result = acklab.load(path, overrides={"duration": "8 s"}).run()
    show.summary(result)
    text = out.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for value in values(result, "tin"):
        assert value in text.split(), value
    assert "ack_drop" in capsys.readouterr().err


def test_a_comparison_of_many_has_its_results_below_each_other(monkeypatch):
    names = [f"a-result-with-a-long-name-{i}" for i in range(4)]
    runs = [acklab.run("single-flow", seed) for seed in (1, 2, 3, 4)]
    given = acklab.compare(*runs, names=names)
    table = given.table(["goodput_mbps"])
    for width in (80, 300):
        out = narrow(width)
        monkeypatch.setattr(show, "console", lambda out=out: out)
        compare._show(table, given.names)
        text = out.file.getvalue()
        assert max(map(len, text.splitlines())) <= width
        assert "…" not in text
        for name, mean in table.select("result", "mean").iter_rows():
            assert name in text
            assert f"{mean:.4g}" in text


def test_quiet_and_json(acklab_cli, small_file, tiny_file, tmp_path):
    for out in ("a", "b"):
        done = acklab_cli("run", small_file, "-q", "--out", out)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "a" / "run.json").exists()
    done = acklab_cli("compare", "a", "b", "--json", "-m", "goodput_mbps")
    rows = json.loads(done.stdout)
    assert [r["result"] for r in rows] == ["a", "b"]
    assert rows[1]["difference"] == 0
    done = acklab_cli("sweep", tiny_file, "--seeds", "2", "--quiet", "--out", "s")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    done = acklab_cli("run", small_file, "-q", "--json")
    assert done.returncode == 2
    assert "--json prints" in done.stderr
    done = acklab_cli("compare", "a", "b", "--json", "--report")
    assert json.loads(done.stdout) == {"files": ["out/compare.html"]}
