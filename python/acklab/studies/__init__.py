"""Studies: a paper's tables and figures, run again."""

from __future__ import annotations

from acklab.studies.ack_aggregation import STUDY as ACK_AGGREGATION
from acklab.studies.study import Study
from acklab.studies.tac import STUDY as TAC

STUDIES: dict[str, Study] = {s.name: s for s in (ACK_AGGREGATION, TAC)}
