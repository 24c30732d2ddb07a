"""The wireless part of the study of ACK aggregation: its cells, its witnesses, what it measures."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import acklab
from acklab.studies.aggregation import cells_wireless as cells
from acklab.studies.aggregation import quantities_wireless as of
from acklab.studies.aggregation import setups_wireless as setups
from acklab.studies.kit.numbers import witnessed
from acklab.studies.study import Effort

STUDY = Path(of.__file__).parent
VALIDATION = Path(__file__).parent.parent / "validation"
QUICK = Effort(1, quick=True)


def short(cc: str, how: str = "ampdu", setup: str = "ns3", **channel: object) -> acklab.Result:
    keys = {**setups.AGGREGATIONS[how], **channel}
    return acklab.load(setups.dumbbell(setups.SETUPS[setup], cc, keys, 4) | setups.SAMPLED).run(1)


def test_every_scenario_of_a_quick_study_is_valid():
    for group in cells.GROUPS.values():
        for cell in group(QUICK)[:: max(1, len(group(QUICK)) // 8)]:
            acklab.load(cell.scenario)


def test_hosts_of_ns3_ask_for_addresses_and_those_of_linux_know_them():
    wifi = {name: s.wifi(setups.AGGREGATIONS["none"]) for name, s in setups.SETUPS.items()}
    assert wifi["ns3"]["arp"] is wifi["thesis"]["arp"] is True
    assert "arp" not in wifi["linux"]


@pytest.mark.parametrize("arp", ["known", "asked"])
def test_the_start_of_vegas_matters_as_much_as_in_ns3(arp):
    """The lowest and the highest goodput over the starts, for each way to aggregate."""
    theirs: dict[tuple[int, int], list[float]] = {}
    with (VALIDATION / "ns3/wifi_vegas_start.csv").open() as file:
        for row in csv.DictReader(file):
            if int(row["arp"]) == (arp == "asked"):
                sizes = (int(row["ampdu"]) > 0, int(row["amsdu"]) > 0)
                theirs.setdefault(sizes, []).append(float(row["goodput_mbps"]))
    ways = {"none": (0, 0), "amsdu": (0, 1), "ampdu": (1, 0), "both": (1, 1)}
    found = [c for c in cells.starts(Effort(1)) if c.keys["arp"] == arp]
    for how, sizes in ways.items():
        runs = [c.scenario for c in found if c.keys["aggregation"] == how]
        assert len(runs) == 20
        ours = [float(acklab.load(s).run(1).flows["goodput_mbps"][0]) for s in runs]
        assert min(ours) == pytest.approx(min(theirs[sizes]), rel=0.06), how
        assert max(ours) == pytest.approx(max(theirs[sizes]), rel=0.08), how


def test_the_rate_in_bins_adds_up_to_what_was_acknowledged():
    run = short("cubic")
    at, line = of._line(run, "acked_bytes")
    assert at == pytest.approx([0.25 + 0.5 * i for i in range(8)])
    acked = float(run.series["acked_bytes"][-1])
    assert sum(line) * 0.5 * 1e6 / 8 == pytest.approx(acked)


def test_shares_of_the_air_add_up_to_one():
    shares = of.air_share.of(short("cubic", "none"))
    assert sum(shares.values()) == pytest.approx(1, abs=0.01)
    assert shares["contention"] > 0.2


def test_thinning_at_the_access_point_takes_acks_off_the_air():
    every, few = (short("cubic", "none", **cells.thinner(ratio)) for ratio in (1, 8))
    assert of.acks_in_air.of(few) < of.acks_in_air.of(every) / 2
    assert of.throughput.of(few) > of.throughput.of(every)


@pytest.mark.parametrize("name", ["ack_aggregation_table4.csv", "ack_aggregation_table5.csv"])
def test_the_thesis_in_the_study_is_the_thesis_in_validation(name):
    paper = of._paper()
    with (VALIDATION / "papers" / name).open() as f:
        for row in csv.DictReader(f):
            for cell in set(row) - {"cc"}:
                assert paper[f"{row['cc']} {cell}"] == float(row[cell])


def test_ns3_in_the_study_is_ns3_in_validation():
    found = witnessed(STUDY / "data" / "ns3-wireless.csv")
    field = found["sizes", "throughput"].at("setup", "thesis")
    seen = 0
    with (VALIDATION / "ns3" / "wifi_thesis_setup.csv").open() as f:
        for r in csv.DictReader(f):
            if r["ampdu"] != "0" and r["amsdu"] == "0":
                kb = -(-int(r["ampdu"]) // 1024)
                value = field.cells[r["tcp"], kb][None]
                assert value == pytest.approx(float(r["goodput_mbps"]), abs=1e-3)
                seen += 1
    assert seen == 20


def test_a_setting_of_the_search_has_a_place_in_the_thesis_tables():
    assert {c.scenario["name"] for c in cells.readings(QUICK)} <= set(of._paper())
