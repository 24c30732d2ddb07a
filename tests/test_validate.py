"""Validation: every row of the references is rebuilt, and the verdicts follow the criteria."""

import csv
import importlib.util
import math
import statistics
import sys
from collections import defaultdict
from dataclasses import replace

import pytest

import acklab
from acklab.places import packaged
from acklab.validate import (
    compare,
    kernel_rows,
    kernel_virtual_rows,
    ns2_rows,
    ns3_modes,
    ns3_modes_rows,
    ns3_red_rows,
    ns3_rows,
    ns3_thesis_rows,
    ns3_wifi,
    ns3_wifi_rows,
    paused_rows,
    quiet_rows,
    wifi_models,
)
from acklab.validate.compare import Comparison, Metric, _metrics
from acklab.validate.criteria import (
    KERNEL,
    KERNEL_VIRTUAL,
    NS2,
    NS3,
    NS3_MODES,
    NS3_SATURATED,
    NS3_THESIS,
    NS3_WIFI,
    Tolerance,
)
from acklab.validate.lateness import pauses
from acklab.validate.ns2 import allowed
from acklab.validate.ns3 import parse


def test_every_row_of_the_kernel_is_in_a_cell():
    rows = kernel_rows()
    with (packaged("validation") / "kernel" / "results.csv").open() as f:
        assert sum(len(r.values["goodput"]) + r.disturbed for r in rows) == len(
            list(csv.DictReader(f))
        )


def test_every_row_of_the_kernel_in_virtual_time_is_in_a_cell():
    rows = []
    for name in ("results.csv", "cells/cells.csv", "bbr3.csv", "linux73.csv", "droptail.csv"):
        with (packaged("validation") / "kernel-virtual" / name).open() as f:
            rows += csv.DictReader(f)
    cells = kernel_virtual_rows()
    assert sum(len(c.values["goodput"]) for c in cells) == len(rows)
    assert len({c.name for c in cells}) == len(cells) == 420
    assert sum("40M10ms" in c.name or "10M48ms" in c.name for c in cells) == 39


def test_every_row_of_ns3_is_there():
    with (packaged("validation") / "ns3" / "wired.csv").open() as f:
        assert len(ns3_rows()) == len(list(csv.DictReader(f)))


def test_the_table_of_ns2_has_what_its_driver_runs():
    folder = packaged("validation") / "ns2"
    spec = importlib.util.spec_from_file_location("ackloss", folder / "ackloss.py")
    driver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    with (folder / "ackloss.csv").open() as f:
        found = list(csv.DictReader(f))
    assert [{k: row[k] for k in driver.KEYS} for row in found] == list(driver.cells())
    for reference in ns2_rows():
        for values in reference.values.values():
            assert len(values) == len(driver.SEEDS)


def test_the_experiment_with_sack_in_ns2_has_what_its_driver_runs():
    folder = packaged("validation") / "ns2"
    spec = importlib.util.spec_from_file_location("ackloss", folder / "ackloss.py")
    driver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    with (folder / "sack.csv").open() as f:
        found = list(csv.DictReader(f))
    assert [{k: row[k] for k in driver.DUPACKS} for row in found] == list(driver.sack_cells())
    median = {
        tuple(row[k] for k in ("variant", "dupacks", "ackloss")): statistics.median(
            float(x) for x in row["goodput_mbps"].split()
        )
        for row in found
    }
    # Begun by one duplicate, Sack1 gains little; by SACK blocks, it gains most.
    assert median["Sack1", "1", "0.3"] < 1.05 * median["Sack1", "3", "0.3"]
    assert median["Fack", "1", "0.3"] > 1.3 * median["Sack1", "3", "0.3"]


def test_chance_widens_the_criterion_of_ns2():
    assert allowed(Tolerance(0.05), [2.0] * 10) == Tolerance(0.05)
    # 1.96 standard errors of a difference of medians: of two seeds there, of five here.
    wide = allowed(Tolerance(0.05), [1.0, 3.0])
    assert wide.absolute == pytest.approx(1.96 * 1.2533 * math.sqrt(2) * math.sqrt(1 / 2 + 1 / 5))


def test_every_run_of_ns3_over_radio_channels_is_in_a_cell():
    runs = set()
    for name in ns3_wifi.FILES:
        with (packaged("validation") / "ns3" / name).open() as f:
            runs |= {row["args"] for row in csv.DictReader(f)}
    cells = ns3_wifi_rows()
    assert sum(len(c.values["goodput"]) for c in cells) == len(runs) == 187
    assert len({c.name for c in cells}) == len(cells) == 105


def test_every_mode_of_ns3_is_in_a_cell():
    rows = []
    for name in ("wifi_modes.csv", "wifi_saturated.csv"):
        with (packaged("validation") / "ns3" / name).open() as f:
            rows += csv.DictReader(f)
    tcp = [r for r in rows if r["proto"] == "tcp"]
    assert len({r.name for r in ns3_modes_rows()}) == len(tcp) == 96
    cells = ns3_modes.saturated()
    assert len(cells) == len(rows) - len(tcp) + 12 + 20 + 24
    assert {c.parts[0].model for c in cells} == set(NS3_SATURATED)


def test_saturated_stations_have_what_ns3s_have():
    """Hidden ones, too: an A-MPDU loses the MPDUs that another frame meets, and no others."""
    found = wifi_models.check(
        ns3_modes.saturated(), seeds=3, source="ns3-saturated", criteria=NS3_SATURATED
    )
    assert [c.reference.name for c in found if not c.ok] == []
    modes = [m.error for c in found if c.reference.keys["model"] == "modes" for m in c.metrics]
    assert max(map(abs, modes)) < 0.01


def test_rts_are_as_slow_as_ns3s_and_answers_to_data_are_not():
    """Were the CTS at 24 Mbit/s, or the MAC ACKs at 6, all four cells would be off by more."""
    cells = [r for r in ns3_wifi_rows() if r.keys["tag"].startswith("rts20s")]
    found = {c.reference.name: c.metrics for c in compare(cells, seeds=1)}
    off = {name: m.error for name, metrics in found.items() for m in metrics if m.name == "goodput"}
    assert list(off) == [
        "rts20s 1 0 0",
        "rts20s-each 1 0 0",
        "rts20s-each 1 4096 0",
        "rts20s-each 1 16384 0",
    ]
    assert max(map(abs, off.values())) < 0.01


def test_flows_of_a_run_of_ns3_are_summed():
    (cell,) = [c for c in ns3_wifi_rows() if c.name == "nsta5s 20 4096 0"]
    assert len(cell.values["goodput"]) == 5
    assert cell.values["goodput"][0] == pytest.approx(23.5373, abs=1e-3)
    assert cell.values["jain"][0] == 0.9219
    assert cell.values["ap_drops"][0] == 182


_AGREEING = ("equal5s-known", "4096")


def test_stations_agree_on_the_air_where_ns3s_do():
    """Each way and access category comes to an agreement before it has A-MPDUs."""
    cells = {c.name: c.scenarios[0]["wifi"] for c in ns3_wifi_rows()}
    assert all(channel.get("addba") for channel in cells.values())


def test_as_many_stations_agree_as_in_ns3():
    """In ns-3's runs of this cell all 40 ways have one, and 3 to 6 responses are late."""
    path = packaged("validation") / "ns3" / "wifi_agreements.csv"
    with path.open() as f:
        runs = [r for r in csv.DictReader(f) if (r["tag"], r["ampdu"]) == _AGREEING]
    assert {r["agreements"] for r in runs} == {"40"}
    assert {r["requests"] for r in runs} == {"40"}
    (cell,) = [c for c in ns3_wifi_rows() if c.name == "equal5s-known 20 4096 0"]
    result = acklab.load(cell.scenarios[0]).run(seed=1)
    of_all = {c: result.stations[c].sum() for c in ("agreements", "agreements_failed")}
    assert of_all["agreements"] == 40
    assert 1 <= of_all["agreements_failed"] <= 12


def test_every_cell_of_ns3_in_the_inferred_setup_is_there():
    cells = ns3_thesis_rows()
    assert len({c.name for c in cells}) == len(cells) == 20 + 50
    (pair,) = [c for c in cells if c.name == "bbr3-newreno 2:1"]
    assert pair.values == {"goodput": [], "jain": [0.5007]}


def test_every_scenario_loads():
    for reference in [r for rows in SOURCES.values() for r in rows()]:
        for scenario in [*reference.scenarios, *reference.late_scenarios]:
            acklab.load(scenario)


def test_the_quiet_runs_are_of_the_same_cells():
    assert {r.name for r in quiet_rows()} == {r.name for r in kernel_rows()}
    assert {r.name for r in paused_rows()} <= {r.name for r in kernel_rows()}
    for rows, least in [(quiet_rows(), 5), (paused_rows(), 3)]:
        for row in rows:
            assert len(row.values["goodput"]) >= least
            assert row.disturbed == 0


def test_each_repeat_of_the_kernel_has_pauses_as_late_as_were_measured_in_it():
    (cell,) = [r for r in kernel_rows() if r.name == "main 10M48ms bbr 4"]
    links = [s["link"][0] for s in cell.late_scenarios]
    assert len(links) == len(cell.values["goodput"]) == 3
    assert links[0]["pauses"] == {"length": "1136.7 us", "gap": "61716.8 us"}
    (ideal,) = cell.scenarios
    assert "pauses" not in ideal["link"][0]


@pytest.mark.parametrize(("p99", "longest"), [(673.5, 7428.0), (5318.2, 37247.5), (116.5, 2937.8)])
def test_pauses_have_the_quantiles_that_were_asked_for(p99, longest):
    law = pauses(p99, longest, 30e6)
    cycle = law.length + law.gap
    assert law.length / cycle * math.exp(-p99 / law.length) == pytest.approx(0.01)
    assert law.p99 == pytest.approx(p99)
    assert 30e6 / cycle * math.exp(-longest / law.length) == pytest.approx(math.log(2), rel=1e-5)


@pytest.mark.parametrize(("p99", "longest"), [(500, 400), (0, 400), (500, 600), (500, 40e6)])
def test_no_pauses_have_impossible_quantiles(p99, longest):
    with pytest.raises(ValueError, match=f"{p99} us"):
        pauses(p99, longest, 30e6)


def test_arguments_of_the_ns3_program():
    args = parse("wired --tag=x --tcp=cubic --thin=8 --devq=40")
    assert (args["tcp"], args["thin"], args["devq"]) == ("cubic", "8", "40")
    assert (args["delack"], args["buf"]) == ("2", "131072")


def test_tolerances():
    t = Tolerance(0.25, absolute=20)
    assert t.holds(30, 14)
    assert t.holds(120, 100)
    assert not t.holds(130, 100)


@pytest.mark.parametrize(
    ("theirs", "verdict"),
    [
        ([10.0], "ok"),
        ([11.0], "untested"),
        ([13.0], "off"),
        ([11.0] * 6, "alike"),
        ([12.1] * 6, "off"),
    ],
)
def test_verdicts_on_what_chance_decides(theirs, verdict):
    (cell,) = [r for r in kernel_rows() if r.name == "main 10M48ms reno 1"]
    cell = replace(cell, values={"goodput": theirs}, measures={"goodput": lambda x: x}, draws=True)
    ours = [{"goodput": x} for x in (*([8.0] * 8), *([10.0] * 4), *([12.0] * 8))]
    (metric,) = _metrics(cell, ours, [])
    assert metric.verdict == verdict
    assert metric.ok is (verdict != "off")
    assert Comparison(cell, [metric]).verdict == verdict
    if verdict != "ok":
        (metric,) = _metrics(replace(cell, draws=False), ours, [])
        assert metric.verdict == "off"


def test_the_verdict_of_a_cell_is_that_of_the_metric_that_agrees_least():
    (cell,) = [r for r in kernel_rows() if r.name == "main 10M48ms reno 1"]
    ok, alike, untested, off = (
        Metric("goodput", 1, 1, 1, 1, None, good, None, *how)
        for good, *how in ((True,), (True, True), (True, False, True), (False,))
    )
    for metrics in ([ok], [ok, alike], [ok, alike, untested], [ok, alike, untested, off]):
        assert Comparison(cell, metrics).verdict == metrics[-1].verdict


def test_comparing_says_how_far_off(acklab_cli, tmp_path):
    cells = [r for r in kernel_rows() if r.name == "main 10M48ms reno 1"]
    (comparison,) = compare(cells, seeds=1)
    goodput = comparison.metrics[0]
    assert goodput.low <= goodput.reference <= goodput.high
    assert abs(goodput.error) < 0.03
    assert {"reference", "acklab", "error", "verdict"} <= set(comparison.rows()[0])


def test_the_command_writes_one_row_per_metric(acklab_cli, tmp_path):
    done = acklab_cli("validate", "ns3", "--seeds", 1, "--out", "v")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "v" / "validation.csv").open() as f:
        assert len(list(csv.DictReader(f))) == 4 * (len(ns3_rows()) + len(ns3_red_rows()))


BUNCHED_ACKS = (
    "its emulator's pauses bunch ACKs, which lifts BBR's largest rate sample over its 1 % margin"
)
OFFLOAD = "138 in the reference, 87 over the quiet emulator, 85 here (open question)"
LOST_TIME = "its emulator was late: goodput and losses of its repeats follow the lateness"
START = "one overflow at the start; the kernel has 103 to 152 and 82 to 201 in ten repeats"
LATE_REPEATS = (
    "only its late repeats; kernel-quiet meets it, pauses do not explain it (open question)"
)
FEW_PAUSES = "three repeats of a count that hangs on the few longest pauses; the ranges overlap"
FEW = "a draw: with 15 seeds of acklab it is within the criterion"
WAIT = (
    "Vegas hangs on how long ARP waits before its questions, whole ms that are drawn: one draw in "
    "ns-3, five here"
)
CAPTURE = "fewer ACKs of 20 stations at 1024 B than in ns-3 (open question)"
LOTTERY = "whether a SYN-ACK is the N-th ACK of both flows hangs on their phase: one draw each"
DUPLICATES = (
    "ns-2's Sack1 counts the ACKs that arrive, of which many are lost, for the start of recovery "
    "and for what is in flight (pipe_); here SACK blocks tell both (RFC 6675). ns-2's Fack, which "
    "does so too, makes up most of it (sack.csv)"
)
TIES = (
    "packets come at the very instant at which another leaves; the kernel's clock has steps of 256 "
    "ns, and its timers are late by them (500 ns of jitter here: kernel-virtual/README.md)"
)
TIMER = (
    "the timer of SACK compression ends as a packet comes, 600 us after it began; the kernel's own "
    "count is acklab's if the timer's slack is 1 us longer or shorter (captures/ties.py)"
)
VISITS = (
    "here both visit PROBE_RTT at once, because round trips are equal to the nanosecond; the "
    "kernel's starts in which they do, 11 of 30, have 44.2 ms as here (captures/probe_rtt.py)"
)
FIRST_SEEDS = (
    "p is 0.009 with seeds 1 to 20 and 0.01 to 0.14 with the next four times 20. From the kernel's "
    "own starts all packets are the kernel's for 1 to 29 s, until two change places at a tick "
    "(captures/codel_pair.py)"
)
ROOTS = (
    "one run on each side, and no chance: with the roots of RFC 8289 both pairs have 0.97 here. "
    "ns-3 takes Newton steps, as here, with which pairs of NewReno and CUBIC are closer to it"
)
#: Misses of the criteria, by source and cell, with the mechanism. Evidence: concepts/trust.md.
EXCEPTIONS: dict[tuple[str, str], dict[str, str]] = {
    ("kernel", "gso_on 10M48ms bbr 1"): {"retransmissions": OFFLOAD},
    ("kernel", "gso_on 40M10ms bbr 1"): {"retransmissions": BUNCHED_ACKS},
    ("kernel", "main 10M48ms bbr 4"): {"retransmissions": BUNCHED_ACKS},
    ("kernel", "main 10M48ms bbr 8"): {"retransmissions": BUNCHED_ACKS},
    ("kernel", "main 10M48ms bbr 16"): {"retransmissions": BUNCHED_ACKS},
    ("kernel", "main 40M10ms bbr 4"): {"retransmissions": BUNCHED_ACKS},
    ("kernel", "main 40M10ms cubic 16"): {"goodput": LOST_TIME, "retransmissions": LOST_TIME},
    ("kernel", "main 40M10ms reno 4"): {"retransmissions": LATE_REPEATS},
    ("kernel-quiet", "main 40M10ms bbr 4"): {"retransmissions": START},
    ("kernel-paused", "main 10M48ms bbr 2"): {"retransmissions": FEW_PAUSES},
    ("kernel-paused", "main 40M10ms bbr 4"): {"retransmissions": FEW_PAUSES},
    ("kernel-paused", "main 40M10ms bbr 16"): {"retransmissions": FEW_PAUSES},
    **{
        ("kernel-virtual", f"linux-{cell} reno"): {"retransmissions": TIMER, "drops": TIMER}
        for cell in ("6.12 40M10ms htb", "6.12 40M10ms tbf")
    },
    ("kernel-virtual", "linux-6.12 cake vegas+cubic 0"): {"goodput": TIES, "rtt": TIES},
    ("kernel-virtual", "linux-6.12 cake vegas+vegas 0"): {
        "retransmissions": TIES,
        "rtt_p95": TIES,
        "drops": TIES,
    },
    ("kernel-virtual", "linux-6.12 cake vegas+vegas 1"): {
        "goodput": TIES,
        "retransmissions": TIES,
        "drops": TIES,
    },
    ("kernel-virtual", "linux-6.12 cake reno+vegas 1"): {"goodput": TIES},
    ("kernel-virtual", "linux-6.12 cake pppoe-llcsnap vegas+cubic 0"): {"goodput": TIES},
    ("kernel-virtual", "linux-6.12 cake pppoe-llcsnap vegas+cubic 1"): {
        "goodput": TIES,
        "rtt": TIES,
    },
    **{
        ("kernel-virtual", f"linux-6.12-bbr3 codel bbr+bbr {i}"): {"rtt_p95": VISITS}
        for i in (0, 1)
    },
    **{
        ("kernel-virtual", f"linux-6.12 codel reno+vegas {i}"): {"goodput": FIRST_SEEDS}
        for i in (0, 1)
    },
    ("ns2", "Sack1 1024 50 0.2 0.01"): {"goodput": DUPLICATES},
    ("ns2", "Sack1 1024 50 0.3 0.01"): {"goodput": DUPLICATES},
    ("ns3-wifi", "nsta5s 20 1024 0"): {"acks": CAPTURE},
    ("ns3-wifi", "nsta5s 20 4096 0"): {"acks": FEW},
    ("ns3-wifi", "nsta5s-known 20 1024 0"): {"acks": CAPTURE, "jain": FEW},
    ("ns3-wifi", "nsta5s-known 20 4096 0"): {"acks": FEW},
    ("ns3-wifi", "equal5s-known 20 1024 0"): {"acks": CAPTURE},
    ("ns3-wifi", "thesis20s-vegas 1 0 7935"): {"goodput": WAIT, "acks": WAIT},
    ("ns3-wifi", "thesis20s-vegas 1 8192 0"): {"goodput": WAIT, "acks": WAIT},
    ("ns3-thesis", "bbr3-bbr3 2:1"): {"jain": ROOTS},
    ("ns3-thesis", "bbr3-cubic 2:1"): {"jain": ROOTS},
    **{
        ("ns3-thesis", cell): {"jain": LOTTERY}
        for cell in (
            "bbr3-bbr3 4:1",
            "newreno-newreno 4:1",
            "vegas-vegas 4:1",
            "bbr3-newreno 2:1",
            "bbr3-newreno 4:1",
            "bbr3-vegas 8:1",
            "bbr3-vegas 16:1",
            "cubic-newreno 4:1",
            "cubic-vegas 4:1",
            "cubic-vegas 8:1",
            "cubic-vegas 16:1",
            "newreno-vegas 4:1",
        )
    },
}
SOURCES = {
    "kernel": kernel_rows,
    "kernel-quiet": quiet_rows,
    "kernel-paused": paused_rows,
    "kernel-virtual": kernel_virtual_rows,
    "ns2": ns2_rows,
    "ns3": ns3_rows,
    "ns3-thesis": ns3_thesis_rows,
    "ns3-wifi": ns3_wifi_rows,
    "ns3-modes": ns3_modes_rows,
}


#: Sources in which nothing is drawn, or little enough for the verdict on a single run.
OF_ONE_SEED = ("ns3", "ns3-thesis", "ns3-modes")


class Runs:
    """Results of runs, each made once: references have cells, flows and starts in common."""

    def __init__(self):
        self.made = {}

    def __call__(self, pairs, **more):
        """As `acklab.run_many`."""
        keyed = {(scenario.resolved, seed): (scenario, seed) for scenario, seed in pairs}
        new = {key: pair for key, pair in keyed.items() if key not in self.made}
        results = acklab.run_many(list(new.values()), **more)
        self.made.update(zip(new, results, strict=True))
        return [self.made[scenario.resolved, seed] for scenario, seed in pairs]


def most(seeds):
    """More than half: if so many seeds meet a criterion, the median of all is among them."""
    return seeds // 2 + 1


def runs(scenarios, seeds):
    loaded = [acklab.load(s) for s in scenarios]
    return [(s, seed) for s in loaded for seed in range(1, seeds + 1)]


def decided(reference, run_many, seeds=3):
    """Whether each of so many seeds meets each criterion."""
    results = run_many(runs(reference.scenarios, seeds))
    return all(
        reference.criteria[metric].holds(reference.measures[metric](result), median)
        for metric, median in medians(reference).items()
        for result in results
    )


def medians(reference):
    """Of the reference's repeats, by metric with a criterion."""
    known = {m: values for m, values in reference.values.items() if values}
    return {m: statistics.median(known[m]) for m in reference.criteria if m in known}


@pytest.fixture(scope="module")
def comparisons():
    """Of all cells, by source, with the verdicts of as many seeds as they ask for."""
    run_many, found = Runs(), defaultdict(list)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["acklab.validate.compare"], "run_many", run_many)
        for source, rows in SOURCES.items():
            cells = [replace(c, seeds=1) if source in OF_ONE_SEED else c for c in rows()]
            # All at once, so that processors are busy.
            run_many([run for c in cells for run in runs(c.scenarios, most(c.seeds))])
            for cell in cells:
                enough = decided(cell, run_many, most(cell.seeds))
                found[source] += compare([cell], most(cell.seeds) if enough else None)
    return found


def test_where_nothing_is_drawn_one_seed_is_all():
    """Which saves runs; that three seeds decide for five is arithmetic."""
    for source in ("ns3", "ns3-thesis"):
        cells = SOURCES[source]()[::10]
        one, other = (
            acklab.run_many([(acklab.load(c.scenarios[0]), seed) for c in cells]) for seed in (1, 2)
        )
        assert [r.flows.rows() for r in one] == [r.flows.rows() for r in other]


def test_three_seeds_that_meet_a_criterion_decide():
    (cell,) = [r for r in kernel_rows() if r.name == "main 10M48ms reno 1"]
    met = {m: [x] for m, x in medians(cell).items()}
    assert decided(replace(cell, measures=fixed(met)), fake)
    for metric, tolerance in cell.criteria.items():
        off = met[metric][0] + max(tolerance.relative * met[metric][0], tolerance.absolute) * 1.01
        # The third seed alone misses it.
        missed = {**met, metric: [met[metric][0]] * 2 + [off]}
        assert not decided(replace(cell, measures=fixed(missed)), fake)


def fake(pairs):
    """Results that are no more than the numbers of their seeds."""
    return [seed for _, seed in pairs]


def fixed(values):
    """Measures of such results: the values of a metric by seed, or one for all."""
    return {m: lambda seed, of=of: of[min(seed, len(of)) - 1] for m, of in values.items()}


def test_the_criteria_are_the_published_ones():
    assert Tolerance(0.02) == NS3["goodput"]
    assert {
        "goodput": Tolerance(0.01),
        "retransmissions": Tolerance(0.15, absolute=10),
        "drops": Tolerance(0.10, absolute=10),
        "ack_drops": Tolerance(0.10, absolute=10),
        "marks": Tolerance(0.10, absolute=10),
        "rtt": Tolerance(0.05),
        "rtt_p95": Tolerance(0.05),
    } == KERNEL_VIRTUAL
    assert {"goodput": Tolerance(0.05)} == NS2
    assert {
        "goodput": Tolerance(0.05),
        "jain": Tolerance(0, absolute=0.05),
        "acks": Tolerance(0.05),
    } == NS3_WIFI
    assert {"goodput": Tolerance(0.05)} == NS3_MODES
    assert {
        "modes": Tolerance(0.02),
        "hidden stations": Tolerance(0.03),
        "stations": Tolerance(0.02),
        "downlink OFDMA": Tolerance(0.01),
        "uplink OFDMA": Tolerance(0.01),
    } == NS3_SATURATED
    assert {"goodput": Tolerance(0.02), "jain": Tolerance(0, absolute=0.05)} == NS3_THESIS
    assert {
        "goodput": Tolerance(0.03),
        "retransmissions": Tolerance(0.25, absolute=20),
        "cwnd": Tolerance(0.15),
    } == KERNEL


@pytest.mark.parametrize("source", SOURCES)
def test_every_cell_meets_the_criteria_but_those_that_are_explained(comparisons, source):
    assert comparisons[source]
    off = {
        (source, c.reference.name): {m.name for m in c.metrics if m.ok is False}
        for c in comparisons[source]
        if not c.ok
    }
    explained = {k: set(v) for k, v in EXCEPTIONS.items() if k[0] == source}
    assert off == explained


def test_every_metric_with_a_criterion_is_judged(comparisons):
    of_ns = {
        "kernel-virtual": KERNEL_VIRTUAL,
        "ns2": NS2,
        "ns3": NS3,
        "ns3-modes": NS3_MODES,
        "ns3-thesis": NS3_THESIS,
        "ns3-wifi": NS3_WIFI,
    }
    for source, criteria in {s: of_ns.get(s, KERNEL) for s in SOURCES}.items():
        for comparison in comparisons[source]:
            known = {m for m, values in comparison.reference.values.items() if values}
            judged = {m.name for m in comparison.metrics if m.ok is not None}
            assert judged == set(criteria) & known


def test_the_emulators_lateness_accounts_for_the_windows_of_bbr(comparisons):
    cells = [c for c in comparisons["kernel"] if " bbr " in c.reference.name]
    windows = [m for c in cells for m in c.metrics if m.name == "cwnd"]
    assert len(windows) == 10
    # On an ideal link all are low; with pauses they are around it.
    assert all(m.error < 0 for m in windows)
    late = [m.late_error for m in windows]
    assert min(late) < 0 < max(late)
    assert max(map(abs, late)) < 0.04
