"""What the readings say, with every number from the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from acklab.studies.tac.readings import (
    PAPER_JAIN,
    PAPER_MBPS,
    SEEDS,
    SMALL,
    SMALL_STATIONS,
    STATIONS,
)
from acklab.studies.tac.schemes import SCHEMES

if TYPE_CHECKING:
    import polars as pl


def text(table: pl.DataFrame) -> str:
    """What moves the unfairness, in words; every number from the table."""
    agg = table.filter(scheme="agg")
    base = agg.filter(reading="nothing").row(0, named=True)
    rows = [r for r in agg.iter_rows(named=True) if r["reading"] != "nothing"]
    down = [r for r in rows if r["jain_change_high"] < 0]
    up = [r for r in rows if r["jain_change_low"] > 0]
    still = [r for r in rows if r not in down and r not in up]
    nearest = min((base, *rows), key=lambda r: abs(r["jain"] - PAPER_JAIN))
    faster = max(rows, key=lambda r: r["throughput_mbps"])
    return (
        f"{_seeds(base, rows)} As chosen, AGG with {STATIONS} stations has an index of "
        f"{base['jain']:.2f} at {base['throughput_mbps']:.1f} Mbit/s; the paper says "
        f"about {PAPER_JAIN}, and of its throughput that of TAC follows, about "
        f"{PAPER_MBPS:.0f}. *Less fair*, seed by seed: {_list(down)}. *Fairer*: {_list(up)}. "
        f"Undecided or without effect: {_list(still)}. The index nearest to the paper's has "
        f"*{nearest['reading']}* ({nearest['jain']:.2f}, {nearest['throughput_mbps']:.1f} "
        f"Mbit/s, {nearest['seeds']} seeds); the highest throughput has *{faster['reading']}* "
        f"({faster['throughput_mbps']:.1f} Mbit/s, index {faster['jain']:.2f}, "
        f"{faster['seeds']} seeds). "
        f"{_others(table, nearest['reading'])}"
        f"{_fair(table)} {_lost(table)}"
    )


def _others(table: pl.DataFrame, reading: str) -> str:
    """What DIFF and RDG have under the reading that comes nearest to AGG."""
    of = {
        r["scheme"]: r["throughput_mbps"]
        for r in table.filter(reading=reading).iter_rows(named=True)
    }
    if not {"diff", "rdg"} <= set(of):
        return ""
    return (
        f"But under the former DIFF and RDG have {of['diff']:.1f} and {of['rdg']:.1f} Mbit/s, "
        "where the paper has 35 and 38: what comes near to AGG need not explain the others. "
    )


def _fair(table: pl.DataFrame) -> str:
    """Under which readings RDG and TAC are as fair as the paper says."""
    told = []
    for scheme in ("rdg", "tac"):
        of = table.filter(scheme=scheme)
        if of.is_empty():
            continue
        found = [r["reading"] for r in of.iter_rows(named=True) if r["jain"] >= 0.985]
        name = SCHEMES[scheme].title
        told.append(f"{name} has 0.99 with: {'; '.join(found) or 'none of them'}.")
    return " ".join(told)


def _lost(table: pl.DataFrame) -> str:
    """Under which readings nothing is lost at 1 KB."""
    rows = list(table.filter(scheme=SMALL).sort("ack_loss_mean").iter_rows(named=True))
    base = next(r for r in rows if r["reading"] == "nothing")
    least = "; ".join(f"{r['reading']} ({r['ack_loss_mean']:.1%})" for r in rows[:4])
    return (
        f"At 1 KB with {SMALL_STATIONS} stations AGG loses {base['ack_loss_mean']:.0%} of the "
        f"ACKs as chosen, the paper hardly any; least: {least}."
    )


def _seeds(base: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """How many, and what nothing changed has with those that most readings were run with."""
    few = next((r for r in rows if r["seeds"] < base["seeds"]), None)
    if few is None:
        return f"({base['seeds']} seeds.)"
    return (
        f"({few['seeds']} seeds, {base['seeds']} where a number says so. With the former nothing "
        f"changed has an index of {few['jain'] - few['jain_change']:.2f}, with the latter "
        f"{base['jain']:.2f}; each is compared with its own.)"
    )


def _said(row: Mapping[str, Any]) -> str:
    """A reading's index, and its seeds if it has more than most."""
    seeds = f", {row['seeds']} seeds" if row["seeds"] > SEEDS else ""
    return f"{row['reading']} ({row['jain']:.2f}{seeds})"


def _list(rows: Sequence[Mapping[str, Any]]) -> str:
    order = sorted(rows, key=lambda r: r["jain"])
    return "; ".join(_said(r) for r in order) or "none"
