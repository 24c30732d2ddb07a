"""TACK's live ends over a kernel's own path, in virtual time, beside the simulator."""

import json
from statistics import median

import pytest

from acklab.scenario import Scenario, load, run_many
from conftest import ROOT

SAID = json.loads((ROOT / "validation/kernel-virtual/tack/tack.json").read_text())
SEEDS = 10


@pytest.fixture(scope="module", params=SAID)
def pair(request):
    """What the kernel's runs counted, and the flow of each seed here."""
    said = SAID[request.param]
    # Bursts, and room for a late driver, as live ends have them.
    alike = Scenario(load(said["scenario"])._core.as_live())
    results = run_many([(alike, seed) for seed in range(1, SEEDS + 1)])
    return said["runs"], [r.flows.to_dicts()[0] for r in results]


def of(runs, name):
    return median(run[name] for run in runs)


def test_it_carries_as_much(pair):
    live, simulated = pair
    assert of(live, "goodput_mbps") == pytest.approx(of(simulated, "goodput_mbps"), rel=0.01)


def test_it_sends_as_many_tacks(pair):
    live, simulated = pair
    here = median(row["acks_sent"] - row["iacks_sent"] for row in simulated)
    assert of(live, "tacks") == pytest.approx(here, rel=0.01)


@pytest.mark.parametrize(
    ("there", "here", "near"),
    [
        ("iacks", "iacks_sent", 0.05),
        ("retransmissions", "retransmissions", 0.05),
        ("srtt_ms", "srtt_p50_ms", 0.02),
    ],
)
def test_what_hangs_on_chance(pair, there, here, near):
    """Near the median, or between two of the seeds where they differ by more than that."""
    live, simulated = pair
    seeds = sorted(row[here] for row in simulated)
    middle = median(seeds)
    low, high = min(seeds[0], middle * (1 - near)), max(seeds[-1], middle * (1 + near))
    assert low <= of(live, there) <= high
    # No test if the seeds had any value.
    assert high < 2.1 * low


def test_a_steady_flow_sends_four_tacks_in_a_round_trip():
    for name, said in SAID.items():
        beta = said["scenario"]["flow"][0]["transport"]["beta"]
        for run in said["runs"]:
            rtt = run["rtt_min_ms"] / 1000
            per_round = run["steady_tacks"] / (said["seconds"] - 10) * rtt
            # Linux's timers and the link add 0.4 ms to 10 ms.
            assert per_round == pytest.approx(beta, rel=0.07), name
