"""The column *paper* of the claims: the number a sentence states, or in a few words what it says.

And the column *acklab*: the numbers that the rule used, without intervals, of a row its ends.
"""

from __future__ import annotations

import re

#: What sentences without a number say, by the finding's name.
SAID = {
    "I-chance": "the AP's share falls with N",
    "II-delay": "the AP's accesses become rarer with Lmax",
    "II-loss": "rises with Lmax",
    "II-windows": "differ more with Lmax",
    "F2-small": "fair at 1 and 2 KB with either queue",
    "F2-small-why": "no losses at 1 KB",
    "F2-severe": "falls with Lmax",
    "F2-infinite": "fair with 10,000, no losses",
    "F2-tradeoff": "faster and less fair, or fairer and slower",
    "F2-throughput": "rises with Lmax, either queue",
    "F2-slower": "slower with 10,000, longer RTT",
    "II-increment": "as many packets as ACKs",
    "II-rapidly": "faster with longer bursts",
    "II-tolerate": "large windows neither stop nor repeat",
    "II-amsdu": "A-MPDU above A-MSDU",
    "F3-1": "no loss in most flows at 1 KB",
    "F3-rises": "mean and deviation rise with Lmax",
    "F3-reason": "who loses more has less",
    "A-occupancy": "a shorter queue, no losses, fair",
    "III-redundant": "nothing lost by dropping",
    "III-same": "the same with losses",
    "III-gap-rtt": "≤ RTT (100 ms)",
    "III-gap-link": "≥ 0.8 ms",
    "III-gap-grows": "grows with congestion",
    "III-loss": "no duplicate dropped, no harm",
    "III-order": "in order, in bursts",
    "III-repeat": "tens of ms against hundreds",
    "III-rack-errors": "ACKs have fewer errors, by size",
    "III-rack": "repaired before a timeout",
    "III-downloads": "works well with downloads",
    "III-zero": "as without TAC",
    "III-small": "more ACKs with a small Te",
    "III-large": "later ACKs with a large Te",
    "III-timer": "no harm with either",
    "III-guideline": "several ms to a few tens",
    "I-wasted": "opportunities may be wasted",
    "I-suitable": "DIFF and RDG unfair or slow",
    "IV-diff": "DIFF loses fewer than AGG",
    "IV-rdg": "RDG waits and loses less than AGG",
    "F5-agg": "falls with N",
    "F5-agg-why": "queue and losses grow with N",
    "F5-tight-why": "RDG, TAC: moderate queue, no losses",
    "F5-diff-scale": "DIFF worse with N",
    "F5-constant": "AGG, TAC the same from 5 to 30",
    "F5-constant-why": "as many collisions from 5 to 30",
    "F5-collisions": "DIFF, RDG slower by collisions",
    "F5-diff-why": "the AP sooner, more collisions",
    "F5-rdg-why": "more collisions with N",
    "F5-both": "TAC fair and faster, others either",
    "F6-agg": "AGG falls with Lmax",
    "F6-rises": "all rise with Lmax",
    "F6-outperforms": "TAC first in both",
    "F6-grows": "grows with Lmax",
    "F6-unnecessary": "in proportion to Lmax",
    "F6-similar": "as with N",
    "F6-tradeoff": "DIFF, RDG fair and slow, AGG the reverse",
    "V-prevents": "no losses, fair",
    "V-throughput": "above AGG",
}
NOT_RUN = "not run so"

_INTERVAL = re.compile(r" ± -?[\d.]+")
#: Four values or more, divided by strokes.
_ROW = re.compile(r"(?P<first>[^\s/;(]+)(?: / [^\s/;(]+){2,} / (?P<last>[^\s/;()]+)")


def brief(numbers: str) -> str:
    """The same without intervals and criterion; of rows of four values and more the ends."""
    told = _INTERVAL.sub("", numbers.partition("; criterion")[0])
    return _ROW.sub(r"\g<first> … \g<last>", told)
