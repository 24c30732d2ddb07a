"""Numbers in the documentation that follow from files or from short runs are those of today."""

import re
from importlib import import_module
from statistics import mean

import pytest

import acklab
from acklab import validate
from acklab.studies.kit import folder, page, runs
from acklab.sweeps import plan, store
from acklab.validate import fluid_models, ns3_modes, transport_models
from conftest import ROOT

STUDIES = {
    about.parent.name: folder.load(about.parent)
    for about in sorted((ROOT / "python/acklab/studies").glob("*/study.toml"))
}
SCENARIOS = ROOT / "scenarios"


def text(name):
    """A page with its lines joined."""
    return " ".join((ROOT / name).read_text().split())


def table(name, first):
    """The rows of the table of a page whose first heading is `first`, as lists of cells."""
    lines = (ROOT / name).read_text().splitlines()
    heads = [
        i for i, line in enumerate(lines) if line.startswith(f"| {first} |".replace("  ", " "))
    ]
    start = next(i for i in heads if lines[i + 1].startswith("|--"))
    found = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda s: s.about.name)
def test_the_number_of_claims(study):
    told = f"{len(study.claims)} claims"
    row = next(
        line
        for line in (ROOT / "README.md").read_text().splitlines()
        if line.startswith(f"| [`{study.about.name}`]")
    )
    assert told in row
    # The guide names each study with its claims in brackets.
    guide = text("docs/guides/studies.md")
    assert re.search(rf"\[`{study.about.name}`\]\([^)]*\) \([^)]*{told}\)", guide)
    own = re.search(r"\(docs/(studies/[^)]*)\)", row)[1]
    for number in re.findall(r"(\d+) (?:of its |of )?claims", text(f"docs/{own}")):
        # "62 of 73 claims" is about a part of them.
        assert int(number) <= len(study.claims), own


#: Statements of pages on how much is run: study, effort, number, page.
RUNS = [
    ("thinning", {}, "7,410 runs", "docs/studies/thinning.md"),
    ("thinning", {"full": True, "seeds": 3}, "14,220 runs", "docs/studies/thinning.md"),
    ("bbr_wifi6", {}, "1,811 runs", "docs/studies/bbr-wifi6.md"),
    ("queue_map", {}, "3,864 runs", "docs/studies/queue-map.md"),
    ("bbr3_wifi", {}, "2,400 runs", "docs/studies/bbr3-wifi.md"),
    ("uploads", {}, "740 runs", "docs/studies/uploads.md"),
]


@pytest.mark.parametrize(("name", "how", "told", "where"), RUNS)
def test_the_number_of_runs(name, how, told, where):
    study = STUDIES[name]
    effort = study.effort(**how)
    count = runs.how_many(study.run_by(effort), list(study.quantities.values()), effort)
    assert f"{count:,} runs" == told
    assert told in text(where)


class Unsolved:
    """A case whose equations nobody solves."""

    def runs(self, count=1):
        return [None] * count


def test_the_number_of_cells_that_are_validated(monkeypatch):
    # How many cells there are does not hang on what a model says of them, which takes a minute.
    for module in (fluid_models, transport_models):
        monkeypatch.setattr(module, "case_of", lambda resolved: Unsolved())
        monkeypatch.setattr(module, "modelled", lambda *_: [{"goodput": 1.0, "rtt": 1.0}])
    counts = {row[0]: row[1] for row in table("README.md", "reference")}

    def told(words):
        (found,) = [count for name, count in counts.items() if words in name]
        return int(found.split()[0])

    saturated = ns3_modes.saturated()
    ofdma = [c for c in saturated if c.scenario["wifi"].get("ofdma")]
    assert told("ns-3.44, wires") == len(validate.ns3_rows())
    assert told("TCP over Wi-Fi") == len(validate.ns3_wifi_rows())
    assert told("single Wi-Fi modes") == len(validate.ns3_modes_rows())
    assert told("OFDMA") == len(ofdma)
    assert told("fifty stations") == len(saturated) - len(ofdma)
    assert told("hardly ever late") == len(validate.quiet_rows())
    assert told("late at times") == len(validate.kernel_rows())
    assert told("virtual time") == len(validate.kernel_virtual_rows())
    assert told("ns-2.35") == len(validate.ns2_rows())
    assert told("equations of senders") == len(validate.models_rows())


def constant(file, name):
    """A constant of the core."""
    source = (ROOT / "crates" / file).read_text()
    return re.search(rf"const {name}: \w+ = ([^;]+);", source)[1].replace("_", "")


def test_limits():
    scenario = text("docs/scenario.md")
    assert constant("acklab-sim/src/scenario/registries.rs", "MOST_BYTES") == "64 << 20"
    assert scenario.count("at most 64 MiB") == 2
    for file, name in (("flow", "MOST_FLOWS"), ("topology", "MOST_LINKS")):
        most = int(constant(f"acklab-sim/src/scenario/resolve/{file}.rs", name))
        assert f"{most:,} {name.removeprefix('MOST_').lower()}" in scenario
    plots = text("docs/plots.md")
    air, airtime = (import_module(f"acklab.plots.{m}") for m in ("air", "airtime"))
    names = ("build", "cells", "distributions", "html", "swept")
    build, cells, distributions, html, swept = (import_module(f"acklab.report.{m}") for m in names)
    assert f"stays below {build.MOST_BYTES // 10**6} MB ({swept.MOST_BYTES // 10**6} MB" in plots
    assert page.MOST_BYTES == swept.MOST_BYTES
    assert f"the first {html.MOST_ON_PAPER} rows" in plots
    assert f"the first {cells.MOST_ROWS:,} cells" in plots
    assert distributions.MOST_GROUPS == 12
    assert "at most twelve groups" in plots
    assert f"the plot shows {air.USUAL_PPDUS} PPDUs" in plots
    assert f"With more than {air.MOST_LANES} stations" in plots
    assert f"for the {airtime.MOST_STATIONS} stations" in plots
    sweep = text("docs/guides/sweep.md")
    assert plan.LIMIT == 10**6
    assert "more than a million runs" in sweep
    assert f"(of {store.SHARD_RUNS:,} runs)" in sweep


def test_as_many_choices_as_the_page_on_tack_says():
    assert len(table("docs/reference/tack-choices.md", "")) == 17
    assert "seventeen" in text("docs/reference/tack-choices.md")
    assert "seventeen" in text("docs/concepts/tack.md")


#: The senders of the table on byte counting, in its order.
SENDERS = [
    ("ns3", "never", "dupack"),
    ("abc", "never", "dupack"),
    ("ns3", "always", "dupack"),
    ("ns3", "never", "rack"),
    ("abc", "always", "rack"),
]


def byte_counting(every, growth, pacing, detection):
    cc = {"name": "newreno", "growth": growth}
    if growth == "abc":
        cc["abc_l"] = max(2, every)
    tcp = {"pacing": pacing, "loss_detection": detection, "tlp": detection == "rack"}
    return cc, tcp


def test_byte_counting():
    """Goodput over 50 Mbit/s, 40 ms and a tenth of a BDP, by sender and by L."""
    shown = table("docs/concepts/acknowledgements.md", "sender")
    jobs = []
    for row in range(len(shown)):
        for every in (1, 2, 4, 8, 16):
            cc, tcp = "bbr1", {"loss_detection": "rack"}
            if row < len(SENDERS):
                cc, tcp = byte_counting(every, *SENDERS[row])
            line = {"rate": "50 Mbit/s", "delay": "20 ms", "queue": "0.1 BDP"}
            jobs.append(
                {
                    "duration": "30 s",
                    "topology": {"preset": "dumbbell", "bottleneck": line},
                    "tcp": {"send_buffer": "4 MiB", "recv_buffer": "4 MiB", **tcp},
                    "flow": [{"cc": cc, "ack": {"name": "byte-counting", "l": every}}],
                }
            )
    results = acklab.run_many([(acklab.load(job), 1) for job in jobs])
    goodput = [f"{r.flows['goodput_mbps'][0]:.1f}" for r in results]
    assert [goodput[i : i + 5] for i in range(0, len(goodput), 5)] == [row[1:] for row in shown]


def test_ofdma_in_the_guide_on_wifi():
    guide = (ROOT / "docs/guides/wifi.md").read_text()
    shown = re.findall(r"^\| (?:without|as above|`\w+ = \w+`).*\| ([\d.]+) Mbit/s \|$", guide, re.M)
    changes = [
        {"wifi.ofdma": False},
        {},
        {"wifi.ofdma.single_user": False},
        {"wifi.ofdma.users": 8},
    ]
    file = SCENARIOS / "wifi6-ofdma.toml"
    results = acklab.run_many([(acklab.load(file, overrides=c), 1) for c in changes])
    assert [f"{r.flows['goodput_mbps'].sum():.1f}" for r in results] == shown

    told = re.search(
        r"have ([\d.]+) Mbit/s without OFDMA,\s([\d.]+) with it, and ([\d.]+) with", guide
    )
    assert told
    stations = [f"s{i}" for i in range(8)]
    uploads = {
        "duration": "20 s",
        "node": [{"name": n} for n in ("ap", *stations)],
        "flow": [{"from": n, "to": "ap", "cc": "cubic"} for n in stations[:4]],
    }
    radio = {"ap": "ap", "stations": stations, "standard": "ax", "mcs": 9}
    ways = (False, True, {"single_user": False})
    jobs = [{**uploads, "wifi": [{**radio, "ofdma": way}]} for way in ways]
    results = acklab.run_many([(acklab.load(job), 1) for job in jobs])
    assert tuple(f"{r.flows['goodput_mbps'].sum():.1f}" for r in results) == told.groups()


def test_many_uploads_in_the_guide_on_wifi():
    """TCP ACKs limit how many stations contend: goodput and accesses that fail."""
    shown = [row[1:] for row in table("docs/guides/wifi.md", "20 uploads")]
    urgent = {"down": {"edca": {"cw_min": 7}}}
    udp = {"name": "cbr", "rate": "20 Mbit/s", "size": 1500, "feedback": {"every": 0}}
    cases = [
        ({}, {"cc": "cubic"}),
        ({"ofdma": True}, {"cc": "cubic"}),
        ({"ofdma": {"downlink": False}}, {"cc": "cubic"}),
        (urgent, {"cc": "cubic"}),
        ({}, {"transport": udp}),
        ({"rts": "always"}, {"cc": "cubic"}),
        ({"ofdma": True, "rts": "always"}, {"cc": "cubic"}),
    ]
    wire = {"rate": "1 Gbit/s", "delay": "5 ms"}
    got = []
    for radio, flow in cases:
        scenario = acklab.load(
            {
                "duration": "6 s",
                "warmup": "2 s",
                "topology": {"preset": "wlan", "stations": 20, "wire": wire},
                "wifi": {"standard": "ax", "mcs": 9, "width": "20 MHz", **radio},
                "flow": [{"count": 20, "start_jitter": "200 ms", **flow}],
            }
        )
        results = acklab.run_many([(scenario, seed) for seed in (1, 2, 3)])
        goodput = mean(r.flows["goodput_warm_mbps"].sum() for r in results)
        failed = mean(r.stations["failures"].sum() / r.stations["accesses"].sum() for r in results)
        got.append([f"{goodput:.1f} Mbit/s", f"{100 * failed:.0f} %"])
    assert got == shown


def test_queues_above_the_radio_in_the_guide_on_wifi(tmp_path):
    """Median RTT of the exchange and goodput of the download, five seeds."""
    scenario = (SCENARIOS / "wifi-fq-codel.toml").read_text()
    mac80211 = re.sub(r"(?m)^device_queue.*\n", "", scenario).replace('"fq-codel"', '"per-station"')
    (tmp_path / "mac80211.toml").write_text(mac80211)
    file = SCENARIOS / "wifi-fq-codel.toml"
    cases = [
        acklab.load(file, overrides={"wifi.down.qdisc": "pfifo"}),
        acklab.load(file),
        acklab.load(file, overrides={"wifi.down.device_queue": 16}),
        acklab.load(tmp_path / "mac80211.toml"),
    ]
    shown = table("docs/guides/wifi.md", "`[wifi.down]`")
    assert len(shown) == len(cases)
    for case, (_, rtt, goodput) in zip(cases, shown, strict=True):
        results = acklab.run_many([(case, seed) for seed in range(1, 6)])
        flows = [
            dict(zip(r.flows["flow"], r.flows.iter_rows(named=True), strict=True)) for r in results
        ]
        spans(rtt, [f["talk"]["rtt_p50_ms"] for f in flows], 0.5)
        spans(goodput, [f["download"]["goodput_mbps"] for f in flows], 0.05)


def spans(told, values, within):
    """A text such as "44 to 46 ms" has the least and the largest of some values."""
    ends = [float(n) for n in re.findall(r"[\d.]+", told)]
    assert ends[0] == pytest.approx(min(values), abs=1.01 * within), told
    assert ends[-1] == pytest.approx(max(values), abs=1.01 * within), told


def test_tcp_and_tack_over_wifi():
    run = acklab.load(SCENARIOS / "tack-wifi.toml").run()
    flows = {row["flow"]: row for row in run.flows.iter_rows(named=True)}
    tcp, tack = flows["tcp"], flows["tack"]
    assert (
        f"{tcp['acks_sent']} and {tcp['feedback_airtime_ms']:.0f} ms of TCP's, "
        f"{tack['acks_sent']} and {tack['feedback_airtime_ms']:.0f} ms of TACK's, "
        f"{tack['iacks_sent']:.0f} of them IACKs"
    ) in text("docs/scenario.md")
