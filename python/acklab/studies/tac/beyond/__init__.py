"""Beyond the paper: other controllers, windows, timers, mixes of flows, and losses."""

from acklab.studies.tac.beyond.topic import artefact
from acklab.studies.tac.beyond.topics import TOPICS

GROUPS = {t.name: t.cells for t in TOPICS}
ARTEFACTS = tuple(artefact(t) for t in TOPICS)
