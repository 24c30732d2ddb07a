"""Values with units as the resolved form of a scenario has them, such as `10 ms`."""

from __future__ import annotations

import re

#: Units and what they are in SI units; bits for rates, bytes for sizes.
UNITS = {
    "bit/s": 1.0,
    "kbit/s": 1e3,
    "Mbit/s": 1e6,
    "Gbit/s": 1e9,
    "Tbit/s": 1e12,
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "KiB": 1024.0,
    "MiB": 1024.0**2,
    "GiB": 1024.0**3,
}


def number(text: str) -> float:
    """Such a value in SI units. A `ValueError` if it is none."""
    found = re.fullmatch(r"([0-9.e+-]+) ?([A-Za-z/]+)", text)
    if found is None or found[2] not in UNITS:
        raise ValueError(f"{text!r} is no number with a unit")
    return float(found[1]) * UNITS[found[2]]
