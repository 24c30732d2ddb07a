"""Numbers of a study's cells that nobody measured, to draw and to judge without a run."""

from itertools import product
from zlib import crc32

from acklab.studies.kit.fields import Field, listed
from acklab.studies.kit.folder import Axis
from acklab.studies.kit.numbers import Numbers
from acklab.studies.kit.quantity import with_derived

#: Keys of an axis of a quantity's own that the study does not name, such as seconds.
KEYS = (1, 2)


def numbers_of(study, seeds=3, seconds=KEYS):
    """A number from 1 to 997 for each cell, quantity and seed."""
    found = {}
    for name, quantity in study.quantities.items():
        for group in study.vocabulary.groups_of(name) if not quantity.expression else ():
            axes = study.vocabulary.axes_of(group, name)
            keys = [*study.vocabulary.grids[group].values()]
            keys += [_own(study, quantity.axis, seconds)] * bool(quantity.axis)
            cells = {at: _value((group, name, at), seeds) for at in product(*keys)}
            found[group, name] = Field(axes, cells)
    return with_derived(study.vocabulary, Numbers(found))


def _own(study, axis, others):
    drawn = [k for of in study.about.drawn for k in listed(of.keys.get(axis, []))]
    return tuple(dict.fromkeys([*drawn, *study.about.axis.get(axis, Axis()).names])) or others


def _value(at, seeds):
    return {seed: 1.0 + crc32(repr((at, seed)).encode()) % 997 for seed in range(1, seeds + 1)}
