"""ACK aggregation: at a router of a wired dumbbell, and by the MAC of 802.11n.

H. Heinczinger, *Investigating the Impact of ACK Aggregation on TCP Performance using ns-3*,
bachelor thesis, TU Delft, 2025: sections 3 and 4, Tables 1 to 5, Figures 2 to 6; and its poster.
"""

from acklab.studies.ack_aggregation import (
    answer,
    beyond,
    captions,
    cells,
    figures,
    findings,
    readings,
    tables,
    text,
    traces,
    transparent,
    why_acks,
    why_bbr,
    why_loss,
    why_pairs,
    why_runs,
    why_shares,
    why_throughput,
    why_vegas,
    why_window,
)
from acklab.studies.ack_aggregation.wireless.artefacts import ARTEFACTS as WIRELESS
from acklab.studies.ack_aggregation.wireless.artefacts import GROUPS as WIRELESS_GROUPS
from acklab.studies.ack_aggregation.wireless.runs import ARTEFACTS as WIRELESS_RUNS
from acklab.studies.study import Artefact, Study

#: What shows the mechanisms: names in the claims, modules that make table and figure.
_WHY = {
    "why-throughput": why_throughput,
    "why-acks": why_acks,
    "why-window": why_window,
    "why-loss": why_loss,
    "why-bbr": why_bbr,
    "why-vegas": why_vegas,
    "why-pairs": why_pairs,
    "why-runs": why_runs,
    "why-shares": why_shares,
}
#: The groups of cells of those that are not made of traced runs of one flow.
_GROUPS = {"why-pairs": "pair-traces", "why-runs": "main", "why-shares": "pairs"}

_ARTEFACTS = (
    Artefact(
        "table1",
        "Average throughput (Mbit/s) by controller and aggregation ratio",
        tables.throughput,
    ),
    Artefact("fig2", "Throughput over time", tables.throughput_series, figures.throughput),
    Artefact("fig3", "Congestion window over time", tables.window_series, figures.window),
    Artefact("fig4", "Retransmissions by ratio", tables.retransmissions, figures.retransmissions),
    Artefact(
        "table2",
        "Jain's index of two flows with the same controller",
        tables.identical_pairs,
        figures.fairness,
        group="pairs",
    ),
    Artefact(
        "table3",
        "Jain's index of two flows with different controllers",
        tables.mixed_pairs,
        figures.fairness,
        group="pairs",
    ),
    Artefact("mechanism", "What aggregation does first", tables.mechanism, figures.mechanism),
    *(
        Artefact(
            name,
            captions.TITLES[name],
            of.table,
            of.plot,
            group=_GROUPS.get(name, "traces"),
            caption=captions.CAPTIONS[name],
        )
        for name, of in _WHY.items()
    ),
    Artefact(
        "transparent",
        "With the queue at 1:1 and without it",
        transparent.table,
        group="transparent",
    ),
    Artefact(
        "readings",
        "Which reading of the thesis comes nearest to its tables",
        readings.table,
        figures.readings,
        group="readings",
    ),
    *WIRELESS,
    *WIRELESS_RUNS,
    Artefact(
        "beyond",
        "Other timers, paths and buffers, and rivals (on request)",
        beyond.table,
        text=beyond.text,
        files=beyond.files,
        group="beyond",
        on_request=True,
    ),
)
#: The parts of the thesis's section 4.
_WHOLE = [a for a in _ARTEFACTS if not a.on_request]
_PARTS = {
    "wired": [a.name for a in _WHOLE if a.group not in WIRELESS_GROUPS],
    "wireless": [a.name for a in _WHOLE if a.group in WIRELESS_GROUPS],
}

STUDY = Study(
    name="ack-aggregation",
    title="ACK aggregation at a router, and MAC aggregation over Wi-Fi",
    source="H. Heinczinger, bachelor thesis, TU Delft, 2025, sections 3 and 4, and its poster",
    # What is run while artefacts of the group before are made: those with most to make first.
    groups={
        "traces": traces.cells,
        "pair-traces": traces.pair_cells,
        "main": cells.cells,
        "pairs": cells.pair_cells,
        "readings": readings.cells,
        "transparent": transparent.cells,
        **WIRELESS_GROUPS,
        "beyond": beyond.survey,
    },
    report=text.report,
    claims=findings.claims,
    answer=answer.answer,
    note=findings.note,
    parts=_PARTS,
    artefacts=_ARTEFACTS,
)
