"""The command line: what it prints, what it leaves, how it ends."""

import json
import re
import tomllib
from pathlib import Path

import polars as pl
import pytest

import acklab
import acklab.studies
from conftest import PATIENCE, ROOT


def test_run_prints_warnings(acklab_cli, small_file):
    stuck = '{ name = "aggregate", ratio = 99, timeout = "none" }'
    key = "topology.bottleneck.reverse.ack_filter"
    done = acklab_cli("run", small_file, "--set", f"{key}={stuck}")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("warning: without a timer this filter waits for 99 ACKs")
    assert acklab_cli("run", small_file, "--out", "fine").stderr == ""


def test_run_says_that_it_replaced_another_run(acklab_cli, small_file, tmp_path):
    def run(*more):
        done = acklab_cli("run", small_file, *more)
        assert done.returncode == 0, done.stderr
        return done.stderr

    said = "note: out/small held an earlier run{}; this one replaced it (--out DIR keeps both)\n"
    assert run() == ""
    # The identical run, however it was asked for.
    assert run("--seed", 1, "-q") == ""
    assert run("--seed", 2) == said.format(" with another seed")
    assert run("--seed", 2) == ""
    assert run("--seed", 3, "--json", "--set", "flow.0.cc=newreno") == said.format(
        " with another seed and another scenario"
    )
    # All tables that were there are there again, and one more; then that one is gone.
    assert run("--seed", 3, "--set", "flow.0.cc=newreno", "--record", "events") == ""
    assert run("--seed", 3, "--set", "flow.0.cc=newreno") == said.format(" with more tables")
    (tmp_path / "out/small/run.json").write_text("{}")
    assert run() == said.format("")
    assert run("--seed", 2, "--out", "elsewhere") == ""
    assert run("--seed", 3, "--dry-run") == ""


def test_run_leaves_a_folder_that_explains_itself(acklab_cli, small_file, tmp_path):
    done = acklab_cli("run", small_file, "--seed", 7, "--out", "results")
    assert done.returncode == 0, done.stderr
    assert "goodput" in done.stdout
    folder = tmp_path / "results"
    about = json.loads((folder / "run.json").read_text())
    assert (about["seed"], about["version"]) == (7, acklab.__version__)
    assert about["command"] == f"acklab run {small_file} --seed 7 --out results"
    assert tomllib.loads((folder / "scenario.toml").read_text())["name"] == "small"
    flows = pl.read_parquet(folder / "flows.parquet")
    series = pl.read_parquet(folder / "series.parquet")
    assert flows["flow"].to_list() == ["bulk"]
    assert {"time_s", "flow", "cwnd_packets", "rtt_ms"} <= set(series.columns)
    assert len(series) >= 29


def test_the_saved_scenario_gives_the_same_results(acklab_cli, small_file, tmp_path):
    acklab_cli("run", small_file, "--set", "flow.0.cc=newreno", "--out", "a")
    again = acklab_cli("run", "a/scenario.toml", "--seed", 1, "--out", "b")
    assert again.returncode == 0, again.stderr
    for name in ("flows.parquet", "links.parquet", "series.parquet", "scenario.toml"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_a_file_without_a_name_gives_its_own_to_the_folder(acklab_cli, small_file, tmp_path):
    nameless = tmp_path / "two-paths.toml"
    nameless.write_text(small_file.read_text().replace('name = "small"', "", 1))
    assert acklab_cli("run", nameless).returncode == 0
    folder = tmp_path / "out" / "two-paths"
    assert json.loads((folder / "run.json").read_text())["scenario"] == "two-paths"
    assert acklab_cli("run", nameless, "--set", "name=other").returncode == 0
    assert sorted(p.name for p in folder.parent.iterdir()) == ["other", "two-paths"]


def test_json_is_all_that_is_printed(acklab_cli, small_file):
    done = acklab_cli("run", small_file, "--json")
    answer = json.loads(done.stdout)
    assert answer["scenario"] == "small"
    assert 5 < answer["flows"][0]["goodput_mbps"] < 10
    assert answer["expectations"] == [
        {"text": answer["expectations"][0]["text"], "met": True},
    ]


def test_set_reaches_any_key(acklab_cli, small_file):
    done = acklab_cli("run", small_file, "--json", "--set", "topology.bottleneck.rate=2 Mbit/s")
    assert json.loads(done.stdout)["flows"][0]["goodput_mbps"] < 2


def test_strict_turns_a_missed_expectation_into_a_failure(acklab_cli, small_file):
    slow = ("--set", "topology.bottleneck.rate=2 Mbit/s")
    lenient = acklab_cli("run", small_file, *slow)
    assert lenient.returncode == 0
    assert "NOT MET" in lenient.stdout
    assert acklab_cli("run", small_file, *slow, "--strict").returncode == 1


def test_results_of_an_earlier_run_are_replaced(acklab_cli, small_file, tmp_path):
    for seed in (1, 2):
        assert acklab_cli("run", small_file, "--seed", seed, "--out", "r").returncode == 0
    assert json.loads((tmp_path / "r" / "run.json").read_text())["seed"] == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r", "small.toml"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("cc", "bbr3"),
        ("ack", "delayed"),
        ("filter", "aggregate"),
        ("qdisc", "pfifo"),
        ("rate-control", "minstrel"),
        ("station-queue", "per-station"),
        ("path-loss", "log-distance"),
        ("fading", "rayleigh"),
        ("scenario", "single-flow"),
        ("study", "aggregation"),
    ],
)
def test_list_names_what_there_is(acklab_cli, kind, name):
    done = acklab_cli("list", kind)
    assert done.returncode == 0, done.stderr
    assert name in done.stdout


def test_list_verbose_has_the_parameters(acklab_cli):
    assert "fast_convergence" in acklab_cli("list", "cc", "--verbose").stdout


def test_list_verbose_has_how_much_waits_in_each_discipline(acklab_cli):
    verbose = " ".join(acklab_cli("list", "qdisc", "--verbose").stdout.split())
    waits = ", a key beside `qdisc`"
    for name, limit in (
        ("pfifo", "1000 packets"),
        ("bfifo", "1514 kB"),
        ("pfifo-head-drop", "1000 packets"),
        ("fq-codel", "10240 packets"),
        ("red", "400 kB"),
    ):
        block = next(b for b in acklab._core.catalogue("qdisc") if b["name"] == name)
        of = "all flows' queues together" if name == "fq-codel" else "the queue"
        told = f"source: {block['source']} queue = {limit}: Limit of {of}{waits}"
        assert told in verbose, name
    # Packets wait inside what is inside three, and CAKE limits memory.
    assert verbose.count(waits) == len(acklab._core.catalogue("qdisc")) - 4
    assert 'Its ACK filter is a key of the link: `ack_filter = "cake"`' in verbose
    assert waits not in acklab_cli("list", "qdisc").stdout


def test_list_verbose_has_every_word_that_a_discipline_takes(acklab_cli):
    done = acklab_cli("list", "qdisc", "--verbose")
    assert max(map(len, done.stdout.splitlines())) <= 100
    verbose = " ".join(done.stdout.split())
    for block in acklab._core.catalogue("qdisc"):
        for p in block["params"]:
            if p["accepts"].startswith("one of "):
                told = f"{p['name']} = {p['default']}: {p['doc']} takes {p['accepts']}"
                assert told in verbose, (block["name"], p["name"])
    # The words of tc-cake(8), so that none is missing from the registry.
    for words in (
        "besteffort, diffserv3, diffserv4, diffserv8, precedence",
        "flowblind, srchost, dsthost, hosts, flows, dual-srchost, dual-dsthost, triple-isolate",
        "raw, conservative, ethernet, docsis, ipoa-vcmux, ipoa-llcsnap, bridged-vcmux",
        "pppoe-ptm, bridged-ptm",
    ):
        assert words in verbose


def test_list_verbose_has_what_a_scenario_has_beside_a_discipline(acklab_cli):
    verbose = " ".join(acklab_cli("list", "qdisc", "--verbose").stdout.split())
    assert 'ack_filter: it belongs to the link: write ack_filter = "cake"' in verbose
    assert "takes one of conservative, aggressive" in verbose
    assert "split_gso: leave it out, or write true as tc has it by default: there are no" in verbose
    assert "r2q: leave it out: it is 10, as tc has it by default." in verbose
    assert "queues.burst_limit: leave it out: queues here have no burst limit." in verbose
    # In front of a line, in all stations, at the access point, in one station.
    for key in ("link.qdisc: ", "wifi.qdisc: ", "wifi.down.qdisc: ", "wifi.station.NAME.qdisc: "):
        assert key in verbose, key
    assert "in one queue for each receiver (`per-station`)" in verbose
    rows = json.loads(acklab_cli("list", "qdisc", "--json").stdout)
    cake = next(row for row in rows if row["name"] == "cake")
    assert [of["name"] for of in cake["elsewhere"]][:3] == ["ack_filter", "nat", "split_gso"]


def test_list_verbose_has_the_source_of_a_study(acklab_cli):
    # The terminal breaks long lines.
    verbose = " ".join(acklab_cli("list", "study", "--verbose").stdout.split())
    for about in Path(acklab.studies.__file__).parent.glob("*/study.toml"):
        assert f"source: {tomllib.loads(about.read_text())['source']}" in verbose, about
    assert "source:" not in acklab_cli("list", "study").stdout


def test_a_gallery_scenario_runs_by_name(acklab_cli):
    done = acklab_cli("run", "single-flow", "--set", "duration=8 s", "--json")
    assert done.returncode == 0, done.stderr


def test_schema_is_the_published_one(acklab_cli):
    published = (ROOT / "docs" / "schema" / "scenario.schema.json").read_text()
    assert json.loads(acklab_cli("schema").stdout) == json.loads(published)


def test_version(acklab_cli):
    assert acklab_cli("--version").stdout.strip() == f"acklab {acklab.__version__}"


@pytest.mark.parametrize(
    "args", [["schema"], ["list", "cc"], ["run", "small.toml"], ["run", "small.toml", "--json"]]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_reader_of_a_pipe_may_leave(small_file, args, unbuffered):
    import os
    import subprocess
    import sys

    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "acklab", *args],
            cwd=small_file.parent,
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_help_has_every_command_in_a_panel_with_examples(acklab_cli):
    from acklab.cli import COMMANDS

    listed = acklab_cli("--help").stdout
    for panel, name, _, examples in COMMANDS:
        assert listed.index(panel) < listed.index(f"│ {name} "), name
        told = acklab_cli(name, "--help").stdout
        assert all(e in told for e in examples), name


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (("run", "single-flwo"), "did you mean single-flow"),
        (("run", "mine.toml"), "acklab new mine.toml"),
        (("run",), "acklab run --help"),
        (("list", "plots"), "'plots' is not one of 'transport'"),
        (("plot", "nothing", "series"), "acklab run"),
    ],
)
def test_a_mistaken_name_is_answered_with_what_would_be_right(acklab_cli, args, hint):
    done = acklab_cli(*args)
    assert done.returncode in (1, 2)
    assert hint in done.stderr
    assert "Value error" not in done.stderr


def test_words_of_recorded_tables_are_explained(acklab_cli):
    done = acklab_cli("explain", "marked")
    assert done.returncode == 0
    assert "packets.what" in done.stdout
    assert "--record packets" in done.stdout


def test_blocks_and_their_parameters_are_explained(acklab_cli):
    done = acklab_cli("explain", "tack")
    assert "tack (transport of a flow)" in done.stdout
    assert "source: Li et al." in done.stdout
    assert "  theta = 10: " in done.stdout
    done = acklab_cli("explain", "tack.theta")
    assert "theta = 10" in done.stdout
    assert "beta = 4" not in done.stdout
    done = acklab_cli("explain", "tack.nothing")
    assert done.returncode == 1
    assert "it has beta, l, interval.shortest" in done.stderr


def test_values_of_parameters_are_explained(acklab_cli):
    done = acklab_cli("explain", "triple-isolate")
    assert 'isolation = "triple-isolate" of cake (qdisc of a link' in done.stdout
    done = acklab_cli("explain", "conservative")
    assert "mode = " in done.stdout
    assert "framing = " in done.stdout
    assert "did you mean besteffort or" in acklab_cli("explain", "bestefort").stderr


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("topology.bottleneck.rate", "topology.bottleneck.rate", "Bits per second"),
        ("flow.0.cc", "flow.cc", "Congestion controller"),
        ("warmup", "warmup", "Means of sampled quantities"),
        ("qdisc.bandwidth", "link.qdisc.bandwidth", "Rate of the shaper"),
        ("queue", "wifi.down.queue", "Most that waits"),
    ],
)
def test_keys_of_a_scenario_are_explained(acklab_cli, name, path, text):
    done = acklab_cli("explain", name)
    assert done.returncode == 0, done.stderr
    assert f"{path} (key of a scenario)\n  {text}" in done.stdout


def test_a_key_that_is_not_there_has_the_nearest_one(acklab_cli):
    done = acklab_cli("explain", "topology.botleneck.rate")
    assert done.returncode == 1
    assert "did you mean topology.bottleneck.rate" in done.stderr


def test_every_key_has_a_meaning():
    from acklab.keys import keys

    without = {k.path.split(".")[-1] for k in keys() if not k.text}
    # Which of several tables it is: their meanings are those of the building blocks.
    assert without <= {"name", "kind", "feedback", "interval"}


def test_a_run_says_what_its_ack_filter_did(acklab_cli, tmp_path):
    told = acklab_cli("run", "ack-aggregation", "--out", tmp_path / "a").stdout
    line = next(x for x in told.splitlines() if "ACK filter passed" in x)
    assert re.fullmatch(
        r"right->left: the ACK filter passed one ACK in 3\.\d; its timer released \d+ % of them",
        line,
    )
    assert "ACK filter" not in acklab_cli("run", "single-flow", "--out", tmp_path / "b").stdout
