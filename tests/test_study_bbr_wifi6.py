"""The study of BBR at home as a folder: it is whole, and its network is the paper's."""

import importlib.util
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import acklab
import acklab.studies.bbr_wifi6 as package
from acklab.scenario import load as load_scenario
from acklab.studies.bbr_wifi6 import cells, equations, quantities
from acklab.studies.kit.folder import check_texts, load
from acklab.studies.kit.language import truth
from acklab.studies.kit.templates import filled
from acklab.studies.kit.truth import Truth
from acklab.studies.kit.words import Wrong
from acklab.studies.study import Effort
from conftest import ROOT

STUDY = load(Path(package.__file__).parent)
SHORT = Effort(1, quick=True)
WITH = ("goodput", "rtt", "retransmissions", "pacing", "delivery", "cwnd", "jitter")


def test_it_is_whole_and_made_without_a_name():
    check_texts(STUDY)
    assert not STUDY.about.on_request
    assert all(c.because for c in STUDY.claims)


def test_every_cell_is_a_scenario():
    for of in cells.GROUPS.values():
        for cell in of(SHORT):
            load_scenario(cell.scenario)


@pytest.fixture(scope="module")
def uplink():
    """Quantities of quick runs by queue."""
    found = {}
    for queue in cells.QUEUES:
        result = load_scenario(cells.home(SHORT, "idle", "up", queue)).run(1)
        found[queue] = {n: STUDY.quantities[n].of(result) for n in WITH}, result
    return found


def test_each_packet_takes_the_air_twice_and_the_router_limits_it(uplink):
    for queue, (of, result) in uplink.items():
        links = result.columns("links")
        sent = dict(zip(links["link"], links["packets_out"], strict=True))
        assert sent["ap->peer"] > 0.9 * (sent["cubic->ap"] + sent["bbr->ap"]) > 1000, queue
        assert 9 < sum(of["goodput"].values()) < 10, queue
        assert set(of["rtt"]) == {"cubic", "bbr"}


def test_a_fifo_delays_and_codel_does_not(uplink):
    fifo, codel, cake = (uplink[q][0]["rtt"]["bbr"] for q in ("pfifo", "fq-codel", "cake"))
    assert fifo > 45
    assert cake < codel < 0.4 * fifo


def test_what_is_paced_is_measured_of_bbr_only(uplink):
    of = uplink["cake"][0]
    assert set(of["pacing"]) == {"bbr"}
    assert of["pacing"]["bbr"] == pytest.approx(of["delivery"]["bbr"], rel=0.2)


def test_the_kernel_ran_the_wire():
    """As the comparison with the kernel has it, ten starts or five of each."""
    script = ROOT / "validation/kernel-virtual/study.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert (STUDY.path / "linux.csv").read_text() == done.stdout
    linux = STUDY.witnesses["linux"]
    of = ("goodput", "retransmissions", "rtt", "rtt_p95", "cwnd")
    assert set(linux) == {("wire", q) for q in of}
    seeds = {key: len(value) for key, value in linux["wire", "goodput"].cells.items()}
    assert min(seeds.values()) >= 5


def test_the_equations_say_what_stands_in_the_file():
    assert (STUDY.path / "model.csv").read_text() == equations.table()


def test_each_sentence_that_calls_on_an_equation_has_its_number():
    """The simulator's, and the equations': a sentence on "Eq n" without a number computed from it
    says why there is none."""
    claims = [c for c in STUDY.claims if c.id.startswith("M-")]
    assert len(claims) == 35
    of = STUDY.witnesses["model"]
    scope = STUDY.scope(STUDY.vocabulary.shapes, STUDY.deciding()[0])
    for claim in claims:
        text = claim.because["always"]
        assert "{model| " in text, claim.id
        # Each has a number in the file: a dash would be none.
        for what in re.findall(r"\{model\| [^}]+\}", text):
            assert re.search(r"\d", filled(what, scope)), (claim.id, what)
        if "direction=both" in claim.holds:
            assert "Eq 16 has no ACKs" in text
    assert {group for group, _ in of} == {"wire", "tree", "home"}


def test_the_air_is_a_part_of_the_equations_round_trip():
    assert equations.air() == pytest.approx(0.9e-3, rel=0.05)
    # The step of half a millisecond is short enough.
    rough, fine = equations.home("fq-codel"), replace(equations.home("fq-codel"), step=0.2e-3)
    for quantity in ("goodput", "rtt"):
        ours = equations._home(replace(rough, duration=20.0).run())[quantity, "bbr"]
        assert ours == pytest.approx(
            equations._home(replace(fine, duration=20.0).run())[quantity, "bbr"], rel=0.05
        )


def test_a_witness_that_does_not_exist_is_named():
    scope = STUDY.scope(STUDY.vocabulary.shapes, STUDY.deciding()[0])
    with pytest.raises(Wrong, match="'modell' is no witness of this study; it has paper, linux, "):
        filled("{modell| home.rtt(direction=up, queue=cake, flow=bbr)}", scope)


def test_far_laptops_add_their_delay_and_nothing_else():
    near, far = (
        load_scenario(cells.home(SHORT, setup, "up", "cake")).run(1) for setup in cells.SETUPS[:2]
    )
    for run, least in ((near, 0), (far, cells.FAR_MS)):
        assert all(least <= rtt < least + 2 for rtt in run.flows["rtt_min_ms"])
    # The other laptops and the shaper are the same.
    assert far.flows["goodput_mbps"].sum() == pytest.approx(near.flows["goodput_mbps"].sum(), 0.05)


def test_a_fifo_without_jitter_favours_cubic_above_a_whole_number_of_packets():
    """The lead fades as the round trip grows, up to the next whole number; jitter makes it less."""
    seeds = (1, 2, 3, 4)

    def lead(rtt_us, jitter):
        cell = acklab.load(cells._phase(Effort(1), rtt_us, jitter))
        runs = acklab.run_many([(cell, seed) for seed in seeds])
        flows = [STUDY.quantities["goodput"].of(run) for run in runs]
        return sum(of["cubic"] - of["bbr"] for of in flows) / len(flows)

    none = {rtt_us: lead(rtt_us, "none") for rtt_us in (12000, 12400, 12800, 13200)}
    assert none[12000] > 1.5
    assert 0.5 < none[12400] < 1.5
    assert none[12800] < 0.5
    assert none[13200] > 1.5
    assert lead(12000, "a packet") < 0.5 * none[12000]
    assert lead(13200, "a packet") < 0.7 * none[13200]


def test_the_phase_effect_fades_in_all_seeds_and_jitter_leaves_a_part_of_it():
    """In the means of all seeds that the page has."""
    text = (ROOT / "docs/studies/bbr-wifi6.csv").read_text()
    (head,) = re.findall(r"^group,quantity,.*$", text, re.M)
    rows = [
        dict(zip(head.split(","), line.split(","), strict=True))
        for line in re.findall(r"^phase,goodput,.*$", text, re.M)
    ]
    of = {(r["jitter"], int(r["rtt_us"]), r["flow"]): float(r["value"]) for r in rows}
    lead = {k[:2]: of[*k[:2], "cubic"] - value for k, value in of.items() if k[2] == "bbr"}
    none = [lead["none", rtt_us] for rtt_us in cells.PHASES_US]
    # It falls for three steps, stays small, and is back one packet's time later.
    assert none[:3] == sorted(none[:3], reverse=True)
    assert max(none[3:-1]) < none[2]
    assert min(none[0], none[-1]) > 1.5
    # A sixth of a packet's time above a whole number more than half is left, at a third less.
    assert cells.PHASES_US[:3] == (
        12000,
        12000 + cells.PACKET_US // 6,
        12000 + cells.PACKET_US // 3,
    )
    assert 0.3 * none[0] < none[2] < 0.5 * none[0] < none[1]
    # With jitter it is never as large, and the round trip still matters.
    late = {rtt_us: lead["a packet", rtt_us] for rtt_us in cells.PHASES_US}
    assert max(late.values()) < 0.5 * none[0]
    assert max(late.values()) - min(late.values()) > 0.5
    # The text names the round trips at which BBRv3 has the most and the least.
    text = (STUDY.path / "text/phase.md").read_text()
    named = re.findall(r'rtt_us=(\d+), jitter="a packet", flow=bbr', text)
    assert [int(n) for n in named] == [min(late, key=late.get), max(late, key=late.get)]


def test_after_a_loss_less_is_in_flight():
    flight = np.repeat([100.0, 70.0, 100.0], 30)
    again = np.zeros(90)
    again[30:] += 1
    # The second of two losses within a second is not the first of an episode.
    again[35:] += 1
    change = quantities._after_loss({"inflight_bytes": flight, "retransmissions": again})
    assert change == pytest.approx(-30)
    nothing = {"inflight_bytes": flight, "retransmissions": np.zeros(90)}
    assert quantities._after_loss(nothing) is None


def test_a_rate_that_falls_after_a_long_round_trip(monkeypatch):
    """The pacing rate changes by a second's RTT below or above its mean."""
    rtt = np.array([20.0, 40.0, 30.0, 10.0, 50.0, 30.0])
    rate = np.concatenate([[50.0], 50 + np.cumsum(30 - rtt)[:-1]])
    series = {
        "rtt_ms": np.repeat(rtt, 10),
        "pacing_mbps": np.repeat(rate, 10),
        "goodput_mbps": 2 * np.repeat(rate, 10),
    }
    monkeypatch.setattr(quantities, "_samples", lambda _: {"bbr": series})
    assert STUDY.quantities["slows"].of(None) == pytest.approx(-1)
    assert STUDY.quantities["translates"].of(None) == pytest.approx(1)


@pytest.mark.parametrize("late", [0.0, 2.0])
@pytest.mark.parametrize("went", cells.WENT)
def test_the_time_until_bbr_has_the_link(monkeypatch, late, went):
    at = np.arange(1, 601) / 10
    rates = np.where(at > went + late, 9.6, 5.0)
    table = {"flow": ["bbr"] * 600, "time_s": at, "goodput_mbps": rates}
    monkeypatch.setattr(quantities, "columns", lambda *_: table)
    monkeypatch.setattr(quantities, "_went", lambda _: went)
    # An average over 0.3 s sees it when all of it is after.
    assert STUDY.quantities["takes"].of(None) == pytest.approx(late + 0.3)


@pytest.mark.parametrize(("late", "expected"), [(0.0, 0.3), (0.5, 0.8), (2.0, 2.3), (30.0, 20.0)])
def test_the_time_until_cubic_has_a_third(monkeypatch, late, expected):
    """Its series begins when it does; until its goodput comes it has nothing."""
    at = np.arange(cells.CAME * 10 + 1, 601) / 10
    rates = np.where(at > cells.CAME + late, 3.3, 0.0)
    table = {"flow": ["cubic"] * len(at), "time_s": at, "goodput_mbps": rates}
    monkeypatch.setattr(quantities, "columns", lambda *_: table)
    monkeypatch.setattr(quantities, "_went", lambda _: 30)
    assert STUDY.quantities["enters"].of(None) == pytest.approx(expected)


def test_when_cubic_goes_is_read_from_the_scenario():
    for went in cells.WENT:
        assert (
            quantities._went(load_scenario(cells._leaves(SHORT, "idle", "bbr3", went)).run(1))
            == went
        )


def test_windows_of_a_run_are_in_order(uplink):
    for _, result in uplink.values():
        names = ("cwnd_low", "cwnd", "cwnd_high", "cwnd_most")
        low, mean, high, most = (STUDY.quantities[n].of(result) for n in names)
        for flow in ("cubic", "bbr"):
            assert 1.4 < low[flow] < mean[flow] < high[flow] <= most[flow]


def test_a_recovery_repairs_at_least_one_loss(uplink):
    for of, result in uplink.values():
        recoveries = STUDY.quantities["recoveries"].of(result)
        assert all(0 < recoveries[f] <= of["retransmissions"][f] for f in ("cubic", "bbr"))


def test_losses_by_chance_come_before_the_queue_and_are_as_many_as_set():
    """Against the binomial distribution, five sigma."""
    result = load_scenario(cells._lossy(SHORT, "1 %", "bbr2")).run(1)
    links = result.columns("links")
    lost = dict(zip(links["link"], links["drops_random_loss"], strict=True))
    sent = dict(zip(links["link"], links["packets_in"], strict=True))
    n = sent["snd->r1"]
    assert abs(lost["snd->r1"] - 0.01 * n) < 5 * (0.01 * 0.99 * n) ** 0.5
    assert {link for link, of in lost.items() if of} == {"snd->r1"}


def test_a_video_and_two_of_bbr3_and_cubic_that_goes():
    stream, marked = (
        load_scenario(cells._stream(SHORT, "idle", "cake", ecn)).run(1) for ecn in ("off", "on")
    )
    assert 33 < STUDY.quantities["stream_delay"].of(stream) < 1000
    assert 0 <= STUDY.quantities["stream_stalled"].of(stream) < 100
    assert STUDY.quantities["stream_again"].of(stream) > 50
    # A fair queue marks instead.
    assert STUDY.quantities["stream_again"].of(marked) < 5
    for version in cells.VERSIONS:
        same = load_scenario(cells._same(SHORT, "idle", "pfifo", version)).run(1)
        assert set(same.flows["cc"]) == {version}
    leaves = load_scenario(cells._leaves(SHORT, "idle", "bbr3", 30)).run(1)
    series = leaves.columns("series")
    rates = [
        r
        for f, t, r in zip(series["flow"], series["time_s"], series["goodput_mbps"], strict=True)
        if f == "cubic" and t > 31
    ]
    assert max(rates, default=0) == 0
    assert STUDY.quantities["takes"].of(leaves) < 5


def test_the_percentiles_of_a_box_rise(uplink):
    for _, result in uplink.values():
        for what in ("rtt", "jitter"):
            boxes = [STUDY.quantities[f"{what}_box{n}"].of(result) for n in (5, 25, 50, 75, 95)]
            for flow in ("cubic", "bbr"):
                ends = [box[flow] for box in boxes]
                assert ends == sorted(ends)
                assert ends[0] < ends[-1]


def test_over_time_there_is_a_number_for_each_second(uplink):
    of, result = uplink["pfifo"]
    bbr = STUDY.quantities["goodput_of_bbr"].of(result)
    assert list(bbr) == list(range(cells.WARMUP, 10))
    assert sum(bbr.values()) / len(bbr) == pytest.approx(of["goodput"]["bbr"], rel=0.05)
    assert STUDY.quantities["goodput_of_bbr_up"].of(result) is None
    assert STUDY.quantities["crossings"].of(result) is not None


def _constant(file, name):
    """A ratio, count or time of a controller, as its source file has it."""
    source = (ROOT / "crates/acklab-proto/src/cc" / file).read_text()
    text = re.search(rf"const {name}: \w+ = ([^;]+);", source)[1]
    kind, numbers = re.fullmatch(r"(?:(\w+::\w+)\()?([^()]+)\)?", text).groups()
    whole = [_whole(n) for n in numbers.split(",")]
    if kind == "Ratio::new":
        return Fraction(*whole)
    return whole[0] / Fraction({"Ratio::per_256": 256, "Ratio::percent": 100}.get(kind, 1))


def _whole(text):
    """Of a product, a quotient and a sum of whole numbers, as Rust works it out."""
    assert re.fullmatch(r"[\d\s*/+-]+", text), text
    return int(eval(text.replace("/", "//")))


#: The numbers of acklab in Table I: file and constant of each, by version and parameter.
PARAMETERS = {
    "BBRv1": {
        "STARTUP: pacing gain": ("bbr1/params.rs", "HIGH_GAIN"),
        "STARTUP: window gain": ("bbr1/params.rs", "HIGH_GAIN"),
        "DRAIN: pacing gain": ("bbr1/params.rs", "DRAIN_GAIN"),
        "PROBE_BW: phases": ("bbr1/probe_bw.rs", "CYCLE_LEN"),
        "PROBE_BW: window gain": ("bbr1/params.rs", "CWND_GAIN"),
        "PROBE_RTT: every": ("bbr1/params.rs", "MIN_RTT_WIN"),
        "PROBE_RTT: window": ("bbr/mod.rs", "CWND_MIN_TARGET"),
        "PROBE_RTT: for": ("bbr1/params.rs", "PROBE_RTT_MODE"),
    },
    "BBRv2": {
        "STARTUP: pacing gain": ("bbr2/mod.rs", "HIGH_GAIN"),
        "STARTUP: window gain": ("bbr2/mod.rs", "HIGH_GAIN"),
        "DRAIN: pacing gain": ("bbr2/mod.rs", "DRAIN_GAIN"),
        "PROBE_BW: pacing gain up": ("bbr3/probe_bw_up.rs", "PACING_GAIN"),
        "PROBE_BW: pacing gain down": ("bbr2/mod.rs", "PROBE_DOWN_GAIN"),
        "PROBE_BW: window gain": ("bbr2/mod.rs", "CWND_GAIN"),
        "PROBE_RTT: every": ("bbr3/probe_rtt.rs", "INTERVAL"),
        "PROBE_RTT: window": ("bbr3/probe_rtt.rs", "CWND_GAIN"),
        "PROBE_RTT: for": ("bbr3/probe_rtt.rs", "DURATION"),
        "inflight_lo": ("bbr3/short_term.rs", "BETA_KERNEL"),
        "headroom below inflight_hi": ("bbr3/long_term.rs", "HEADROOM_KERNEL"),
        "time between probes": ("bbr3/probe_bw.rs", "BASE_WAIT"),
    },
    "BBRv3": {
        "STARTUP: pacing gain": ("bbr3/startup.rs", "PACING_GAIN_KERNEL"),
        "STARTUP: window gain": ("bbr3/startup.rs", "CWND_GAIN"),
        "DRAIN: pacing gain": ("bbr3/drain.rs", "PACING_GAIN_KERNEL"),
        "PROBE_BW: pacing gain up": ("bbr3/probe_bw_up.rs", "PACING_GAIN"),
        "PROBE_BW: pacing gain down": ("bbr3/probe_bw_down.rs", "PACING_GAIN_KERNEL"),
        "PROBE_BW: window gain up": ("bbr3/probe_bw_up.rs", "CWND_GAIN"),
        "PROBE_BW: window gain": ("bbr3/probe_bw.rs", "CWND_GAIN"),
        "PROBE_RTT: every": ("bbr3/probe_rtt.rs", "INTERVAL"),
        "PROBE_RTT: window": ("bbr3/probe_rtt.rs", "CWND_GAIN"),
        "PROBE_RTT: for": ("bbr3/probe_rtt.rs", "DURATION"),
        "inflight_lo": ("bbr3/short_term.rs", "BETA_KERNEL"),
        "headroom below inflight_hi": ("bbr3/long_term.rs", "HEADROOM_KERNEL"),
        "time between probes": ("bbr3/probe_bw.rs", "BASE_WAIT"),
    },
}
#: Parameters whose cell is words, some with a number that is not a constant of its own.
WORDS = ("largest window", "ends", "inflight_hi")


def _tables():
    """Table I by version: parameter and acklab's cell, and how many rows."""
    found, rows = {}, {}
    for line in STUDY.text("parameters").splitlines():
        if line.startswith("**"):
            rows = found.setdefault(line.strip("*"), {})
        elif line.startswith("| ") and not line.startswith("| parameter"):
            name, *_, ours = (cell.strip() for cell in line.strip("|").split("|"))
            rows[name] = ours
    return found


def test_table_1_has_the_codes_numbers():
    tables = _tables()
    assert {v: len(rows) for v, rows in tables.items()} == {"BBRv1": 16, "BBRv2": 18, "BBRv3": 19}
    for version, rows in tables.items():
        for name, ours in rows.items():
            if name in PARAMETERS[version]:
                value = _constant(*PARAMETERS[version][name])
                told = Fraction(re.search(r"[\d.]+", ours)[0])
                assert told == round(value, 2), (version, name)
            else:
                assert not re.match(r"[\d.]", ours) or name in _OTHERWISE, (version, name)


#: Cells with numbers of several constants, and the numbers that they have.
_OTHERWISE = {
    "PROBE_BW: pacing gain": "1.25, 0.75, 1 ...",
    "PROBE_BW: a probe ends": "2 % of loss",
    "time between probes": "8 phases of an RTT",
}


def test_the_other_numbers_of_table_1():
    tables = _tables()
    source = (ROOT / "crates/acklab-proto/src/cc/bbr1/probe_bw.rs").read_text()
    gains = re.search(r"PACING_GAIN: .*?= \[(.*?)\];", source, re.S)[1]
    pairs = re.findall(r"Ratio::new\((\d+), (\d+)\)", gains)
    told = ", ".join(f"{int(a) / int(b):g}" for a, b in pairs)
    assert gains.count("Ratio::ONE") == 6
    assert tables["BBRv1"]["PROBE_BW: pacing gain"] == f"{told}, 1 ..."
    assert tables["BBRv1"]["time between probes"].startswith(
        str(_constant("bbr1/probe_bw.rs", "CYCLE_LEN"))
    )
    loss = _constant("bbr3/long_term.rs", "LOSS_THRESH_KERNEL")
    pif = _constant("bbr2/mod.rs", "BW_PROBE_PIF_GAIN")
    assert f"{loss.numerator}/{loss.denominator}" in STUDY.text("parameters")
    for version in ("BBRv2", "BBRv3"):
        assert f"{float(100 * loss):.0f} % of loss" in tables[version]["PROBE_BW: a probe ends"]
        wait = _constant("bbr3/probe_bw.rs", "BASE_WAIT")
        rand = _constant("bbr3/probe_bw.rs", "RAND_WAIT")
        assert tables[version]["time between probes"] == f"{wait} to {wait + rand} s"
    assert f"{float(pif):g} BDP" in tables["BBRv2"]["PROBE_BW: a probe ends"]
    counts = {"BBRv2": ("bbr2/mod.rs", 8), "BBRv3": ("bbr3/startup.rs", 6)}
    for version, (file, losses) in counts.items():
        assert _constant(file, "FULL_LOSS_CNT") == losses
        assert f"{losses} losses in a round" in tables[version]["STARTUP: ends"]
    growth = _constant("bbr3/full_pipe.rs", "FULL_BW_THRESH")
    assert growth == _constant("bbr1/startup.rs", "FULL_BW_THRESH") == Fraction(5, 4)


def test_the_page_is_the_one_that_its_numbers_make():
    """`docs/bbr_wifi6.py` writes it; a text that a verdict no longer bears is refused."""
    spec = importlib.util.spec_from_file_location("bbr_wifi6", ROOT / "docs/bbr_wifi6.py")
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    of, seeds, verdicts = writer.kept()
    assert set(verdicts) == {claim.id for claim in STUDY.claims}
    assert writer.page(of, seeds, verdicts)[0] == writer.PAGE.read_text()


def test_the_numbers_of_the_page_are_those_of_the_code():
    """Of one cell that is quick, all seeds anew."""
    text = (ROOT / "docs/studies/bbr-wifi6.csv").read_text()
    seeds = int(re.search(r"means of (\d+) seeds", text)[1])
    cell = acklab.load(cells._phase(Effort(seeds), 12000, "none"))
    runs = acklab.run_many([(cell, seed) for seed in range(1, seeds + 1)])
    flows = [STUDY.quantities["goodput"].of(run) for run in runs]
    (line,) = re.findall(r"^phase,goodput,.*\bbbr\b.*none.*12000.*,([\d.]+)$", text, re.M)
    assert sum(of["bbr"] for of in flows) / seeds == pytest.approx(float(line), abs=1e-4)


def test_the_page_counts_what_the_equations_predict():
    """Computed from the claims' own conditions and the equations' numbers."""
    found = {}
    for claim in STUDY.claims:
        if claim.id.startswith("M-"):
            scope = STUDY.scope(STUDY.witnesses["model"], STUDY.deciding()[0], claim)
            found[claim.id] = truth(claim.holds, scope)
    answered = [t for t in found.values() if t is not Truth.MISSING]
    predicted = sorted(name for name, t in found.items() if t is Truth.YES)
    page = " ".join((ROOT / "docs/studies/bbr-wifi6.md").read_text().split())
    said = re.search(
        r"The equations answer (\d+) of the (\d+) claims: they predict (\d+)\s+\(([^)]+)\)\s+"
        r"and do not predict (\d+)\.",
        page,
    )
    assert said is not None
    assert [int(said[i]) for i in (1, 2, 3, 5)] == [
        len(answered),
        len(found),
        len(predicted),
        sum(t is Truth.NO for t in answered),
    ]
    assert sorted(re.findall(r"`([^`]+)`", said[4])) == predicted
