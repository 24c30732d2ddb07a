"""The loader reads every document that the published schema accepts."""

import copy
import json
import re

import jsonschema
import pytest

import acklab
from conftest import ROOT

SCHEMA = json.loads((ROOT / "docs" / "schema" / "scenario.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

LINK = {"rate": "10 Mbit/s", "delay": "10 ms"}
BASE = {
    "name": "sample",
    "duration": "5 s",
    "topology": {"preset": "dumbbell", "bottleneck": LINK},
    "node": [{"name": "x"}],
    "link": [{"a": "x", "b": "left", **LINK}],
    "flow": [{"cc": "cubic"}],
}

#: Mistakes that a schema can know of. How long "5 min" is, what a name leads to, and whether two
#: values go together it cannot.
OF_FORM = re.compile(
    r"unknown key|is not allowed here|is missing|is empty|no parameter|given twice|does not fit|"
    r"no (congestion controller|ACK policy|ACK filter|flows|network)|does not end in a unit|"
    r"write (a whole number|a number|at least \d+[,;\n])|no exchanges|carries something"
)


def resolved(schema):
    while "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        schema = {k: v for k, v in schema.items() if k != "$ref"} | SCHEMA["$defs"][name]
    return schema


#: A discipline inside another one, which can have one inside again.
INNER = "#/$defs/InnerDiscipline"


def samples(schema, inside=False):
    """Values at the edges of what `schema` accepts; tables with one optional key at a time."""
    if schema.get("$ref") == INNER:
        if inside:
            yield "pfifo"
            return
        inside = True
    schema = resolved(schema)
    for form in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        if "properties" not in schema:
            yield from samples(form, inside)
    if "const" in schema:
        yield schema["const"]
    yield from schema.get("enum", [])
    match schema.get("type"):
        case "boolean":
            yield from (True, False)
        case "integer" | "number" as kind:
            low = schema.get("minimum", 0)
            yield from {low, schema.get("maximum", low + 1)}
            if kind == "number":
                yield (low + schema.get("maximum", low + 1)) / 2
        case "string":
            yield from schema.get("examples", ["s0"])
        case "array":
            yield [next(samples(schema["items"], inside))]
        case "object":
            yield from tables(schema, inside)


def tables(schema, inside):
    known = schema.get("properties", {})
    least = {key: next(samples(known[key], inside)) for key in schema.get("required", [])}
    yield least
    for key, of in known.items():
        yield from ({**least, key: value} for value in samples(of, inside))
    if isinstance(more := schema.get("additionalProperties"), dict):
        yield from ({"s0": value} for value in samples(more, inside))


def variations():
    """The base with one key set to each of its samples."""
    places = [((), SCHEMA)]
    for key in ("topology", "tcp", "record", "expect"):
        places.append(((key,), resolved(SCHEMA["properties"][key])))
    places += [((key, 0), resolved(SCHEMA["properties"][key]["items"])) for key in ("flow", "link")]
    for place, schema in places:
        for key, of in schema["properties"].items():
            for value in samples(of):
                yield place, key, value


def varied(place, key, value):
    scenario = copy.deepcopy(BASE)
    at = scenario
    for step in place:
        at = at.setdefault(step, {}) if isinstance(at, dict) else at[step]
    at[key] = value
    return scenario


def test_what_the_schema_accepts_the_loader_reads():
    assert VALIDATOR.is_valid(BASE)
    accepted, refused = 0, []
    for place, key, value in variations():
        scenario = varied(place, key, value)
        if not VALIDATOR.is_valid(scenario):
            continue
        try:
            acklab.load(scenario)
            accepted += 1
        except acklab.ScenarioError as e:
            if OF_FORM.search(str(e)):
                refused.append(f"{place} {key} = {value}:\n{e}")
    assert not refused, "\n\n".join(refused)
    assert accepted > 300


@pytest.mark.parametrize(
    ("place", "key", "value"),
    [
        ((), "flow", []),
        ((), "node", [{}]),
        ((), "link", [{"a": "x"}]),
        ((), "sample_every", "1 s"),
        ((), "wifi", {"ap": "left"}),
        ((), "wifi", [{"ap": "left", "stations": []}]),
        ((), "wifi", {"ap": "left", "stations": ["x"], "mcs": 32}),
        ((), "wifi", {"ap": "left", "stations": ["x"], "block_ack_window": 257}),
        (("topology",), "stations", 2),
        (("topology",), "preset", "wlan"),
        (("topology",), "hops", 2),
        (("topology",), "pairs", 0),
        (("topology",), "pairs", 1001),
        (("flow", 0), "name", ""),
        (("flow", 0), "count", 0),
        (("flow", 0), "app", {"kind": "bulk", "bytes": "1 kB", "packets": 3}),
        (("flow", 0), "app", {"kind": "bulk", "packets": 0}),
        (("flow", 0), "app", {"kind": "request-response", "count": 0}),
        (("link", 0), "loss", {"kind": "periodic", "every": 1}),
        (("tcp",), "initial_window", 2_000_000),
        (("tcp",), "max_retries", 1 << 32),
        (("tcp",), "recv_cushion", -1),
        (("tcp",), "recv_cushion", 1_000_001),
        (("tcp",), "recv_share", 0),
        (("tcp",), "recv_share", 256),
        (("tcp",), "recv_block", 1_000_001),
        (("tcp",), "rtt_estimator", {"kind": "linux", "granularity": "1 ms"}),
        (("tcp",), "rtt_estimator", {"kind": "linux", "samples": "every-ack"}),
        (("tcp",), "rtt_estimator", {"kind": "rfc6298", "samples": "often"}),
        (("expect",), "retransmissions", {}),
    ],
)
def test_both_refuse(place, key, value):
    scenario = varied(place, key, value) | {"record": {"every": "1 s"}}
    assert not VALIDATOR.is_valid(scenario)
    with pytest.raises(acklab.ScenarioError):
        acklab.load(scenario)


@pytest.mark.parametrize("key", ["duration", "flow", "topology"])
def test_what_must_be_there(key):
    scenario = {k: v for k, v in BASE.items() if k not in {key, "link"}}
    assert not VALIDATOR.is_valid(scenario)
    with pytest.raises(acklab.ScenarioError):
        acklab.load(scenario)
