"""The study's part of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from acklab.studies.ack_aggregation.cells import (
    DURATION_S,
    EXTRA_CONTROLLERS,
    PAPER_CONTROLLERS,
    QUICK_DURATION_S,
    RATIOS,
)
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.study import Effort

if TYPE_CHECKING:
    import polars as pl

_HOW = """\
Wired dumbbell: access links 100 Mbit/s, 2 ms; bottleneck 10 Mbit/s, 20 ms, drop-tail of 40 packets
(about one bandwidth-delay product: the thesis does not state it, both references have it); one
flow, up to 100,000 packets of 1448 B, from 2 s on. The right router lets the last of N ACKs go on,
or what it holds after 5 ms.

acklab runs each cell twice: as ns-3 would (its profile, ns-3's arithmetic, an ACK per segment), and
as Linux would (delayed and quick ACKs, RACK, PRR). Each has its reference beside it: ns-3.44 with
the same queue and thinner, and a Linux 6.18 kernel on the same path (CUBIC, Reno, BBRv1; median of
three repeats of 30 s). Neither reference has BBRv3.

± is half of the 95 % confidence interval (Student's t) over seeds that shift the start of the flow
by up to 100 ms. No constant is fitted to the paper or to a reference.
"""

_SEEN = """\
### Reading the differences

- With a 5 ms timer and a segment every 1.2 ms the timer caps the ratio: with an ACK per segment
  near 5:1, so 8:1 and 16:1 are the same run here as in ns-3. The thesis reports large differences
  between them, so its queue must have worked differently from what the text says.
- Without the timer (`timeout = "none"`) the picture comes nearer to the thesis: in the ns-3 stack
  CUBIC collapses at 8:1 and 16:1, and in the Linux stack NewReno loses with every step. A window
  that does not hold N segments waits for its retransmission timer. The thesis's timer may not have
  acted.
- The fall of BBRv3 from 8.84 to 6.67 at 2:1 is reproduced by neither stack, with or without timer.
- Vegas in the ns-3 stack hangs on the ACK ratio: its base RTT comes from the first ACKs, its later
  RTTs (smoothed, in whole milliseconds) from bursts, and the window stops where that bias alone
  exceeds its target. Linux's Vegas, which measures the newest segment, does not care. The thesis's
  1.76 Mbit/s at 1:1 is reproduced neither here nor by ns-3.44.
- NewReno's losses (Figure 4): ns-3's grows per ACK, Linux's per segment, so thinning takes losses
  away from the first and leaves them to the second.
"""


def report(tables: Mapping[str, pl.DataFrame], effort: Effort) -> str:
    """Table 1 with everything that there is to compare, and how it was made."""
    duration = QUICK_DURATION_S if effort.quick else DURATION_S
    run = f"{effort.seeds} seeds, {duration} s."
    if effort.quick:
        run += " **Quick: shorter than the paper's and the references' runs, so not comparable.**"
        run += (
            " With so few seeds the ± says how the start's jitter moves one short run, not how well"
            " the mean is known."
        )
    return "\n".join([_HOW, run, "", _table1(tables["table1"]), "", _SEEN])


def _table1(table: pl.DataFrame) -> str:
    rows = {(r["stack"], r["cc"], r["ratio"]): r for r in table.iter_rows(named=True)}
    extra = sorted({cc for ccs in EXTRA_CONTROLLERS.values() for cc in ccs})
    lines = [
        "### Table 1: average throughput, Mbit/s",
        "",
        "| controller | ACKs | paper | acklab, ns-3 stack | ns-3 | acklab, Linux stack | Linux |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for cc in (*PAPER_CONTROLLERS, *extra):
        for ratio in RATIOS:
            as_ns3 = rows.get(("ns3", cc, ratio), {})
            as_linux = rows.get(("linux", cc, ratio), {})
            cells = [
                CC_NAMES[cc],
                f"{ratio}:1",
                _number(as_ns3.get("paper")),
                _estimate(as_ns3),
                _number(as_ns3.get("ns3")),
                _estimate(as_linux),
                _number(as_linux.get("linux")),
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _estimate(row: Mapping[str, Any]) -> str:
    if not row:
        return ""
    text = f"{row['acklab']:.2f}"
    half = (row["ci_high"] - row["ci_low"]) / 2 if row["ci_high"] is not None else 0.0
    return f"{text} ± {half:.2f}" if half >= 0.005 else text
