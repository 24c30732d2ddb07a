"""The quantities of a run on the wire and over the air.

A quantity that both parts have is measured of the groups of both.
"""

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

from acklab.studies.kit.vocabulary import Quantity

_EACH: dict[str, Quantity] = {}
for _part in ("wired", "wireless"):
    if find_spec(f".quantities_{_part}", __package__) is not None:
        for _q in import_module(f".quantities_{_part}", __package__).QUANTITIES:
            _own = _EACH.get(_q.name, _q)
            _EACH[_q.name] = replace(_own, groups=tuple(dict.fromkeys((*_own.groups, *_q.groups))))

QUANTITIES = tuple(_EACH.values())
