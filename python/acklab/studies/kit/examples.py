"""An example of each word of the language, for `acklab study words`."""

from __future__ import annotations

from collections.abc import Mapping

#: An example of each word.
EXAMPLES: Mapping[str, str] = {
    "all": "all(retransmissions(cc=vegas) < 1.5, over=ratio)",
    "any": "any(goodput(ratio=16) < 5, over=cc)",
    "count": "count(goodput(ratio=16) > goodput(ratio=1), over=cc) >= 3",
    "least": "least(goodput(cc=cubic), over=ratio) > 5",
    "most": "most(rtt(cc=cubic), over=ratio) < 100",
    "average": "average(goodput, over=cc) > 9",
    "median": "median(goodput(cc=cubic), over=ratio) > 9",
    "total": "total(goodput(ratio=1), over=flow) > 9",
    "spread": "spread(goodput(cc=cubic), over=ratio) < 0.1",
    "gap": "gap(rtt(cc=cubic), over=ratio) < 5",
    "mean": "mean(goodput(cc=cubic, ratio=1)) > 9",
    "scatter": "scatter(goodput(cc=cubic, ratio=1)) < 0.05",
    "seeds_where": "seeds_where(goodput(cc=cubic, ratio=1), low=9) >= 4",
    "change": "change(rtt(cc=cubic), along=ratio, since=1, to=16) > 5",
    "gain": "gain(goodput(cc=cubic), along=ratio, since=1, to=16) < -0.1",
    "steps": "all(steps(goodput(cc=cubic), along=ratio) < 0, over=ratio)",
    "rising": "rising(rtt(cc=cubic), along=ratio, by=0.1)",
    "falling": "falling(goodput(cc=cubic), along=ratio, by=0.1)",
    "flat": "flat(goodput(cc=cubic), over=ratio, within=0.05)",
    "near": "near(goodput(cc=cubic, ratio=1), 9.4, within=0.05)",
    "more_than": "more_than(goodput(cc=cubic), goodput(cc=newreno), by=0.1)",
    "less_than": "less_than(rtt(cc=vegas), rtt(cc=cubic), by=0.5)",
    "highest": "highest(goodput(ratio=1), cc=cubic)",
    "lowest": "lowest(rtt(ratio=1), cc=vegas)",
    "correlation": "correlation(goodput(cc=cubic), rtt(cc=cubic), over=ratio) > 0.5",
}
