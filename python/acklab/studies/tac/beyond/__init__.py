"""Beyond the paper: controllers, windows, timers, mixes of flows, losses, queues and airtime."""

from acklab.studies.tac.beyond import shared
from acklab.studies.tac.beyond.topic import artefact
from acklab.studies.tac.beyond.topics import TOPICS

GROUPS = {t.name: t.cells for t in TOPICS}
#: Those with cells of their own, and those that are made of the rivals'.
OWN = tuple(artefact(t) for t in TOPICS)
ARTEFACTS = (*OWN, *shared.ARTEFACTS)
