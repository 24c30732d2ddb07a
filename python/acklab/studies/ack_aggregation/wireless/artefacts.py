"""The groups and artefacts of the wireless part."""

from __future__ import annotations

from acklab.studies.ack_aggregation.wireless import (
    air,
    cells,
    figures,
    future,
    grid,
    readings,
    tables,
    ticks,
)
from acklab.studies.study import Artefact

GROUPS = {
    "wifi-aggregation": cells.aggregation_cells,
    "wifi-ampdu": cells.size_cells,
    "wifi-readings": readings.cells,
    "wifi-grid": grid.cells,
    "wifi-vegas": ticks.cells,
    "wifi-air": air.cells,
    **future.GROUPS,
}

ARTEFACTS = (
    Artefact(
        "table4",
        "Average throughput (Mbit/s) by controller and MAC aggregation",
        tables.throughput,
        figures.by_aggregation,
        group="wifi-aggregation",
        caption=(
            "Goodput by aggregation; bars are 95 % intervals over seeds, open marks ns-3.44 in the "
            "same set-up (20 s). The inferred set-up is the wired part's, unchanged: segments of "
            "536 B. What they cost in accesses is most of the thesis's baseline."
        ),
    ),
    Artefact(
        "fig5",
        "Throughput over time by MAC aggregation",
        tables.throughput_series,
        figures.throughput,
        group="wifi-aggregation",
        caption="Bytes acknowledged in bins of 0.5 s, mean over seeds.",
    ),
    Artefact(
        "fig6",
        "Congestion window over time by MAC aggregation",
        tables.window_series,
        figures.window,
        group="wifi-aggregation",
        caption=(
            "Means of 0.5 s over seeds; note the logarithmic axis. In ns-3 NewReno's window grows "
            "with each ACK, used or not; the socket buffer of 128 KiB is what limits the flow."
        ),
    ),
    Artefact(
        "wifi-airtime",
        "What the air is used for, by MAC aggregation",
        tables.behind,
        figures.airtime,
        group="wifi-aggregation",
        caption=(
            "Shares of the time after the start; on each bar the data segments per access of the "
            "station, repetitions counting as accesses. Without aggregation contention and MAC "
            "ACKs take as much air as data. Vegas leaves the air idle: "
            "it keeps no queue that could be aggregated."
        ),
    ),
    Artefact(
        "wifi-air",
        "Who holds the air, PPDU by PPDU",
        air.table,
        text=air.text,
        charts=air.charts,
        group="wifi-air",
    ),
    Artefact(
        "table5",
        "Average throughput (Mbit/s) by controller and A-MPDU limit",
        tables.throughput,
        figures.by_size,
        group="wifi-ampdu",
        caption="As Table 4's figure, by the A-MPDU's limit. 64 KB is Table 4's A-MPDU.",
    ),
    Artefact(
        "wifi-sizes",
        "What the air is used for, by A-MPDU limit",
        tables.behind,
        figures.airtime_by_size,
        group="wifi-ampdu",
        caption=(
            "Shares of the time after the start; on each bar the data segments per access. The "
            "larger the A-MPDU, the less contention, and the more air a collision with a TCP ACK "
            "costs."
        ),
    ),
    Artefact(
        "wifi-readings",
        "Which setting explains Tables 4 and 5 at once",
        readings.table,
        figures.readings,
        group="wifi-readings",
        caption=(
            "Mean of |ours - thesis| / thesis over all cells, over those without Vegas, and over "
            "Vegas's; one thing changed at a time from segments of 1448 B (as stated) or 536 B "
            "(inferred), the nearest on top. A fit is not a proof."
        ),
    ),
    Artefact(
        "wifi-vegas",
        "Vegas by the instant of its start, inferred set-up",
        ticks.table,
        ticks.plot,
        group="wifi-vegas",
        caption=(
            "One run per dot. ns-3 measures RTTs in whole milliseconds. A start just before a tick "
            "leaves Vegas with a base RTT above the path's, and with a larger window. In ns-3 ARP "
            "before the handshake does so always; these runs leave it out. Where ns-3 knows its "
            "neighbours, it has the same two levels, at other starts."
        ),
    ),
    Artefact(
        "wifi-grid",
        "Which segment, ACKs and control frames explain Tables 4 and 5, and Table 1 (on request)",
        grid.table,
        grid.plot,
        text=grid.text,
        group="wifi-grid",
        on_request=True,
        caption=(
            "Mean relative distance by segment, of the nearest way to send control frames. With an "
            "ACK per segment Tables 4 and 5 have a valley between 576 and 700 B; Table 1 has its "
            "own, elsewhere."
        ),
    ),
    *future.ARTEFACTS,
)
