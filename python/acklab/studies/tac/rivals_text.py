"""The advice: what to switch on, with every number from the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.stats import Estimate
from acklab.studies.tac.rivals import WHERE, numbers, title

if TYPE_CHECKING:
    import polars as pl


def text(table: pl.DataFrame) -> str:
    """What is fair, what is fast, what saves air, and what to do, with the most stations."""
    found, n = numbers(table), max(table["stations"])
    names = table["scheme"].unique(maintain_order=True).to_list()
    of = {s: {q: found(q, s, n) for q in ("jain", "throughput_mbps")} for s in names}
    base = of["agg"]
    fair = [s for s in names if of[s]["jain"].mean >= 0.98]
    fastest = max(fair or names, key=lambda s: of[s]["throughput_mbps"].mean)
    alone = [s for s in fair if "+" not in s and WHERE[s] == "AP"]
    best = max(alone or names, key=lambda s: of[s]["throughput_mbps"].mean)
    waits = {s: found("queue_wait_ms", s, n).mean for s in names}
    air = {s: found("ack_airtime_ms_per_mb", s, n).mean for s in names}
    unfair = [s for s in names if s not in fair and s != "agg"]
    return (
        f"**Advice.** With Linux's TCP and {n} stations, doing nothing has an index of "
        f"{base['jain'].mean:.2f} at {base['throughput_mbps'].mean:.1f} Mbit/s. An index of 0.98 "
        "or more have: "
        f"{_told(fair, of)}. "
        + (f"Less fair are {_told(unfair, of)}. " if unfair else "")
        + "Of what needs nothing but the access point the fastest fair one is "
        f"{title(best)}; of all of them {title(fastest)}. ACKs wait {waits['agg']:.0f} ms in the "
        "access point with nothing, "
        f"{_each(waits, names)} ms; they take {air['agg']:.1f} ms of air per MB with nothing, "
        f"{_each(air, names, 1)} ms."
    )


def _told(names: list[str], of: dict[str, dict[str, Estimate]]) -> str:
    return ", ".join(
        f"{title(s)} ({of[s]['jain'].mean:.3f}, {of[s]['throughput_mbps'].mean:.1f} Mbit/s)"
        for s in names
    )


def _each(values: dict[str, float], names: list[str], digits: int = 0) -> str:
    return ", ".join(f"{values[s]:.{digits}f} with {title(s)}" for s in names if s != "agg")
