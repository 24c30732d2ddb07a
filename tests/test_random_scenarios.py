"""Scenarios at random: all that the schema has is drawn, loads, runs, and loses no packet."""

import json
import re
import tempfile
import tomllib
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import acklab
import results_of
from acklab import _core
from random_scenarios import Scenarios

#: How many are run, and how many more are drawn if these lack something.
COUNT, MORE = 200, 2600

#: A discipline and its parameters are the same wherever it stands: drawn in one of these places.
PLACES = re.compile("^(QueueDiscipline|StationQueue|InnerDiscipline)(?=[:=])")
#: Items of the schema that are never drawn, with the reason.
LEFT_OUT: dict[str, str] = {
    f"discipline:{tree}.{key}#1": "names are drawn one at a time"
    for tree in ("htb.classes", "queue-tree.queues")
    for key in ("flow", "from", "to")
}


@cache
def placeless(item):
    return PLACES.sub("discipline", item)


def anywhere(items):
    """Items without the place of a queue discipline."""
    return set(map(placeless, items))


@pytest.fixture(scope="module")
def drawn():
    with tempfile.TemporaryDirectory() as folder:
        source = Scenarios(json.loads(_core.schema()), Path(folder))
        yield source, list(source.take(COUNT))


@pytest.fixture(scope="module")
def pairs(drawn):
    """Each loaded, and with its packets recorded, which moves nothing else."""
    source, scenarios = drawn
    found = []
    for scenario in scenarios:
        record = {**scenario.get("record", {}), "packets": True}
        found.append((source.load(scenario), source.load({**scenario, "record": record}).run()))
    return found


def test_all_that_the_schema_has_is_drawn():
    with tempfile.TemporaryDirectory() as folder:
        source = Scenarios(json.loads(_core.schema()), Path(folder))
        everything = anywhere(source.walk.everything())
        for _ in source.take(COUNT + MORE):
            never = everything - anywhere(source.seen)
            if not never - set(LEFT_OUT):
                break
    assert sorted(never - set(LEFT_OUT)) == [], "let `random_scenarios` draw it, or say why not"
    assert sorted(set(LEFT_OUT) - never) == [], "it is drawn, or no longer there"
    assert sorted(anywhere(source.seen) - everything) == []


def test_few_are_given_up(drawn):
    source, _ = drawn
    # A refused scenario should be mendable by the words of the message.
    assert source.redrawn < COUNT / 20
    assert source.mended < 5 * COUNT


def test_the_same_seed_draws_the_same(drawn, tmp_path):
    _, scenarios = drawn
    again = Scenarios(json.loads(_core.schema()), tmp_path)
    assert list(again.take(30)) == scenarios[:30]
    other = Scenarios(json.loads(_core.schema()), tmp_path, seed=2)
    assert list(other.take(30)) != scenarios[:30]


def sums(result):
    tables = results_of.tables(result)
    return {t: {c: results_of.checksum(v) for c, v in of.items()} for t, of in tables.items()}


def test_the_canonical_form_loads_to_the_same_and_gives_the_same_bytes(pairs, tmp_path):
    for _, result in pairs:
        scenario = result.scenario
        for file, text in scenario.files.items():
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).write_text(text)
        (tmp_path / "resolved.toml").write_text(scenario.resolved)
        again = acklab.load(tmp_path / "resolved.toml")
        assert again.resolved == scenario.resolved, scenario.name
        assert sums(again.run(result.seed)) == sums(result), scenario.name


def test_recording_packets_changes_nothing(pairs):
    for scenario, result in pairs:
        plain = scenario.run()
        assert plain.flows.equals(result.flows), scenario.name
        assert plain.links.equals(result.links), scenario.name


def of_the_whole(pairs):
    """The results of runs whose packets are recorded from the first to the last."""
    kept = [
        r for s, r in pairs if not {"from", "until"} & tomllib.loads(s.resolved)["record"].keys()
    ]
    assert len(kept) > len(pairs) / 4
    return kept


def test_a_link_loses_no_packet(pairs):
    """Packets that entered left, were dropped for a reason, or are inside; counters agree."""
    for result in of_the_whole(pairs):
        points = result.packets.partition_by("point", as_dict=True)
        for link in result.links.iter_rows(named=True):
            where = (result.scenario.name, link["link"])
            at = points.get((link["link"],), result.packets.clear())
            told = dict(at.group_by("what").len().iter_rows())
            assert told.get("delivered", 0) == link["packets_out"], where
            assert told.get("dropped", 0) == link["dropped"], where
            reasons = [n for name, n in link.items() if name.startswith("drops_")]
            assert sum(reasons) == link["dropped"], where
            gone = link["packets_out"] + link["dropped"]
            assert gone <= link["packets_in"] + link["duplicated"], where


def test_a_flow_reads_no_more_than_was_sent(pairs):
    for result in of_the_whole(pairs):
        data = result.packets.filter(pl.col("what") == "sent", pl.col("len") > 0)
        sent = dict(data.group_by("flow").agg(pl.col("len").sum()).iter_rows())
        for flow in result.flows.iter_rows(named=True):
            where = (result.scenario.name, flow["flow"])
            if flow["cc"] == "cbr":
                continue  # a receiver that puts nothing in order counts the copies that links make
            assert flow["received_bytes"] <= sent.get(flow["flow"], 0), where
