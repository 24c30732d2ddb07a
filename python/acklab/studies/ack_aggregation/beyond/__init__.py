"""Beyond the thesis: other timers, paths, queues, and rivals of the aggregating queue."""

from acklab.studies.ack_aggregation.beyond.grid import survey
from acklab.studies.ack_aggregation.beyond.page import files, text
from acklab.studies.ack_aggregation.beyond.table import table

__all__ = ["files", "survey", "table", "text"]
