"""`acklab model`: the equations beside the simulation of a scenario, and what it refuses."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import replace
from statistics import median

import pytest

from acklab.cli.model import _show_fit
from acklab.fluid.beside import Fit, beside, fit, modelled
from acklab.fluid.cycles import period
from acklab.fluid.domain import NoCaseError
from acklab.fluid.drawn import draw, grouped
from acklab.fluid.scenario_case import case_of
from acklab.scenario import load
from acklab.validate.kernel_virtual import rows as kernel_rows
from conftest import ROOT

GALLERY = ROOT / "scenarios"


def test_a_case_is_read_from_the_resolved_scenario():
    case = case_of(load(GALLERY / "single-flow.toml").resolved)
    (flow,) = case.flows
    assert (case.link, case.rate, case.packet) == ("left->right", 10e6, 12_000)
    # 60 kB of packets of 1500.
    assert (case.queue, case.limit) == ("pfifo", 40)
    # Both count from the first start, 1 s.
    assert (case.duration, case.warmup) == (31, 6)
    # 24 ms of delay each way, three links; a packet of 1500 bytes takes 120 us, 1.2 ms and 120 us,
    # an ACK of 52 bytes 4, 42 and 4 us.
    there, back = 0.024 + 0.00144, 0.024 + 52 * 8 * (1 / 10e6 + 2 / 100e6)
    assert flow.rtt == pytest.approx(there + back)
    assert flow.payload == 1448 * 8


def test_queues_and_losses_are_read():
    case = case_of(load(GALLERY / "loss-bernoulli.toml").resolved)
    assert case.loss == pytest.approx(0.001)
    all_cubic = ["flow.0.cc=cubic", "flow.2.transport=tcp"]
    other = case_of(load(GALLERY / "fq-codel.toml", overrides=all_cubic).resolved)
    assert (other.queue, other.target, other.interval) == ("fq-codel", 0.005, 0.1)


def test_cakes_shaper_and_its_hosts_are_read():
    # Four flows of one host and one of another, at 20 of 100 Mbit/s.
    resolved = load(GALLERY / "cake.toml").resolved
    case = case_of(resolved)
    assert (case.rate, case.queue) == (20e6, "cake")
    assert list(case.hosts) == [0, 0, 0, 0, 1]
    assert any("overhead" in n for n in case.notes)
    both = beside(load(GALLERY / "cake.toml"), 1)
    got = {x.flow: x for x in both.lines if x.metric == "goodput"}
    assert got["call"].model == pytest.approx(got["call"].simulation, rel=0.1)
    assert got["backup-0"].model == pytest.approx(got["backup-0"].simulation, rel=0.1)


def test_what_the_model_leaves_out_is_said():
    notes = case_of(load(GALLERY / "asymmetric.toml").resolved).notes
    assert any("RFC 3449's k is 8.7" in n for n in notes)


@pytest.mark.parametrize(
    ("name", "overrides", "says"),
    [
        ("parking-lot", [], r"(?s)Eq 16: q: flows have different bottlenecks.*help:"),
        (
            "red",
            ["flow.0.app=bulk"],
            r"(?s)Eqs 18 to 24: s_i: .*has the queue red.*the model knows pfifo",
        ),
        ("short-flows", [], r"(?s)Eq 12: x: .*does not send without end.*help:"),
        ("cbr-with-cubic", [], r"(?s)Eq 12: w: .*is not TCP.*help:"),
        (
            "single-flow",
            ["flow.0.cc=vegas"],
            r"(?s)Eq 12: w: .*has vegas.*help: the model knows newreno",
        ),
        ("cellular", [], r"(?s)Eq 16: Theta: .*changes its rate.*help:"),
        ("loss-bursts", [], r"(?s)Eq 17: p: .*loses packets by a pattern.*help:"),
    ],
)
def test_what_is_no_case_is_refused(name, overrides, says):
    with pytest.raises(NoCaseError, match=says):
        case_of(load(GALLERY / f"{name}.toml", overrides=overrides).resolved)


WIRED = """
duration = "20 s"
node = [{ name = "a" }, { name = "b" }, { name = "r" }, { name = "d" }]
link = [
  { a = "a", b = "r", rate = "1 Gbit/s", delay = "1 ms" },
  { a = "b", b = "r", rate = "1 Gbit/s", delay = "1 ms" },
  { a = "r", b = "d", rate = "20 Mbit/s", delay = "20 ms" },
]
flow = [
  { from = "a", to = "d", cc = "newreno", ack = { name = "delayed", segments = 2 } },
  { from = "b", to = "d", cc = "newreno" },
]
"""

WIRELESS = """
duration = "5 s"
topology = { preset = "wlan", stations = 1, wire = { rate = "1 Gbit/s", delay = "10 ms" } }
flow = [
  { cc = "newreno", ack = { name = "delayed", segments = 2 } },
  { cc = "newreno" },
]
"""

TRIGGERED = """
duration = "5 s"
topology = { preset = "wlan", stations = 4, wire = { rate = "1 Gbit/s", delay = "10 ms" } }
flow = [{ cc = "cubic", count = 4 }]
[wifi]
standard = "ax"
mcs = 7
ofdma = { downlink = false, single_user = false, always_poll = true, mu_edca = { aifsn = 0 } }
[wifi.station.sta3.up]
mcs = 7
"""


@pytest.mark.parametrize(
    ("text", "override", "says"),
    [
        (WIRED, "link.1.loss=0.02", r"(?s)Eq 17: the loss .* from 0 to 0\.02, .*help: lose as"),
        (
            WIRED,
            "flow.1.tcp.segment=536",
            r"(?s)Eq 16: q: the size .* from 588 to 1500, .*help: give all flows one",
        ),
        (
            WIRELESS,
            "flow.1.tcp.segment=300",
            r"(?s)Eq 3: n: flows from sta0 to ap have different sizes of packets \(352, 1500\)",
        ),
        (
            WIRELESS,
            "flow.0.ack.segments=16",
            r"(?s)Eq 3: n: flows from sta0 to ap have different numbers .* \(2, 16\).*help: give",
        ),
        (
            WIRELESS,
            "wifi.bit_error_rate=0.9",
            r"(?s)Eq 6: p_phy: it is 1\.0+: of 12304 bits.*help: set bit_error_rate below 8e-05",
        ),
        (
            WIRELESS,
            "wifi.edca={cw_min=0,cw_max=0}",
            r"(?s)Eq 4: W_0: sta0 waits for no slot.*help: set cw_max to 1 or more",
        ),
        (
            TRIGGERED,
            "wifi.station.sta3.up.mcs=0",
            r"(?s)Eq 2: T_r: sta0 and sta3 differ in mode.*help: give all triggered stations",
        ),
    ],
)
def test_what_the_equations_cannot_have_is_refused(text, override, says, tmp_path):
    """An equation with one value for all flows would give the value of some to the rest."""
    (tmp_path / "it.toml").write_text(text)
    case_of(load(tmp_path / "it.toml").resolved)
    with pytest.raises(NoCaseError, match=says):
        case_of(load(tmp_path / "it.toml", overrides=[override]).resolved)


def test_the_command_writes_a_table_and_a_figure(acklab_cli, tmp_path):
    done = acklab_cli("model", "single-flow", "--seeds", "2", "--out", str(tmp_path / "m"))
    assert done.returncode == 0, done.stderr
    assert "model beside simulation" in done.stdout
    rows = list(csv.DictReader((tmp_path / "m" / "model.csv").open()))
    assert [r["metric"] for r in rows] == ["goodput", "rtt", "lost"]
    assert abs(float(rows[0]["error"])) < 0.01
    assert (tmp_path / "m" / "model.svg").read_text().startswith("<?xml")
    again = acklab_cli("model", "single-flow", "--seeds", "2", "--out", str(tmp_path / "n"))
    assert again.returncode == 0
    for name in ("model.csv", "model.svg"):
        assert (tmp_path / "m" / name).read_bytes() == (tmp_path / "n" / name).read_bytes()


def test_the_equations_beside_a_kernel():
    """The model's numbers beside those of Linux in virtual time; the simulator takes no part."""
    counted = 0
    for row in kernel_rows():
        fair = row.keys["bottleneck"] in ("fq_codel", "cake")
        if row.keys.get("ack_filter") or "tcp_ecn" in row.keys:
            continue
        if row.keys["kernel"].endswith("-bbr3"):
            continue
        # BBR beside Reno is left out: behind `fq_codel` the model's RTT of BBR is 20.3 % less.
        # Alone in a long queue it is up to 20 % more.
        if "+" in row.keys["flows"] and (not fair or row.keys["flows"] == "bbr+reno"):
            continue
        # The model has neither RED nor Vegas, and counts no overhead of a link layer.
        if row.keys["bottleneck"].startswith(("red", "cake ")) or "vegas" in row.keys["flows"]:
            continue
        i = int(row.keys.get("flow", 0))
        case = case_of(load(row.scenarios[0]).resolved)
        of = modelled(case, case.run())[i]
        within = 0.06 if "reno" in row.keys["flows"] else 0.025
        assert of["goodput"] == pytest.approx(median(row.values["goodput"]), rel=within), row.name
        within = 0.21 if "bbr" in row.keys["flows"] else 0.065
        assert of["rtt"] == pytest.approx(median(row.values["rtt"]), rel=within), row.name
        counted += 1
    assert counted == 89


def test_shapers_are_looked_through():
    plain = load(GALLERY / "single-flow.toml").resolved
    for shaper in (
        {"name": "tbf", "rate": "4 Mbit/s", "child": {"name": "codel"}},
        {"name": "htb", "classes": [{"rate": "4 Mbit/s", "child": {"name": "codel"}}]},
    ):
        of = tomllib.loads(plain)
        of["link"][0]["qdisc"] = shaper
        del of["link"][0]["queue"]
        case = case_of(load(of).resolved)
        assert (case.rate, case.queue) == (4e6, "codel")
    unlimited = tomllib.loads(plain)
    for link in unlimited["link"]:
        link["rate"] = "unlimited"
        link["queue"] = "1000 packets"
    with pytest.raises(NoCaseError, match="no link limits the rate"):
        case_of(load(unlimited).resolved)


def test_swings_have_the_same_period():
    scenario = load(
        GALLERY / "single-flow.toml",
        overrides=["topology.bottleneck.delay=50 ms", "duration=120 s", "record.every=100 ms"],
    )
    ((flow, ours, theirs),) = beside(scenario, 1).cycles()
    assert flow == "bulk"
    assert ours == pytest.approx(theirs, rel=0.15)


def test_the_default_example_falls_a_sixth_too_seldom():
    """In the model long and short teeth alternate; in the simulation all are alike."""
    scenario = load(GALLERY / "single-flow.toml", overrides=["record.every=100 ms"])
    found = beside(scenario, 1)
    ((_, ours, theirs),) = found.cycles()
    assert theirs == pytest.approx(2.77, abs=0.1)
    assert ours == pytest.approx(3.32, abs=0.1)
    late = found.trace.time > found.case.warmup
    both = period(found.trace.window[late, 0], float(found.trace.time[0]))
    assert both == pytest.approx(2 * ours, rel=0.05)
    # Without samples of the simulation there is still the model.
    plain = load(GALLERY / "single-flow.toml")
    bare = replace(found, result=plain.run(1))
    assert len(bare.result.series) == 0
    assert bare.cycles() == [("bulk", ours, None)]


def test_a_flow_without_samples_is_named(acklab_cli, tmp_path):
    slow = ("--set", "topology.bottleneck.rate=1 bit/s", "--seeds", "1", "--out", tmp_path / "m")
    done = acklab_cli("model", "single-flow", *slow)
    assert done.returncode == 1
    assert "flow 'bulk': nothing arrived after the warm-up" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "m").exists()


def test_a_channel_with_several_fixed_points_is_refused(acklab_cli, tmp_path):
    out = ("--seeds", "1", "--out", str(tmp_path / "m"))
    done = acklab_cli("model", "wifi-station", "--set", "wifi.edca.cw_min=0", *out)
    assert done.returncode == 1
    assert "Eqs 4 and 5: beta and gamma may have several fixed points" in done.stderr
    assert "help: windows that double from 4 slots on (cw_min = 3) have one" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "m").exists()


def test_a_queue_of_one_packet_is_read():
    one = load(GALLERY / "single-flow.toml", overrides=["topology.bottleneck.queue=1 packet"])
    assert case_of(one.resolved).limit == 1


def test_a_refusal_leaves_nothing(acklab_cli, tmp_path):
    done = acklab_cli("model", "wifi-hidden", "--out", str(tmp_path / "m"))
    assert done.returncode == 1
    assert "Eq 5: gamma" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "m").exists()


def test_a_wrong_parameter_is_found_again():
    # The simulated queue is half as long as in the model: a fit says so, and nothing else does
    # as well.
    scenario = load(GALLERY / "single-flow.toml")
    both = beside(scenario, 1)
    wrong = type(both)(both.case.with_factor("limit", 2.0), both.trace, both.lines, both.result)
    best = fit(wrong)[0]
    assert best.parameter in ("limit", "rate")
    limit = next(f for f in fit(wrong) if f.parameter == "limit")
    assert limit.factor == pytest.approx(0.5, rel=0.15)
    assert limit.after < 0.05 < limit.before


@pytest.mark.parametrize("after", [0.03, 0.2])
def test_several_parameters_for_one_error_are_not_told_apart(after, capsys):
    """Each of two would make them agree, or only one would."""
    _show_fit([Fit("rtt", 1.1, 0.3, 0.02), Fit("limit", 1.2, 0.3, after)])
    said = " ".join(capsys.readouterr().out.split())
    assert ("several parameters: they cannot be told apart" in said) == (after < 0.05)


def test_many_flows_are_drawn_by_their_controller():
    many = grouped(case_of(load("wifi-uploads").resolved))
    assert many == {"30 flows of newreno": list(range(30))}
    two = grouped(case_of(load("bbr-with-cubic").resolved))
    assert two == {"bbr (bbr3)": [0], "cubic (cubic)": [1]}


@pytest.mark.filterwarnings("error")
def test_a_picture_of_many_flows_has_room_for_its_lines(tmp_path):
    # Matplotlib warns of axes without height.
    draw(beside(load("wifi-uploads", overrides={"duration": "2 s"}), 1), tmp_path / "many")
    assert (tmp_path / "many.svg").stat().st_size > 10_000
