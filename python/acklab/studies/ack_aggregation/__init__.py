"""Transport-layer ACK aggregation at a router of a wired dumbbell.

H. Heinczinger, *Investigating the Impact of ACK Aggregation on TCP Performance using ns-3*,
bachelor thesis, TU Delft, 2025: sections 3 and 4.1, Table 1, Figures 2 to 4.
"""

from acklab.studies.ack_aggregation import cells, figures, tables, text
from acklab.studies.study import Artefact, Study

STUDY = Study(
    name="ack-aggregation",
    title="ACK aggregation at a router, wired dumbbell",
    source="H. Heinczinger, bachelor thesis, TU Delft, 2025, sections 3 and 4.1",
    cells=cells.cells,
    report=text.report,
    artefacts=(
        Artefact(
            "table1",
            "Average throughput (Mbit/s) by controller and aggregation ratio",
            tables.throughput,
        ),
        Artefact("fig2", "Throughput over time", tables.throughput_series, figures.throughput),
        Artefact("fig3", "Congestion window over time", tables.window_series, figures.window),
        Artefact(
            "fig4", "Retransmissions by ratio", tables.retransmissions, figures.retransmissions
        ),
    ),
)
