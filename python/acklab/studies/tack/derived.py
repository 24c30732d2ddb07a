"""Quantities derived from several runs: ratios, places, means over random paths."""

from __future__ import annotations

from acklab.studies.kit.quantity import derived
from acklab.studies.tack.cells import RIVALS

_RANKS = tuple(
    derived(
        f"rank_{way}",
        "",
        f"Place of {way} by power on a path; 1 is the best.",
        f"1 + count(mean(power) > mean(power(way={way})), over=way)",
        "rank",
        digits=1,
    )
    for way in RIVALS
)
_OTHERS = (
    derived(
        "acks_less",
        "",
        "How many fewer ACKs TACK sends for a data packet than TCP.",
        "1 - per_data(way=tack) / per_data(way=tcp)",
        "wlan",
        digits=4,
    ),
    derived(
        "improvement",
        "",
        "Goodput of TACK over that of TCP, less one.",
        "goodput(way=tack) / goodput(way=tcp) - 1",
        "wlan",
        "wan",
        "noisy",
        digits=3,
    ),
    derived(
        "difference",
        "Mbit/s",
        "Goodput of the tool with TACK's feedback at 80 ms less that with every second packet's.",
        "goodput(way=tack80) - goodput(way=l2)",
        "tool",
        digits=1,
    ),
    derived(
        "near_eq3",
        "",
        "Measured frequency over that of Eq. 3.",
        "measured / f_tack",
        "frequency",
        digits=3,
    ),
    derived(
        "reduced",
        "Hz",
        "Figure 8(a): by how much TACK is rarer than TCP's delayed ACK, by Eqs. 3 and 5.",
        "f_tcp2 - f_tack",
        "frequency",
        digits=0,
    ),
    derived(
        "reduced_run",
        "Hz",
        "The same, with the frequency that runs have.",
        "f_tcp2 - measured",
        "frequency",
        digits=0,
    ),
    derived(
        "middle", "KB", "Median over the draws.", "median(blocked, over=draw)", "blocked", digits=0
    ),
    derived(
        "expected",
        "ACKs",
        "beta / RTT of the path x time, and the IACKs that left.",
        "eq3 + iacks",
        "wan",
        "noisy",
        digits=0,
    ),
    derived(
        "fair_first",
        "of a fair share",
        "Mean over the draws.",
        "average(first, over=draw)",
        "friends",
    ),
    derived(
        "fair_second",
        "of a fair share",
        "Mean over the draws.",
        "average(second, over=draw)",
        "friends",
    ),
)
DERIVED = (*_RANKS, *_OTHERS)
