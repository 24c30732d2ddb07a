"""Beyond the thesis: the grid is what it says, and the words follow from the numbers."""

import polars as pl
import pytest

from acklab.source import read
from acklab.studies import STUDIES
from acklab.studies.ack_aggregation.beyond import advice, facts, grid, maps, overview, page, rivals
from acklab.studies.ack_aggregation.beyond.table import compared, table
from acklab.studies.reproduce import reproduce
from acklab.studies.running import run_survey
from acklab.studies.study import Effort
from acklab.sweeps.plan import plan

SCHEMES = ("2:1, 5 ms", "4:1, 5 ms", "16:1, 5 ms", "16:1, 50 ms", "CAKE", "L = 4", "16 per RTT")
PATHS = ("thesis", "RTT 5 ms", "queue 0.25 BDP", "100 kbit/s up")
MAPS = tuple(maps.maps())
#: A cell where thinning does nothing at all.
HARMLESS = {
    "acklab": 9.6,
    "ci_low": 9.5,
    "ci_high": 9.7,
    "seeds": 3,
    "share": 1.0,
    "share_low": 0.99,
    "share_high": 1.01,
    "share_warm": 1.0,
    "rtt_x": 1.0,
    "acks_per_segment": 0.25,
    "acks_saved": 0.5,
    "retrans_plus": 0.0,
    "rtos_plus": 0.0,
    "window_x": 1.0,
}
#: ... and what makes it one that hurts.
HURT = {"share": 0.5, "share_low": 0.45, "share_high": 0.55, "share_warm": 0.5}


def made_up(changes=(), ccs=grid.CONTROLLERS, schemes=SCHEMES, paths=PATHS):
    """A table in which nothing hurts, but for `changes`: pairs of keys and values."""
    rows = []
    for cc in ccs:
        for path in paths:
            for name in schemes:
                s = grid.SCHEMES[name]
                row = {"cc": cc, "path": path, "scheme": name, "paper": None, **HARMLESS}
                row |= {"family": s.family, "ratio": s.ratio, "timer_ms": s.timer}
                for keys, values in changes:
                    if all(row[k] == v for k, v in keys.items()):
                        row |= values
                rows.append(row)
    return pl.DataFrame(rows, schema_overrides={"paper": pl.Float64}, infer_schema_length=None)


def planned(effort):
    survey = grid.survey(effort)
    return plan(read(survey.scenario), survey.grid, survey.zipped, survey.seeds, [])


@pytest.mark.parametrize("quick", [False, True])
def test_every_value_of_the_grid_loads(quick):
    effort = Effort(2, quick)
    made = planned(effort)
    cells = len(grid.CONTROLLERS) * len(grid.routes(effort)) * len(grid.schemes(effort))
    assert made.runs == 2 * cells
    assert grid.schemes(effort)[0].name == grid.NONE


def test_the_grid_spans_what_was_asked_for():
    names = {s.name for s in grid.schemes(Effort(1))}
    assert {grid.thinned(r, t) for r in (2, 4, 8, 16) for t in (1, 2, 5, 10, 20, 50)} <= names
    routes = grid.routes(Effort(1))
    assert (min(r.rate for r in routes), max(r.rate for r in routes)) == (1, 1000)
    assert (min(r.rtt for r in routes), max(r.rtt for r in routes)) == (5, 200)
    assert {"0.25 BDP", "4 BDP"} <= {r.queue for r in routes}
    assert len({r.name for r in routes}) == len(routes)


def test_paths_have_the_rtt_and_the_queue_that_they_say():
    made = planned(Effort(1))
    schemes, routes = len(grid.schemes(Effort(1))), grid.routes(Effort(1))
    for i, route in enumerate(routes):
        links = {
            link["name"]: link
            for link in map(_directed, _links(made.load(i * schemes).resolved))
            if link["name"] in ("s0->left", "left->right", "right->d0")
        }
        assert 2 * sum(_ms(link["delay"]) for link in links.values()) == pytest.approx(route.rtt)
        packets = overview.places_of(route.name)
        queue, unit = links["left->right"]["queue"].split()
        held = float(queue) * {"packets": 1, "B": 1 / 1500, "kB": 1 / 1.5, "MB": 1e3 / 1.5}[unit]
        assert held == pytest.approx(packets, abs=0.01), route.name


def _links(resolved):
    import tomllib

    return tomllib.loads(resolved)["link"]


def _directed(link):
    return {**link, "name": link.get("name", f"{link['a']}->{link['b']}")}


def _ms(text):
    number, unit = text.split()
    return float(number) * {"ms": 1, "us": 1e-3, "ns": 1e-6, "s": 1e3}[unit]


def test_long_rtts_run_longer_and_high_rates_shorter():
    seconds = {r.name: r.seconds(Effort(1)) for r in grid.routes(Effort(1))}
    assert seconds["RTT 200 ms"] == 40
    assert seconds["thesis"] == 30
    assert seconds["1000 Mbit/s"] == 10
    assert grid.THESIS.seconds(Effort(1, quick=True)) == 10


def test_runs_are_held_against_the_same_seed_without_thinning():
    def run(scheme, seed, goodput, acks, retransmissions):
        return {
            "cc": "cubic",
            "path": "thesis",
            "scheme": scheme,
            "seed": seed,
            "goodput_mbps": goodput,
            "goodput_warm_mbps": goodput,
            "rtt_p95_ms": 10.0 * seed,
            "rtos": 1,
            "cwnd_mean_packets": 40.0,
            "retransmissions": retransmissions,
            "data_segments": 1000,
            "acks_received": acks,
            "received_bytes": 1448 * 1000,
        }

    rows = [
        run(grid.NONE, 1, 8.0, 500, 10),
        run(grid.NONE, 2, 4.0, 500, 10),
        run("4:1, 5 ms", 1, 4.0, 100, 30),
        run("4:1, 5 ms", 2, 3.0, 200, 10),
    ]
    found = compared(pl.DataFrame(rows)).filter(scheme="4:1, 5 ms")
    assert found["share"].to_list() == [0.5, 0.75]
    assert found["acks_saved"].to_list() == pytest.approx([0.8, 0.6])
    assert found["retrans_plus"].to_list() == pytest.approx([0.02, 0])
    assert found["rtt_x"].to_list() == [1, 1]


def test_nothing_hurts():
    frame = made_up()
    for cc in grid.CONTROLLERS:
        text = advice.paragraph(frame, cc)
        assert "none loses 5% of the goodput" in text
        assert "*Why:*" not in text
        assert "Where the goodput is kept, RTT and retransmissions are, too." in text
        assert "no scheme gains anything" in text


def test_where_it_hurts_is_told_from_the_mildest_on():
    hurt = [({"path": "RTT 5 ms", "scheme": s}, HURT) for s in ("4:1, 5 ms", "16:1, 5 ms")]
    hurt.append(({"path": "RTT 5 ms", "scheme": "16:1, 50 ms"}, {**HURT, "share": 0.1}))
    text = advice.where(made_up(hurt), "cubic")
    assert "Of 12 settings of the thinner (4 pairs of ratio and timer on 3 paths" in text
    assert "3 lose more than 5% of the goodput, on 1 of the paths" in text
    assert "RTT 5 ms from 4:1 and 5 ms on (worst: 16:1, 50 ms keeps 10%)" in text


def test_losses_within_the_intervals_are_not_called_losses():
    unsure = ({"path": "thesis", "scheme": "4:1, 5 ms"}, {**HURT, "share_high": 1.2})
    text = advice.where(made_up([unsure]), "cubic")
    assert "none loses 5%" in text
    assert "of 1 more the seeds do not tell" in text


@pytest.mark.parametrize(
    ("evidence", "cause"),
    [
        ({"share_warm": 0.99, "retrans_plus": 0.1}, "start"),
        ({"rtos_plus": 2.0, "retrans_plus": 0.1}, "timeouts"),
        ({"retrans_plus": 0.02, "rtt_x": 2.0}, "losses"),
        ({"rtt_x": 1.5, "window_x": 0.5}, "waiting"),
        ({"window_x": 0.5}, "window"),
        ({}, "other"),
    ],
)
def test_the_cause_is_what_else_is_different(evidence, cause):
    frame = made_up([({"path": "thesis", "scheme": "4:1, 5 ms"}, {**HURT, **evidence})])
    row = facts.hurt(facts.thinner_rows(frame, "vegas")).row(0, named=True)
    assert facts.cause(row) == cause
    for cc, kind in advice.KINDS.items():
        assert f"in 1 of 1 {advice.MECHANISMS[cause][kind]}" in advice.why(frame, cc)


@pytest.mark.parametrize(
    ("after", "pacing", "passing"),
    [
        (0.98, "all of the harm is bursts", "helps"),
        (0.7, "a good part of the harm is bursts", "helps"),
        (0.51, "bursts are not what matters", "makes no difference"),
        (0.3, "bursts are not what matters", "makes it worse"),
    ],
)
def test_variants_tell_bursts_from_the_rest(after, pacing, passing):
    variants = [f"16:1, 5 ms{e}" for e in (grid.PACED, grid.SACK_PASSES)]
    changes = [({"path": "thesis", "scheme": "16:1, 5 ms"}, HURT)]
    changes += [({"path": "thesis", "scheme": v}, {"share": after}) for v in variants]
    frame = made_up(changes, schemes=(*SCHEMES, *variants))
    assert pacing in advice.pacing(frame, "cubic")
    assert "(1 cells)" in advice.pacing(frame, "cubic")
    assert passing in advice.passing(frame, "cubic")
    # It paces anyway.
    assert advice.pacing(frame, "bbr3") == ""


def test_the_price_names_the_settings_that_pay_it():
    slow = ({"path": "thesis", "scheme": "16:1, 50 ms"}, {"rtt_x": 1.8})
    again = ({"path": "RTT 5 ms", "scheme": "4:1, 5 ms"}, {"retrans_plus": 0.034})
    text = advice.price(made_up([slow, again]), "bbr1")
    assert "up to 1.8 times as long (16:1, 50 ms, thesis)" in text
    assert "up to 3.4% more of the segments sent twice (4:1, 5 ms, RTT 5 ms)" in text


def test_instead_is_what_saves_most_and_hurts_nowhere():
    thinners = {"family": "thinner", "path": "RTT 5 ms"}
    few = ({"family": "cake"}, {"acks_saved": 0.0})
    frame = made_up([(thinners, HURT), ({"scheme": "L = 4"}, {"acks_saved": 0.6}), few])
    text = advice.instead(frame, "cubic")
    assert "L = 4 saves 60% of the ACKs on the median path and keeps 100% at worst" in text
    assert "of the thinner's settings none is harmless everywhere" in text
    many = ({"scheme": "L = 4", "path": "RTT 5 ms"}, {"acks_saved": -0.5})
    more = [({"scheme": "L = 4"}, {"acks_saved": 0.6}), many, (thinners, HURT)]
    assert "(but sends 50% more at RTT 5 ms)" in advice.instead(made_up(more), "cubic")
    # A thinner that saves most is named alone.
    best = made_up([({"scheme": "16:1, 5 ms"}, {"acks_saved": 0.9})])
    assert advice.instead(best, "cubic").startswith("*Instead:* 16:1, 5 ms saves 90%")
    # Nothing is harmless.
    bad = made_up([({"path": "RTT 5 ms"}, HURT)])
    assert "no scheme that saves 10% of the ACKs or more is harmless" in advice.instead(
        bad, "cubic"
    )
    idle = made_up([({}, {"acks_saved": 0.0})])
    assert "No scheme saves ACKs worth mentioning" in advice.instead(idle, "cubic")


def test_a_narrow_way_back_gains_by_thinning():
    gain = ({"path": "100 kbit/s up", "scheme": "4:1, 5 ms"}, {"share": 1.8})
    cake = ({"path": "100 kbit/s up", "scheme": "CAKE"}, {"share": 1.7})
    text = advice.narrow(made_up([gain, cake]), "newreno")
    assert "at 100 kbit/s up, 4:1, 5 ms has 1.8 times the goodput" in text
    assert "CAKE's ack-filter 1.7 times" in text
    # What happens there is not held against a scheme.
    loss = made_up([({"path": "100 kbit/s up"}, HURT)])
    assert "none loses" in advice.where(loss, "newreno")


def test_the_overview_switches_on_what_spares_all():
    changes = [
        ({"family": "thinner", "cc": "vegas", "path": "RTT 5 ms"}, HURT),
        ({"scheme": "16 per RTT"}, {"acks_saved": 0.2}),
        ({"scheme": "L = 4"}, {"acks_saved": 0.4, "rtt_x": 1.3}),
        ({"family": "cake"}, {"acks_saved": 0.0}),
        ({"family": "cake", "path": "100 kbit/s up"}, {"share": 1.7}),
    ]
    text = overview.overview(made_up(changes))
    assert "Switch on L = 4: it saves 40% of the ACKs" in text
    assert "at most 1.3 times as long" in text
    assert "4:1 and 5 ms saves 50% and keeps 50% at worst (Vegas, RTT 5 ms)" in text
    # They do not mind.
    assert "**If all senders are CUBIC or BBR, as most are today.** Switch on" in text
    assert "**If all senders are BBR.** Switch on" in text
    assert "CAKE gains most: 1.70 times" in text
    assert "It loses nothing anywhere else, because it acts only where ACKs queue" in text


def test_the_overview_says_so_if_nothing_spares_all():
    text = overview.anyone(made_up([({"path": "RTT 5 ms"}, HURT)]))
    assert "Nothing that saves 10% of the ACKs or more keeps 95% of the goodput everywhere" in text
    assert "No scheme gains anything" in overview.back(made_up())
    assert "was not run" in overview.anyone(made_up(schemes=("CAKE", "L = 4")))


def test_the_rule_of_thumb_counts_both_sides():
    # 4 segments per ACK: a tenth of the 40 places of the path of the thesis, and all of the 4 of
    # the short one. 2:1 and 5 ms there wait for one pair, 2.4 of 48 ms.
    frame = made_up([({"path": "RTT 5 ms"}, HURT)], ccs=("cubic",), schemes=("2:1, 5 ms",))
    found = overview.strained(frame)
    assert found.filter(path="thesis")["hold"][0] == pytest.approx(2.4 / 48)
    assert found.filter(path="thesis")["burst"][0] == pytest.approx(4 / 40)
    assert found.filter(pl.col("strained"))["path"].to_list() == ["RTT 5 ms", "queue 0.25 BDP"]
    assert "0 of 1 settings lose more than 5% (0.0%); otherwise 1 of 2" in overview.rule(frame)


def test_the_rule_of_thumb_says_whose_the_exceptions_are():
    paths = [f"queue {n} BDP" for n in (1, 2, 4)]
    changes = [({"cc": "vegas"}, HURT), ({"cc": "cubic", "path": "queue 4 BDP"}, HURT)]
    ccs = ("cubic", "vegas")
    frame = made_up(changes, ccs, ("2:1, 5 ms",), ("thesis", "RTT 5 ms", *paths[1:]))
    text = overview.rule(frame)
    assert "4 of 6 settings lose more than 5% (66.7%; 3 of these are Vegas's)" in text
    assert "otherwise 1 of 2" in text


def test_the_frontier_has_what_nothing_beats():
    data = pl.DataFrame(
        {"acks_saved": [0.9, 0.5, 0.4, 0.4, 0.0], "share_worst": [0.1, 0.8, 0.7, 0.95, 1.0]}
    )
    assert rivals.frontier(data, "share_worst")["acks_saved"].to_list() == [0.9, 0.5, 0.4, 0.0]


def test_maps_show_each_number_of_the_table_once():
    changes = [({"path": "RTT 5 ms", "scheme": "4:1, 5 ms"}, {**HURT, "rtt_x": 2.0})]
    frame = made_up(changes)
    layout = next(m for m in maps.maps() if m.name == "rtt")
    drawn = maps.draw(frame, layout, "made up")
    assert drawn.data.height == len(grid.CONTROLLERS) * 2 * 3
    texts = [t.get_text() for ax in drawn.figure.axes for t in ax.texts]
    assert texts.count("0.50") == len(grid.CONTROLLERS)
    assert texts.count("2.00") == len(grid.CONTROLLERS)
    assert len(texts) == len(maps.METRICS) * drawn.data.height
    assert "50%" in drawn.alt


@pytest.fixture
def small(monkeypatch):
    """The study with a grid of a second."""
    monkeypatch.setattr(grid, "_QUICK_ROUTES", ("thesis", "RTT 5 ms", "100 kbit/s up"))
    names = (grid.NONE, "4:1, 5 ms", "16:1, 5 ms", "CAKE", "L = 4")
    monkeypatch.setattr(grid, "_QUICK_SCHEMES", names)
    monkeypatch.setattr(grid, "QUICK", 10)


def test_a_survey_goes_on_where_it_stopped(small, tmp_path):
    survey = grid.survey(Effort(1, quick=True))

    class Stopped(Exception):
        pass

    def stop(done, total):
        if done == 20:
            raise Stopped

    with pytest.raises(Stopped):
        run_survey(survey, tmp_path / "runs", 2, stop)
    seen = []
    result = run_survey(survey, tmp_path / "runs", 2, lambda done, total: seen.append(done))
    assert seen[0] >= 20
    assert seen[-1] == 5 * 3 * 5
    whole = run_survey(survey, tmp_path / "whole", 1)
    assert table(result).equals(table(whole))


def test_the_artefact_is_tables_figures_and_a_page(small, tmp_path, monkeypatch):
    # The other maps are drawn by the same code.
    monkeypatch.setattr(maps, "maps", lambda: [m for m in MAPS if m.name == page.SUMMARY])
    study = STUDIES["ack-aggregation"]
    artefact = study.artefact("beyond")
    effort = Effort(1, quick=True)
    written = reproduce(study, [artefact], effort, tmp_path)
    frame = pl.read_csv(written.tables["beyond"], infer_schema_length=None)
    plain = frame.filter(scheme=grid.NONE)
    assert plain["share"].to_list() == [1.0] * 15
    assert (frame.filter(pl.col("path") != "100 kbit/s up")["share"] < 1.1).all()
    html = written.plots["page"].read_text()
    text = written.texts["beyond"].read_text()
    for name in ("NewReno", "CUBIC", "Vegas", "BBRv1", "BBRv3"):
        assert f"**{name}.** Of " in text
        assert f"<strong>{name}.</strong>" in html
    for name, path in written.plots.items():
        if name != "page":
            assert path.with_suffix(".csv").exists()
