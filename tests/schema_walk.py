"""Items of a schema, by name, and those of them that a document uses.

An *item* is a key (`LinkSpec.loss`, `AckFilter:tac.hold`), a word (`WidthWord=20 MHz`) or a form of
a value (`Loss#0`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, wraps


def _once(method: Callable) -> Callable:
    """Keeps what a method makes of a part of the schema, which does not change."""
    name = method.__name__

    @wraps(method)
    def kept(self, schema, *more):
        key = (name, id(schema), *more)
        if key not in self.kept:
            # With the part, so that no other comes to have its identity.
            self.kept[key] = (schema, method(self, schema, *more))
        return self.kept[key][1]

    return kept


class Walk:
    """Walks a JSON Schema as the core writes it: `$ref`s to `$defs`, `anyOf`, `oneOf`, tables."""

    def __init__(self, schema: dict) -> None:
        self.root = schema
        self.defs = schema["$defs"]
        self.kept: dict[tuple, tuple] = {}

    @_once
    def resolved(self, schema: dict, label: str = "") -> tuple[dict, str]:
        """The schema behind references, with what stands beside them, and the name of the last."""
        while "$ref" in schema:
            label = schema["$ref"].removeprefix("#/$defs/")
            beside = {k: v for k, v in schema.items() if k != "$ref"}
            schema = self.defs[label] | beside
        return schema, label

    @_once
    def forms(self, schema: dict) -> list[dict]:
        """The forms that a value may have; of tables with conditions there is one."""
        if "properties" in schema:
            return []
        return [*schema.get("anyOf", []), *schema.get("oneOf", [])]

    @_once
    def form(self, schema: dict, label: str, at: int) -> tuple[dict, str]:
        """One of the forms, by its name, or that of the table's `name` or `kind`."""
        form = self.forms(schema)[at]
        about = {"description": schema["description"]} if "description" in schema else {}
        inner, name = self.resolved(about | form, label)
        for key in ("name", "kind"):
            of = inner.get("properties", {}).get(key, {})
            word = of.get("const") or (of.get("enum") or [""])[0]
            if word:
                return inner, f"{name}:{word}"
        return inner, name

    def branch(self, schema: dict, value: object, label: str = "") -> tuple[dict, str]:
        """The form that `value` has."""
        schema, label = self.resolved(schema, label)
        while forms := self.forms(schema):
            at = next((i for i, f in enumerate(forms) if self.fits(f, value)), None)
            if at is None:
                break
            schema, label = self.form(schema, label, at)
        return schema, label

    def properties(self, schema: dict, table: dict, label: str) -> tuple[str, dict]:
        """Name and keys of a table."""
        schema, label = self.branch(schema, table, label)
        return label, schema.get("properties", {})

    def everything(self) -> frozenset[str]:
        """Every item of the schema that a document can have."""
        return self.below(self.root, "")

    @_once
    def below(self, schema: dict, label: str) -> frozenset[str]:
        """The items that a value of this schema can have, it and what it refers to."""
        found: set[str] = set()
        self._look(schema, label, found, set())
        return frozenset(found)

    def _look(self, schema: dict, label: str, found: set[str], done: set[str]) -> None:
        if "$ref" in schema:
            schema, label = self.resolved(schema, label)
            if label in done:
                return
            done.add(label)
        for at, form in enumerate(self.forms(schema)):
            found.add(f"{label}#{at}")
            self._look(
                *((form, "") if "$ref" in form else self.form(schema, label, at)), found, done
            )
        found.update(f"{label}={word}" for word in schema.get("enum", []))
        for key, of in schema.get("properties", {}).items():
            found.add(f"{label}.{key}")
            self._look(of, f"{label}.{key}", found, done)
        for key in ("items", "additionalProperties"):
            if isinstance(of := schema.get(key), dict):
                self._look(of, label, found, done)

    def items(self, value: object) -> set[str]:
        """The items that a document has."""
        return set(self._items(self.root, value, ""))

    def _items(self, schema: dict, value: object, label: str) -> Iterator[str]:
        schema, label = self.resolved(schema, label)
        while forms := self.forms(schema):
            at = next((i for i, f in enumerate(forms) if self.fits(f, value)), None)
            if at is None:
                return
            yield f"{label}#{at}"
            schema, label = self.form(schema, label, at)
        if value in schema.get("enum", []):
            yield f"{label}={value}"
        if isinstance(value, dict):
            known = schema.get("properties", {})
            for key, inner in value.items():
                if key in known:
                    yield f"{label}.{key}"
                    yield from self._items(known[key], inner, f"{label}.{key}")
                elif isinstance(more := schema.get("additionalProperties"), dict):
                    yield from self._items(more, inner, label)
        if isinstance(value, list) and "items" in schema:
            for inner in value:
                yield from self._items(schema["items"], inner, label)

    def fits(self, schema: dict, value: object) -> bool:
        """Whether the value has this form; ranges and conditions between keys are the loader's."""
        schema, _ = self.resolved(schema)
        if "const" in schema:
            return value == schema["const"]
        if "enum" in schema:
            return value in schema["enum"]
        if forms := self.forms(schema):
            return any(self.fits(form, value) for form in forms)
        match schema.get("type"):
            case "boolean":
                return isinstance(value, bool)
            case "integer" | "number":
                return isinstance(value, (int, float)) and not isinstance(value, bool)
            case "string":
                return isinstance(value, str) and bool(_matcher(schema.get("pattern", ""))(value))
            case "array":
                return isinstance(value, list) and all(
                    self.fits(schema.get("items", {}), v) for v in value
                )
        return isinstance(value, dict) and self._table_fits(schema, value)

    def _table_fits(self, schema: dict, table: dict) -> bool:
        known = schema.get("properties", {})
        more = schema.get("additionalProperties", True)
        return all(key in table for key in schema.get("required", [])) and all(
            self.fits(known[key], of) if key in known else more is not False
            for key, of in table.items()
        )


@cache
def _matcher(pattern: str):
    return re.compile(pattern).search
