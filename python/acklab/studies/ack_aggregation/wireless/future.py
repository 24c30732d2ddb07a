"""The groups and artefacts of what the thesis leaves to future work."""

from __future__ import annotations

from acklab.studies.ack_aggregation.wireless import errors, fairness, interference, mobility
from acklab.studies.study import Artefact

_SETUP = (
    "Linux stack, segments of 1448 B, uploads over 802.11n at 65 Mbit/s to a server behind "
    "100 Mbit/s and 2 ms. "
)

GROUPS = {
    "wifi-fairness": fairness.cells,
    "wifi-interference": interference.cells,
    "wifi-mobility": mobility.cells,
    "wifi-errors": errors.cells,
}

ARTEFACTS = (
    Artefact(
        "wifi-fairness",
        "Who shares how under MAC aggregation, with 2 to 16 stations or flows",
        fairness.table,
        fairness.plot,
        fairness.text,
        group="wifi-fairness",
        caption=_SETUP
        + (
            "Above, a station for each flow; below, all flows from one station. Bars are 95 % "
            "intervals over seeds. Half of the mixed flows are BBRv3, half CUBIC."
        ),
    ),
    Artefact(
        "wifi-interference",
        "A second station that sends all it can, heard or hidden, with RTS/CTS and without",
        interference.table,
        interference.plot,
        interference.text,
        group="wifi-interference",
        caption=_SETUP
        + (
            "Goodput by aggregation at the MAC: of both stations, one on the other, with the sum "
            "above. Means over seeds of the worse and of the better station, whichever it was; "
            "lines are 95 % intervals of the sum and of the worse."
        ),
    ),
    Artefact(
        "wifi-mobility",
        "A station that walks away and comes back",
        mobility.table,
        mobility.plot,
        mobility.text,
        group="wifi-mobility",
        caption=_SETUP
        + (
            "Acknowledged per second, mean over seeds; above, the distance. ns-3's path loss, no "
            "fading. To the left MCS 7 at all distances; where some seeds have resumed and others "
            "wait for their timers the line is in between."
        ),
    ),
    Artefact(
        "wifi-errors",
        "Channel errors by size of an aggregate",
        errors.table,
        errors.plot,
        errors.text,
        group="wifi-errors",
        caption=_SETUP
        + (
            "Goodput of CUBIC by bit error rate; what the MAC leaves to TCP to repeat; and what "
            "each controller keeps. Of an A-MPDU only the MPDUs that failed are sent again, an "
            "A-MSDU is sent again whole, seven times at most."
        ),
    ),
)
