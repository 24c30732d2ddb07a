"""The registry: every column and every derived metric, each defined once."""

from __future__ import annotations

import difflib

from acklab.errors import AcklabError
from acklab.metrics.definition import Definition
from acklab.metrics.of_classes import CLASSES
from acklab.metrics.of_flows import FLOWS
from acklab.metrics.of_links import LINKS
from acklab.metrics.of_media import MEDIA
from acklab.metrics.of_records import ACKS, EVENTS, PACKETS, REPORTS, SERIES

DERIVED = (
    Definition(
        "jain",
        "",
        "Fairness of the flows' goodputs x_i: (sum x_i)^2 / (n sum x_i^2); 1 is equal shares, 1/n "
        "is one flow that has everything. x_i is goodput_mbps, from the scenario's start to its "
        "end, so a flow that starts late has less: for shares while all are there take "
        "jain(result, 'goodput_warm_mbps') with a warm-up that ends after the last start, or the "
        "plot fairness; for rates over each flow's own life jain(result, 'acked_mbps').",
        "Jain, Chiu, Hawe 1984 (DEC-TR-301)",
    ),
    Definition(
        "harm",
        "",
        "How much worse a flow does beside another than alone: (alone - beside) / alone for what "
        "is better when more (goodput), (beside - alone) / beside for what is better when less "
        "(delay). 0 is none, 1 is all; negative is a gain. Of goodput_mbps unless another column "
        "is given, over that column's interval: a flow that starts late must do so alone, too. "
        "It needs the result of the flow alone: `acklab compare ALONE BESIDE -m harm`, or "
        "harm(alone, beside, flow, column).",
        "Ware, Mukerjee, Seshan, Sherry (HotNets 2019)",
    ),
    Definition(
        "rtt_fairness",
        "",
        "Goodput of the flow with the longest minimum RTT per goodput of the one with the "
        "shortest; 1 is fair. Both are goodput_mbps, from the scenario's start to its end: let the "
        "flows start together.",
        "Ha, Rhee, Xu 2008 (CUBIC)",
    ),
    Definition(
        "convergence_time",
        "s",
        "Delta-fair convergence: from the start of the last flow until every flow's share of the "
        "goodput is at least (1 - delta) / n and stays so, averaged over a sliding window; null if "
        "it never does.",
        "RFC 5166; Bansal, Balakrishnan, Floyd, Shenker 2001",
        needs=("series",),
    ),
    Definition(
        "percentile",
        "",
        "The smallest sample that at least so many per cent of the samples do not exceed (nearest "
        "rank): p50, p95, p99 of any column.",
        "Hyndman, Fan 1996, definition 1",
    ),
    Definition(
        "power",
        "Mbit/s / s",
        "A flow's goodput divided by its mean RTT: goodput_warm_mbps by rtt_mean_ms, both from the "
        "scenario's start + warmup to the end. Of a flow that starts after the warm-up take "
        "acked_mbps by rtt_mean_ms, both from its own start; of one that is complete before the "
        "end received_bytes / completion_s.",
        "Giessler et al. 1978; Kleinrock 1979",
    ),
)

#: By name.
DEFINITIONS: dict[str, Definition] = {
    d.name: d
    for d in (
        *FLOWS,
        *LINKS,
        *SERIES,
        *EVENTS,
        *ACKS,
        *REPORTS,
        *PACKETS,
        *MEDIA,
        *CLASSES,
        *DERIVED,
    )
}


def defined(name: str) -> Definition:
    """The definition of `name`."""
    if name in DEFINITIONS:
        return DEFINITIONS[name]
    near = difflib.get_close_matches(name, DEFINITIONS, n=3, cutoff=0.5)
    help_ = f"did you mean {' or '.join(near)}?" if near else "acklab explain lists all names"
    raise AcklabError(f"there is no metric called {name!r}\n  help: {help_}")


def columns(table: str) -> list[str]:
    """Names of the columns of `table` that are defined."""
    return [d.name for d in DEFINITIONS.values() if table in d.tables]
