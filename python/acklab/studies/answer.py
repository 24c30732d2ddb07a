"""Words that the answers of studies share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acklab.report.parts import Claim


def tally(claims: Sequence[Claim]) -> str:
    """How many of a paper's findings were reproduced."""
    counts = [
        sum(c.verdict == verdict for c in claims) for verdict in ("reproduced", "partly", "not")
    ]
    return (
        f"**The paper's {len(claims)} [findings](#claims)**: {counts[0]} reproduced, {counts[1]} "
        f"partly, {counts[2]} not."
    )
