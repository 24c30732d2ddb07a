"""Radio channels beside closed forms: saturation, access categories, A-MPDUs, every mode of n, ac
and ax.

Each cell is a scenario whose flows are saturated sources, and what a model says of it. The models
(`acklab.validate.models`) are computed here from the standard's numbers; nothing of the core takes
part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from acklab.saturation import saturate
from acklab.scenario import load
from acklab.validate.compare import Comparison, Metric
from acklab.validate.criteria import WIFI_MODELS, Tolerance
from acklab.validate.reference import Reference

if TYPE_CHECKING:
    import polars as pl

#: The name of this source.
SOURCE = "wifi-models"
#: Predictions of a model for some stations of a cell, by metric.
Expected = Mapping[str, float]


@dataclass(frozen=True)
class Part:
    """Some flows of a cell, by number, and what a model says of them."""

    model: str
    name: str
    flows: range
    expected: Expected


@dataclass(frozen=True)
class Cell:
    """A scenario of saturated sources."""

    scenario: Mapping[str, Any]
    #: Bytes of an IP packet, and of those what counts as throughput.
    packet: int
    payload: int
    parts: Sequence[Part]


def measure(frame: pl.DataFrame, part: Part, payload: int) -> dict[str, float]:
    """Mbit/s of payload, and failures per transmission, of the flows of `part`."""
    own = frame[part.flows.start : part.flows.stop]
    return {
        "throughput": float(own["packets_per_s"].sum()) * payload * 8 / 1e6,
        "collisions": float(own["failures"].sum()) / float(own["accesses"].sum()),
    }


def check(
    cells: Sequence[Cell],
    seeds: int,
    jobs: int | None = None,
    on_progress: Callable[[int, int], object] | None = None,
    *,
    source: str = SOURCE,
    criteria: Mapping[str, Tolerance] = WIFI_MODELS,
) -> list[Comparison]:
    """Runs every cell with the seeds 1, 2, ... and compares means by their criteria."""
    runs = [(cell, seed) for cell in cells for seed in range(1, seeds + 1)]
    scenarios = {id(cell): load(cell.scenario) for cell in cells}

    def one(run: tuple[Cell, int]) -> pl.DataFrame:
        cell, seed = run
        return saturate(scenarios[id(cell)], packet=cell.packet, seed=seed)

    frames = []
    with ThreadPoolExecutor(jobs) as pool:
        for done, frame in enumerate(pool.map(one, runs), 1):
            frames.append(frame)
            if on_progress is not None:
                on_progress(done, len(runs))
    found = []
    for i, cell in enumerate(cells):
        own = frames[i * seeds : (i + 1) * seeds]
        for part in cell.parts:
            tolerance = criteria[part.model]
            reference = Reference(
                source=source,
                keys={"model": part.model, "cell": part.name},
                values={m: [v] for m, v in part.expected.items()},
                measures={},
                criteria=dict.fromkeys(part.expected, tolerance),
                scenarios=[cell.scenario],
            )
            measured = [measure(frame, part, cell.payload) for frame in own]
            found.append(Comparison(reference, _metrics(part.expected, tolerance, measured)))
    return found


def _metrics(
    expected: Expected, tolerance: Tolerance, measured: Sequence[Mapping[str, float]]
) -> list[Metric]:
    metrics = []
    for name, theirs in expected.items():
        ours = fmean(m[name] for m in measured)
        ok = tolerance.holds(ours, theirs)
        metrics.append(Metric(name, theirs, theirs, theirs, ours, None, ok, None))
    return metrics


def rows() -> list[Cell]:
    """Every cell of every model."""
    from acklab.validate.models.cells import contention, modes, priorities, sizes

    return [*contention(), *priorities(), *sizes(), *modes()]
