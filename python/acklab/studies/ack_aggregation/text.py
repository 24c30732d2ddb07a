"""The study's part of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from acklab.studies.ack_aggregation.cells import (
    EXTRA_CONTROLLERS,
    PAPER_CONTROLLERS,
    RATIOS,
    duration,
)
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.numbers import estimate, number
from acklab.studies.ack_aggregation.wireless import text as wireless
from acklab.studies.study import Effort

if TYPE_CHECKING:
    import polars as pl

_HOW = """\
Wired dumbbell: access links 100 Mbit/s, 2 ms; bottleneck 10 Mbit/s, 20 ms; flows of up to 100,000
packets of 1448 B, from 2 s on. The right router aggregates ACKs N:1 with a timer of 5 ms.

acklab runs each cell three times. Twice as the text of the thesis has it: as ns-3 would (its
profile, ns-3's arithmetic, an ACK per segment), and as Linux would (delayed and quick ACKs, RACK,
PRR), with a drop-tail queue of 40 packets, about one bandwidth-delay product. Beside them stand
ns-3.44 with the same queue and a sound thinner, and a Linux 6.18 kernel on the same path (CUBIC,
Reno, BBRv1; median of three repeats of 30 s). The third time as the thesis's *numbers* have it
(set-up `thesis`, see below); beside it ns-3.44 in that set-up, with its own default queue.

± is half of the 95 % confidence interval (Student's t) over seeds that shift the start of the
flows by up to 100 ms (`thesis`: 1 ms). No model constant is fitted to anything. The options of
the set-up `thesis`, though, were *chosen by looking at Table 1*, so its agreement there is no
confirmation.
"""

_SETUP = """\
### How the thesis may have run

The thesis says little of ns-3's configuration. Its numbers say more:

- **Segments of 536 B and delayed ACKs**, ns-3's defaults; the 1448 B are the application's
  writes. No run in Table 1 exceeds 9.03 Mbit/s; after headers 536 B leave 9.09 of 10, 1448 B
  would leave 9.64.
- **Buffers of 128 KiB**, ns-3's default, which limit the window before the queue does.
- **BBRv3 of the public port** (github.com/Aruuni/ns3-bbrv3); ns-3 itself has none.
- **The SYN-ACK counts as an ACK**: it is held, and the SYN's timeout of 3 s must pass. Hence the
  same step from 1:1 to 2:1 for NewReno and CUBIC (57/60 of the throughput), and a NewReno that
  "starts ramping up around 5 seconds", 3 s after its start.
- **The timer does not wake the link**: what it lets go waits for the next arrival. In ns-3 a
  queue disc does so whose timer does not call `Run()`.
- **Each arrival starts the timer anew**, or 8:1 and 16:1 would be one run.
- **One counter for all flows**: of two SYN-ACKs one is dropped for the other, and one flow
  starves.

How this was found, and what it is worth. The thesis's code could not be had. Segment, delayed
ACKs and buffers were guessed from the ceiling and from Vegas at 1:1; the first guess gave the
whole column 1:1 in ns-3.44, with the port compiled in, to two digits. For the queue seven
variants were then run in ns-3 against the other columns of Table 1, all of them holding the
SYN-ACK: a timer from the first ACK; one that is looked at upon arrivals only; none; and, not
waking the link, one from the first ACK, one from the last, and both of these with a count that
the timer leaves alone (the former was not run to the end). The one kept matches best, Vegas in
every column. It was picked from the same table that it is shown beside, and others may do as
well. Tables 2 and 3 had no part in the choice, apart from the shared counter, which was expected
to starve flows before it was tried. **No variant gives CUBIC at 16:1 (1.96 in the thesis) or
NewReno at 16:1 (7.50)**, and of Tables 2 and 3 many cells are missed too: something about the
thesis's queue is still not understood.

The check that had no part in the choice are two flows. ns-3.44 in this set-up gives Vegas against
Vegas 1.000 / 0.627 / 0.978 / 0.503 / 0.503 (thesis 1.000 / 0.627 / 0.975 / 0.502 / 0.503), but
CUBIC against CUBIC 0.500 at 4:1 (0.977), BBRv3 against NewReno 0.501 at 2:1 (0.972). Tables 2
and 3 have all of them, hits and misses.

Against it speaks Figure 4. The thesis describes retransmissions of CUBIC and BBRv3 that are many
and, for BBRv3, rise with the ratio. In this set-up acklab retransmits hardly more than the SYN, and
so did those runs of ns-3 that were looked at (4 segments at most).

Vegas hangs on the instant of its start. At 2 s sharp acklab gives 1.76 at 1:1 and 2.62 at 8:1 like
ns-3; Table 1, whose starts are drawn within a millisecond, shows how far that goes. The thesis's
row is one run of a deterministic simulator.
"""


def report(tables: Mapping[str, pl.DataFrame], effort: Effort) -> str:
    """How it was made, what the thesis must have run, and Table 1 with all there is to compare."""
    seconds = duration(effort)
    run = f"{effort.seeds} seeds, {seconds} s."
    if effort.quick:
        run += " **Quick: shorter than the paper's and the references' runs, so not comparable.**"
        run += (
            " With so few seeds the ± says how the start's jitter moves one short run, not how well"
            " the mean is known."
        )
    table1 = _table1(tables["table1"])
    wired = [_HOW, run, "", _SETUP, "", _map(tables["readings"]), "", table1]
    return "\n".join([*wired, "", wireless.section(tables, effort)])


def _map(table: pl.DataFrame) -> str:
    """The paragraph on the readings."""
    import polars as pl

    stated = table.filter(pl.col("walk") == "alone").row(0, named=True)
    best = table.sort("rank").row(0, named=True)
    alone = table.filter(pl.col("walk") == "alone").sort("distance").row(0, named=True)
    bbr3 = table.filter(pl.col("walk") == "alone").sort("bbr3").row(0, named=True)
    return (
        "### What the readings say\n\n"
        f"As stated, the ns-3 stack is {stated['table1']:.0%} from Table 1 (mean relative "
        f"error), and "
        f"{stated['table2']:.2f} and {stated['table3']:.2f} from Tables 2 and 3 (mean "
        f"difference of Jain's index; 8:1 is not run for pairs). "
        f"No single change brings it near: the best, *{alone['reading']}*, is "
        f"{alone['table1']:.0%}, {alone['table2']:.2f} and {alone['table3']:.2f} away. The "
        f"nearest of "
        f"all, *{best['reading']}* (walk `{best['walk']}`), is {best['table1']:.0%}, "
        f"{best['table2']:.2f} and {best['table3']:.2f} away; by controller, BBRv3 "
        f"{best['bbr3']:.0%}, "
        f"CUBIC {best['cubic']:.0%}, NewReno {best['newreno']:.0%}, Vegas {best['vegas']:.0%}. The "
        f"defects of BBRv3's port alone do not explain its row: the single change nearest to it, "
        f"*{bbr3['reading']}*, is {bbr3['bbr3']:.0%} away."
    )


def _table1(table: pl.DataFrame) -> str:
    rows = {(r["stack"], r["cc"], r["ratio"]): r for r in table.iter_rows(named=True)}
    extra = sorted({cc for ccs in EXTRA_CONTROLLERS.values() for cc in ccs})
    lines = [
        "### Table 1: average throughput, Mbit/s",
        "",
        "| controller | ACKs | paper | acklab, `thesis` | ns-3 | acklab, ns-3 stack | ns-3 "
        "| acklab, Linux stack | Linux |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for cc in (*PAPER_CONTROLLERS, *extra):
        for ratio in RATIOS:
            as_ns3 = rows.get(("ns3", cc, ratio), {})
            as_thesis = rows.get(("thesis", cc, ratio), {})
            as_linux = rows.get(("linux", cc, ratio), {})
            cells = [
                CC_NAMES[cc],
                f"{ratio}:1",
                number(as_ns3.get("paper")),
                estimate(as_thesis),
                number(as_thesis.get("ns3")),
                estimate(as_ns3),
                number(as_ns3.get("ns3")),
                estimate(as_linux),
                number(as_linux.get("linux")),
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
