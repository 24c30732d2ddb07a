"""The page of scenario keys, written from the published JSON Schema when the site is built."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mkdocs_gen_files

Schema = dict[str, Any]

SCHEMA: Schema = json.loads((Path(__file__).parent / "schema/scenario.schema.json").read_text())

#: What each definition is called on the page, in the page's order.
TABLES = {
    "TopologySpec": "[topology]",
    "PresetLinkSpec": "Links of a preset",
    "NodeSpec": "[[node]]",
    "LinkSpec": "[[link]]",
    "DirectionSpec": "reverse: the way back",
    "WifiSpec": "[[wifi]]",
    "WifiSideSpec": "[wifi.up] and [wifi.down]",
    "WifiStationSpec": "[wifi.station.NAME]",
    "WifiWaySpec": "[wifi.station.NAME.up] and [wifi.station.NAME.down]",
    "EdcaSpec": "edca: how stations contend",
    "EdcaParams": "edca: of one access category",
    "HackTable": "hack: ACKs in Block Acks",
    "AddbaTable": "addba: agreements before A-MPDUs",
    "ArpTable": "arp: addresses before packets",
    "OfdmaTable": "ofdma: several stations at once",
    "RandomAccessTable": "random_access: resource units for anybody",
    "MuEdcaTable": "mu_edca: contention after a call",
    "SpaceSpec": "[wifi.space]",
    "PlaceTable": "place: where a station is and goes",
    "WaypointSpec": "waypoints",
    "RadioSpec": "radio: of stations in space",
    "FlowSpec": "[[flow]]",
    "AppTable": "app: what a flow carries",
    "TcpSpec": "[tcp]",
    "BufferTable": "Buffers with autotuning",
    "RttEstimator": "RTT estimators",
    "CompressionTable": "SACK compression",
    "LossModel": "loss: models",
    "QuantilesSpec": "jitter: by quantiles",
    "ReorderSpec": "reorder",
    "PausesSpec": "pauses",
    "TraceSpec": "rate: traces",
    "RecordSpec": "[record]",
    "ExpectSpec": "[expect]",
    "FlowExpect": "[expect.flow.NAME]",
    "LinkExpect": "[expect.link.NAME]",
}

#: Definitions that the page of building blocks has, parameters and all.
BLOCKS = {
    "Transport": ("a transport", "transports"),
    "CongestionControl": ("a congestion controller", "congestion-controllers"),
    "AckPolicy": ("an ACK policy", "ack-policies"),
    "AckFilter": ("an ACK filter", "ack-filters"),
    "RateControl": ("a rate control", "rate-controls"),
    "StationQueue": ("a queue in stations", "queues-in-stations"),
    "PathLoss": ("a path loss", "path-losses"),
    "Fading": ("a fading", "fadings"),
    "QueueDiscipline": ("a queue discipline", "queue-disciplines"),
}

#: Quantities: a word for each, explained with examples at the end of the page.
QUANTITIES = {
    "Rate": "rate",
    "Time": "time",
    "Size": "size",
    "QueueLimit": "queue limit",
    "Probability": "probability",
}


def anchor(title: str) -> str:
    """Where the table of keys with this title is."""
    words = "".join(c if c.isalnum() else "-" for c in title.lower()).split("-")
    return "keys-" + "-".join(w for w in words if w)


def cell(text: str) -> str:
    """Text as a cell of a table."""
    return " ".join(text.split()).replace("|", "&#124;")


def kind(schema: Schema) -> str:
    """What a value may be."""
    if "$ref" in schema:
        return referred(schema["$ref"].rsplit("/", 1)[-1])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(v)}`" for v in schema["enum"] if v is not None)
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            kinds = [kind(s) for s in schema[choice] if s != {"type": "null"}]
            return " or ".join(dict.fromkeys(kinds))
    types = schema.get("type", [])
    return " or ".join(
        plain(t, schema) for t in ([types] if isinstance(types, str) else types) if t != "null"
    )


def plain(type_: str, schema: Schema) -> str:
    """A value of one of JSON's types, with its bounds."""
    if type_ == "array":
        return f"list of {kind(schema['items'])}"
    if type_ == "object":
        more = schema.get("additionalProperties")
        of = f" of {kind(more)} by name" if isinstance(more, dict) else ""
        return f"table{of}"
    words = {"integer": "whole number", "number": "number", "string": "text", "boolean": "yes/no"}
    low, high = schema.get("minimum"), schema.get("maximum")
    if "exclusiveMinimum" in schema:
        return f"{words[type_]}, above {schema['exclusiveMinimum']}, {high} at most"
    if high is not None:
        return f"{words[type_]}, {low} to {high}"
    return words[type_] + (f", at least {low}" if low else "")


def referred(name: str) -> str:
    """A definition, with a link to where it is explained."""
    if name in BLOCKS:
        text, place = BLOCKS[name]
        return f"[{text}](blocks.md#{place})"
    if name in QUANTITIES:
        return f"[{QUANTITIES[name]}](#quantities)"
    schema = SCHEMA["$defs"][name]
    if name.endswith("Bounds"):
        return f"`{{ min, max }}` of {kind(schema['properties']['min'])}"
    if name not in TABLES:
        return kind(schema)
    return f"[table](#{anchor(TABLES[name])})"


def rows(schema: Schema) -> Iterator[str]:
    """The keys of an object as a table."""
    yield "| key | value | what |"
    yield "|---|---|---|"
    required = schema.get("required", [])
    for key, value in schema["properties"].items():
        must = " **Required.**" if key in required else ""
        what = " ".join([value.get("description", ""), *meanings(value)])
        yield f"| `{key}` | {cell(kind(value))} | {cell(what)}{must} |"


def meanings(schema: Schema) -> Iterator[str]:
    """What the words mean that a value may be, where the schema says so."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        if name not in TABLES:
            yield from meanings(SCHEMA["$defs"][name])
    elif "const" in schema and "description" in schema:
        yield f"`{json.dumps(schema['const'])}`: {schema['description']}"
    for choice in ("anyOf", "oneOf"):
        for one in schema.get(choice, []):
            yield from meanings(one)


def variants(schema: Schema) -> Iterator[Schema]:
    """The objects that a definition may be."""
    if "properties" in schema:
        yield schema
    for choice in ("anyOf", "oneOf"):
        for one in schema.get(choice, []):
            yield from variants(one)


def section(name: str, title: str) -> Iterator[str]:
    """A definition with the keys of each of its variants."""
    schema = SCHEMA["$defs"][name]
    yield f"## {title} {{ #{anchor(title)} }}"
    if "description" in schema:
        yield " ".join(schema["description"].split())
    for variant in variants(schema):
        if variant is not schema and "description" in variant:
            yield f"**{' '.join(variant['description'].split())}**"
        yield "\n".join(rows(variant))


def quantities() -> Iterator[str]:
    """How quantities are written."""
    yield "## Quantities"
    table = ["| quantity | how to write it | examples |", "|---|---|---|"]
    for name, word in QUANTITIES.items():
        schema = SCHEMA["$defs"][name]
        examples = ", ".join(f"`{e}`" for e in schema.get("examples", []))
        table.append(f"| {word} | {cell(schema.get('description', kind(schema)))} | {examples} |")
    yield "\n".join(table)
    yield "[Scenarios](../scenario.md#quantities) has the units and what is refused."


def page() -> Iterator[str]:
    """The whole page."""
    yield "# Scenario keys"
    yield (
        "Every key, from the JSON Schema that `acklab schema` prints. "
        "[Scenarios](../scenario.md) explains how they belong together."
    )
    yield "## Top level"
    yield "\n".join(rows(SCHEMA))
    for name, title in TABLES.items():
        yield from section(name, title)
    yield from quantities()


with mkdocs_gen_files.open("reference/scenario-keys.md", "w") as out:
    out.write("\n\n".join(page()) + "\n")
