"""Values beside definitions in CDDL (RFC 8610)."""

import re

import pytest


def conforming(text):
    """Holds a value against a definition of `text`.

    Of values that no definition tells apart the first is held for all: there are thousands of
    events, and some dozens of kinds.
    """
    cbor2, pycddl = pytest.importorskip("cbor2"), pytest.importorskip("pycddl")
    # The validator takes this key for the type of that name; in quotes it means the same.
    text = text.replace("\n    time: ", '\n    "time": ')
    # Of numbers types, signs and sizes in bytes count.
    assert not re.search(r"\.(lt|le|gt|ge|eq|ne|bits)\b|\d\s*\.\.", text)
    schemas, held = {}, set()

    def check(value, definition):
        alike = (definition, kind(value))
        if alike in held:
            return
        if definition not in schemas:
            schemas[definition] = pycddl.Schema(f"start = {definition}\n{text}")
        schemas[definition].validate_cbor(cbor2.dumps(value))
        held.add(alike)

    return check


def kind(value):
    """What CDDL can say of a value: all but which number of its type, sign and size it is."""
    match value:
        case dict():
            return tuple((k, kind(v)) for k, v in value.items())
        case list():
            return ("list", *map(kind, value))
        case bool() | str() | None:
            return (type(value), value)
        case int():
            return (int, value < 0, (value.bit_length() + 7) // 8)
    return (type(value), value < 0)
