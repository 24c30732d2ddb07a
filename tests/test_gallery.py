"""Each scenario of the gallery keeps to its own expectations, and to the schema."""

import json
import tomllib

import jsonschema
import pytest

import acklab
from acklab import _core
from acklab.places import gallery
from conftest import ROOT

SCENARIOS = {p.stem: p for p in gallery()}


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(_core.schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", SCENARIOS)
def test_it_keeps_its_expectations(name):
    verdicts = acklab.load(SCENARIOS[name]).run().expectations()
    assert verdicts, "a gallery scenario must expect something"
    assert [v.text for v in verdicts if not v.met] == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_it_fits_the_schema_and_so_does_its_resolved_form(name, validator):
    text = SCENARIOS[name].read_text()
    validator.validate(tomllib.loads(text))
    validator.validate(tomllib.loads(acklab.load(SCENARIOS[name]).resolved))


@pytest.mark.parametrize("name", SCENARIOS)
def test_its_resolved_form_is_a_fixed_point(name, tmp_path):
    scenario = acklab.load(SCENARIOS[name])
    resolved = scenario.resolved
    for file, text in scenario.files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    path = tmp_path / "resolved.toml"
    path.write_text(resolved)
    assert acklab.load(path).resolved == resolved


def test_the_schema_refuses_what_the_loader_refuses(validator):
    spec = tomllib.loads((ROOT / "scenarios" / "single-flow.toml").read_text())
    for key, value in {"duratoin": "1 s", "duration": 5, "flow": [{"cc": "qubic"}]}.items():
        broken = {**spec, key: value}
        assert not validator.is_valid(broken), key
        with pytest.raises(acklab.ScenarioError):
            acklab.load(broken)


#: Another discipline than the one the scenario is about.
OTHERS = {
    "pfifo": "topology.bottleneck.qdisc=pfifo-head-drop",
    "pfifo-head-drop": "topology.bottleneck.qdisc=pfifo",
    "red": "topology.bottleneck.qdisc=bfifo",
    "fq-codel": "topology.bottleneck.qdisc=codel",
    "queue-tree": (
        'topology.bottleneck.qdisc={ name = "tbf", rate = "10 Mbit/s", '
        'child = { name = "pfifo", queue = "1000 packets" } }'
    ),
    "cake-diffserv": "topology.bottleneck.qdisc.diffserv=diffserv3",
    "wifi6-ofdma": "wifi.ofdma=false",
}


@pytest.mark.parametrize("name", OTHERS)
def test_its_expectations_notice_another_discipline(name):
    verdicts = acklab.load(SCENARIOS[name], overrides=[OTHERS[name]]).run().expectations()
    assert not all(v.met for v in verdicts)
