"""Keys of a scenario and their meanings, from the JSON Schema that the core writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from acklab import _core

Schema = Mapping[str, Any]


class ScenarioKey(NamedTuple):
    """A key of a scenario."""

    #: Where it stands, from the top on: `topology.bottleneck.rate`. Items of a list have no number.
    path: str
    #: Its meaning, with its default and its unit.
    text: str


@cache
def keys() -> tuple[ScenarioKey, ...]:
    """Every key of a scenario, in the order of the schema."""
    schema = json.loads(_core.schema())
    found: dict[str, str] = {}
    for path, text in _walked(schema, schema["$defs"], "", ()):
        if not found.get(path):
            found[path] = text
    return tuple(ScenarioKey(path, text) for path, text in found.items())


def named(name: str) -> list[ScenarioKey]:
    """The keys whose paths are `name` or end in it; those with the same meaning once.

    `flow.0.cc` and `flow.cc` are the same.
    """
    parts = [p for p in name.split(".") if not p.isdigit()]
    whole = [k for k in keys() if k.path.split(".") == parts]
    ends = [k for k in keys() if k.path.split(".")[-len(parts) :] == parts]
    first: dict[str, ScenarioKey] = {}
    for key in whole or sorted(ends, key=lambda k: k.path.count(".")):
        first.setdefault(key.text, key)
    return list(first.values())


def _walked(
    node: Schema, defs: Mapping[str, Schema], path: str, within: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Paths below a node and their texts; a definition is not walked within itself."""
    if "$ref" in node:
        name = node["$ref"].removeprefix("#/$defs/")
        if name not in within:
            yield from _walked(defs[name], defs, path, (*within, name))
    for key, of in node.get("properties", {}).items():
        below = f"{path}.{key}" if path else key
        text = of.get("description", "")
        if not text and "$ref" in of:
            text = defs[of["$ref"].removeprefix("#/$defs/")].get("description", "")
        yield below, text
        yield from _walked(of, defs, below, within)
    if isinstance(of := node.get("additionalProperties"), dict):
        yield from _walked(of, defs, f"{path}.NAME", within)
    for of in (*node.get("anyOf", ()), *node.get("oneOf", ()), *node.get("allOf", ())):
        yield from _walked(of, defs, path, within)
    if isinstance(of := node.get("items"), dict):
        yield from _walked(of, defs, path, within)
