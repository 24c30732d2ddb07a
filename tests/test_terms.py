"""The glossary: what its entries must have, and that it has every state of a controller."""

import json
import re
from collections import Counter

import pytest

import acklab
from acklab.cli import completing, explain
from acklab.glossary import groups, plain, term, terms
from acklab.plots.kinds import KINDS
from conftest import ROOT

TERMS = terms()


def test_no_two_terms_share_a_spelling():
    spelt = Counter(plain(s) for t in TERMS for s in t.spellings)
    assert [s for s, times in spelt.items() if times > 1] == []
    assert all(t.spellings and plain(t.name) for t in TERMS)


@pytest.mark.parametrize("of", TERMS, ids=lambda t: t.name)
def test_an_entry_is_whole(of):
    assert of.source.strip()
    assert of.meaning[0].isupper() or of.meaning.startswith("acklab")
    assert of.meaning.endswith(".")
    # A full stop ends a sentence where a capital follows.
    assert 1 <= len(re.findall(r"\.(?: [A-Z]|$)", of.meaning)) <= 3
    assert "\n" not in of.meaning
    for name in of.see:
        kind, _, plot = name.rpartition(" ")
        if kind:
            assert kind == "plot"
            assert plot in KINDS, name
        else:
            # Words that may mean a column are no names of their own.
            assert {m["kind"] for m in explain.named_so(name)} - {"maybe"}, name


@pytest.mark.parametrize("name", ["slow start", "Slow-Start", "SLOW_START", "slowstart"])
def test_spellings_make_no_difference(name, acklab_cli):
    done = acklab_cli("explain", name)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("slow start\n  State of a controller")
    assert "  source: RFC 5681 section 3.1\n  see: state, " in done.stdout
    assert "acklab plot RESULT phases" in done.stdout


@pytest.mark.parametrize("name", ["bdp", "PROBE_RTT", "IACK", "TLP", "recovery", "startup"])
def test_what_users_ask_for_is_there(name):
    assert term(name) is not None


def test_a_term_comes_before_what_else_has_its_name(acklab_cli):
    told = json.loads(acklab_cli("explain", "tlp", "--json").stdout)
    assert [m["kind"] for m in told["meanings"]] == ["term", "word", "scenario key"]
    first = told["meanings"][0]
    assert first["also"] == ["tail loss probe"]
    assert first["source"] == "RFC 8985 section 7"
    # It does not send the reader to itself.
    assert "see: tlps, " in acklab_cli("explain", "tlp").stdout


@pytest.mark.parametrize(
    ("name", "near"),
    [("bufferbloated", "bufferbloat"), ("delayed-akc", "delayed-ACK"), ("jiter_ms", "jitter_ms")],
)
def test_a_name_that_is_none_has_the_nearest(name, near, acklab_cli):
    done = acklab_cli("explain", name)
    assert done.returncode == 1
    assert f"no term, column, metric, building block or key is called '{name}'" in done.stderr
    assert f"did you mean {near}" in done.stderr


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("autorate-ingress", "link.qdisc.autorate_ingress (key of a scenario)"),
        ("split-gso", "link.qdisc.split_gso (key of a scenario)"),
        ("pk_delay", "pk_delay_ms (ms)"),
        ("pk-delay", "pk_delay_ms (ms)"),
    ],
)
def test_names_of_tc_are_found(name, meant, acklab_cli):
    assert acklab_cli("explain", name).stdout.startswith(meant)


def test_other_names_are_found_as_texts_write_them(acklab_cli):
    for name, block in (("CUBIC", "cubic"), ("FQ CoDel", "fq-codel"), ("BBR", "bbr1")):
        assert f"{block} (" in acklab_cli("explain", name).stdout, name


def test_the_list_has_every_term(acklab_cli):
    told = acklab_cli("explain").stdout
    for group in groups():
        for t in group.terms:
            assert re.search(rf"^{re.escape(t.name)} .* term: {group.title}", told, re.M), t.name


def test_the_shell_completes_terms_in_any_case():
    assert "BDP" in [word for word, _ in completing.explained("bd")]
    assert "slow-start" in [word for word, _ in completing.explained("slow_")]
    offered = [word for word, _ in completing.explained("")]
    assert len(offered) == len(set(offered))
    assert not any(" " in word for word in offered)


def named_states():
    """The states of the controllers' sources."""
    found = set()
    for path in (ROOT / "crates/acklab-proto/src/cc").rglob("*.rs"):
        if "test" not in path.stem:
            for body in re.findall(
                r"fn state\(&self\) -> &'static str \{(.*?)\n    \}", path.read_text(), re.S
            ):
                found |= set(re.findall(r'"(\w+)"', body))
    return found


#: Controllers, and what else decides which states they have.
CONTROLLERS = [
    *({"name": "newreno", "growth": g} for g in ("linux", "abc", "ns3", "ns3-linux", "ns2")),
    *({"name": "cubic", "hystart": h} for h in ("linux", "plusplus", "off")),
    *({"name": n, "variant": "ns3"} for n in ("linuxreno", "cubic", "vegas", "bbr1")),
    *({"name": "bbr3", "source": s} for s in ("draft", "google", "ns3port")),
    *({"name": n} for n in ("linuxreno", "vegas", "fixed", "rate", "bbr1", "bbr2", "bbr3-wifi")),
    {"name": "bbr-tack"},
]


def test_the_states_that_runs_record_are_explained():
    assert {c["name"] for c in CONTROLLERS} == {b["name"] for b in acklab._core.catalogue("cc")}
    recorded = set()
    for cc in CONTROLLERS:
        # Only TACK's feedback has what TACK's BBR needs.
        transport = {"transport": "tack"} if cc["name"] == "bbr-tack" else {}
        result = acklab.load(
            {
                "name": "states",
                "duration": "16 s",
                "topology": {
                    "preset": "dumbbell",
                    "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
                    "bottleneck": {"rate": "3 Mbit/s", "delay": "20 ms", "queue": "200 packets"},
                },
                "record": {"every": "10 ms", "events": True},
                "flow": [{"cc": cc, **transport}],
            }
        ).run()
        changes = result.events.filter(result.events["event"] == "state")
        states = {*result.series["state"].drop_nulls().cast(str), *changes["cause"].cast(str)}
        assert states, cc
        for state in states:
            assert term(state) is not None, (cc, state)
            assert "state" in term(state).meaning.lower(), state
        recorded |= states
    # Every state that there is was among them.
    assert recorded == named_states()
