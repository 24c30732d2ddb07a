"""ns-3's runs in the set-up that the study `aggregation` infers: single flows, and pairs."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace

from acklab.places import packaged
from acklab.studies.aggregation.cells_wired import SETUPS, scenario
from acklab.studies.study import Effort
from acklab.validate.criteria import NS3_THESIS as CRITERIA
from acklab.validate.measures import fairness, first_flow
from acklab.validate.reference import Reference

#: By file: the metric of its cells.
_FILES = {"thesis_setup.csv": "goodput", "thesis_pairs.csv": "jain"}
_MEASURES = {"goodput": first_flow("goodput_mbps"), "jain": fairness}


def rows() -> list[Reference]:
    """Every cell of both tables."""
    return [reference for name in _FILES for reference in _cells(name)]


def _cells(name: str) -> Iterator[Reference]:
    metric = _FILES[name]
    # Each run of ns-3 begins at 2 s sharp.
    setup = replace(SETUPS["thesis"], start_jitter="0 s")
    with (packaged("validation") / "ns3" / name).open() as f:
        for row in csv.DictReader(f):
            flows, *ratios = row
            ccs = tuple(row[flows].split("-"))
            for column in ratios:
                ratio = int(column.partition(":")[0])
                yield Reference(
                    source="ns3-thesis",
                    keys={"flows": row[flows], "ratio": column},
                    values={m: [float(row[column])] if m == metric else [] for m in _MEASURES},
                    measures=_MEASURES,
                    criteria=CRITERIA,
                    scenarios=[scenario(setup, ccs, ratio, Effort(seeds=1))],
                )
