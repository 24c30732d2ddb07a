"""The study in short: what to switch on, and where TAC deserves its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from acklab.studies.answer import tally
from acklab.studies.tac import rivals_today
from acklab.studies.tac.rivals import Found, numbers
from acklab.studies.tac.stacks import MODERN, TODAY, WINDOW

if TYPE_CHECKING:
    import polars as pl

    from acklab.report.parts import Claim


def answer(tables: Mapping[str, pl.DataFrame], claims: Sequence[Claim]) -> str:
    """The advice, what TAC does with many stations and with one, and how the paper fares."""
    rivals = tables["rivals"]
    parts = (
        f"{rivals_today.advice(rivals)} All remedies: [which to switch on](#rivals).",
        _tac(rivals),
        f"{tally(claims)} The paper's figures: [2](#fig2), [3](#fig3), [5](#fig5), [6](#fig6); how "
        "unfairness rises: [mechanism](#mechanism).",
    )
    return "\n\n".join(parts)


def _tac(table: pl.DataFrame) -> str:
    """TAC with guards beside nothing: the paper's windows and stations of today."""
    windowed, today = numbers(table, MODERN), numbers(table, TODAY)
    many = max(table.filter(stack=MODERN)["stations"])
    most = max(table.filter(stack=TODAY)["stations"])
    alone = min(table.filter(stack=MODERN)["stations"])
    return (
        f"**TAC**, as the paper runs it (windows of {WINDOW} packets; here Linux's TCP and TAC "
        f"with guards): {_change(windowed, many)} with {many} stations; a station on its own has "
        f"{_rate(windowed, 'tac-guarded', alone)} instead of {_rate(windowed, 'agg', alone)} "
        f"Mbit/s. With stations of today: {_change(today, most)} with {most} stations."
    )


def _change(found: Found, n: int) -> str:
    before, after = (found("jain", s, n).mean for s in ("agg", "tac-guarded"))
    return (
        f"Jain's index {after:.2f} instead of {before:.2f}, {_rate(found, 'tac-guarded', n)} "
        f"instead of {_rate(found, 'agg', n)} Mbit/s"
    )


def _rate(found: Found, scheme: str, n: int) -> str:
    return f"{found('throughput_mbps', scheme, n).mean:.1f}"
