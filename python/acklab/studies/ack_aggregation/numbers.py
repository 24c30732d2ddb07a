"""Numbers as the report's tables show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def number(value: float | None) -> str:
    """Two decimals; nothing for what there is none of."""
    return "" if value is None else f"{value:.2f}"


def estimate(row: Mapping[str, Any]) -> str:
    """The mean of a table's row, with half of its interval."""
    if not row:
        return ""
    text = f"{row['acklab']:.2f}"
    half = (row["ci_high"] - row["ci_low"]) / 2 if row["ci_high"] is not None else 0.0
    return f"{text} ± {half:.2f}" if half >= 0.005 else text
