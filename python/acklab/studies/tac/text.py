"""The study's words in the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from acklab.studies.study import Effort
from acklab.studies.tac.figures import AXES
from acklab.studies.tac.schemes import SCHEMES
from acklab.studies.tac.setup import duration

if TYPE_CHECKING:
    import polars as pl

_HOW = """\
N stations with an upload each through one access point (802.11n, 5 GHz, 20 MHz, 65 Mbit/s), a
wire of 100 Mbit/s, NewReno, packets of 1024 B, windows of 50 packets, B = 200 packets in the
access point (or 10,000), A-MPDUs of up to Lmax, block ack, delivery in order. The schemes:
**AGG** is A-MPDU alone; **DIFF** gives the access point a CWmin of 7 and stations 15; **RDG**
lets the access point answer within a station's access; **TAC** holds the newest ACK of each flow
until none newer has come for 5 ms (the filter `tac-paper`, the flow chart to the letter; `tac` is
the one with guards).

The paper used ns-2, of whose settings it states no more than that. Chosen here: a wire of 2 ms;
Lmax counts data packets (the paper's error rates of subframes are those of IP packets without a
MAC header, and 1 KB is said to hold a packet); B counts packets never sent; nothing expires; EDCA
of best effort, no RTS. What hangs on each of these is in [Readings](#readings). TCP is like
ns-2's (no SACK, no timestamps, an ACK per packet, a window that grows by ACKs, timeouts of 200 ms
at least on a clock of 10 ms); next to it Linux's with the same window. The paper's simulator had
an explicit block ack request after each A-MPDU, which acklab does not have: its A-MPDUs ask for
their block ack implicitly.

± is half of the 95 % confidence interval (Student's t) over seeds. Nothing is fitted to the
paper's numbers. Numbers are taken from the paper's text, none is read off its figures. The
columns *ns-3* are ns-3.44 without any scheme, 20 s, with its own TCP (delayed ACKs) and Lmax in
bytes on the air.
"""


_SHORT = {"jain": "Jain", "throughput_mbps": "Mbit/s"}


def report(tables: Mapping[str, pl.DataFrame], effort: Effort) -> str:
    """How it was made, what TCP changes, and the tables with all there is to compare."""
    run = f"{effort.seeds} seeds, {duration(effort)} s; with Linux's TCP and in readings fewer."
    if effort.quick:
        run += " **Quick: shorter than the paper's runs, so not comparable.**"
    parts = [_HOW, run, "", _stacks(tables["modern"]), ""]
    for name, key, title in (
        ("fig2", "kilobytes", "Figure 2: Lmax and B, AGG, 20 stations"),
        ("fig5", "stations", "Figure 5: stations, 16 KB"),
        ("fig6", "kilobytes", "Figure 6: Lmax, 20 stations, bit errors 1e-5"),
    ):
        parts += [f"### {title}", "", _table(tables[name], key), ""]
    return "\n".join(parts)


def _stacks(table: pl.DataFrame) -> str:
    """How much it matters which TCP it is."""
    n = max(table["stations"])
    of = {
        (r["stack"], r["scheme"], r["quantity"]): r
        for r in table.filter(stations=n).iter_rows(named=True)
    }

    def both(scheme: str) -> str:
        def values(quantity: str) -> list[float]:
            return [of[s, scheme, quantity]["acklab"] for s in ("ns2", "linux")]

        jains, rates = values("jain"), values("throughput_mbps")
        return (
            f"{SCHEMES[scheme].title} {jains[0]:.2f} and {rates[0]:.1f} (ns-2), "
            f"{jains[1]:.2f} and {rates[1]:.1f} (Linux)"
        )

    schemes = [s for s in SCHEMES if ("linux", s, "jain") in of and ("ns2", s, "jain") in of]
    return (
        "### How much the TCP matters\n\n"
        f"Jain's index and Mbit/s at N = {n}: " + "; ".join(both(s) for s in schemes) + "."
    )


def _table(table: pl.DataFrame, key: str) -> str:
    """Paper, acklab and ns-3, a row per cell."""
    quantities = [q for q in ("jain", "throughput_mbps") if q in set(table["quantity"])]
    heads = [AXES[key], "scheme", "B"]
    for q in quantities:
        heads += [f"{_SHORT[q]}: paper", "acklab", "ns-3"]
    rows = {(r[key], r["scheme"], r["buffer"], r["quantity"]): r for r in table.to_dicts()}
    lines = [" | ".join(heads), " | ".join(["--:", "---", *["--:"] * (len(heads) - 2)])]
    for x, scheme, buffer in dict.fromkeys(k[:3] for k in rows):
        cells = [f"{x}", SCHEMES[scheme].title, f"{buffer:,}"]
        for q in quantities:
            r = rows[x, scheme, buffer, q]
            cells += [_paper(r), _ours(r, 3 if q == "jain" else 1), _number(r["ns3"], q)]
        lines.append(" | ".join(cells))
    return "\n".join(f"| {line} |" for line in lines)


def _paper(row: Mapping[str, Any]) -> str:
    if row["paper"] is None:
        return ""
    sign = {"at least": "≥ ", "at most": "≤ "}.get(row["paper_is"], "")
    return f"{sign}{row['paper']:g}"


def _ours(row: Mapping[str, Any], digits: int) -> str:
    text = f"{row['acklab']:.{digits}f}"
    if row["ci_low"] is None or row["ci_low"] != row["ci_low"]:
        return text
    return f"{text} ± {(row['ci_high'] - row['ci_low']) / 2:.{digits}f}"


def _number(value: float | None, quantity: str) -> str:
    return "" if value is None else f"{value:.{3 if quantity == 'jain' else 1}f}"
