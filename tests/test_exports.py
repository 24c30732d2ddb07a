"""Formats of other tools from the command line."""

import json
import shlex

import polars as pl
import pytest

FILES = {
    "--pcap": {"packets.pcapng"},
    "--qlog": {"bulk.sqlog"},
    "--flent": {"small.flent.gz"},
    "--flowmon": {"flowmon.xml"},
}
TABLES = {"flows", "links", "series", "link_series"}
ALWAYS = {"run.json", "scenario.toml"} | {f"{t}.parquet" for t in TABLES}


@pytest.mark.parametrize(
    ("option", "records"),
    [
        ("--pcap", {"packets"}),
        ("--qlog", {"packets", "events"}),
        ("--flent", set()),
        ("--flowmon", {"packets"}),
    ],
)
def test_each_records_what_it_needs(acklab_cli, small_file, tmp_path, option, records):
    done = acklab_cli("run", small_file, option, "--out", "a")
    assert done.returncode == 0, done.stderr
    left = {p.name for p in (tmp_path / "a").iterdir()}
    assert left == ALWAYS | FILES[option] | {f"{r}.parquet" for r in records}
    about = json.loads((tmp_path / "a" / "run.json").read_text())
    assert option in about["command"].split()
    assert set(about["recorded"]) == {"series"} | records


def test_all_at_once_and_again_by_the_command_that_was_kept(acklab_cli, small_file, tmp_path):
    """Samples are taken where the scenario takes none; a list of points becomes all of them."""
    bare = small_file.read_text().replace('sample_every = "100 ms"\n', "")
    small_file.write_text(bare)
    few = 'record.packets=["left->right"]'
    done = acklab_cli("run", small_file, *FILES, "--set", few, "--out", "a")
    assert done.returncode == 0, done.stderr
    made = {n for names in FILES.values() for n in names}
    first = {n: (tmp_path / "a" / n).read_bytes() for n in made}
    assert all(first.values())
    words = shlex.split(json.loads((tmp_path / "a" / "run.json").read_text())["command"])
    done = acklab_cli(*words[1:])
    assert done.returncode == 0, done.stderr
    assert {n: (tmp_path / "a" / n).read_bytes() for n in made} == first


def test_a_capture_keeps_to_the_points_that_are_watched(acklab_cli, small_file, tmp_path):
    done = acklab_cli(
        "run", small_file, "--pcap", "--set", 'record.packets=["left->right"]', "--out", "a"
    )
    assert done.returncode == 0, done.stderr
    packets = pl.read_parquet(tmp_path / "a" / "packets.parquet")
    assert packets["point"].unique().to_list() == ["left->right"]
