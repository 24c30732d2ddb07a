"""The cells of Figures 2, 3, 5 and 6, and of the same with a modern TCP."""

from __future__ import annotations

from acklab.studies.study import Cell, Effort
from acklab.studies.tac.schemes import PAPER
from acklab.studies.tac.setup import (
    BUFFERS,
    KILOBYTES,
    QUICK_KILOBYTES,
    QUICK_STATIONS,
    STATIONS,
    Setting,
    cell,
)
from acklab.studies.tac.stacks import MODERN

#: Section IV.3: "the moderate bit error rate".
BIT_ERROR_RATE = 1e-5


def kilobytes(effort: Effort) -> tuple[int, ...]:
    """Values of Lmax."""
    return QUICK_KILOBYTES if effort.quick else KILOBYTES


def stations(effort: Effort) -> tuple[int, ...]:
    """Values of N."""
    return QUICK_STATIONS if effort.quick else STATIONS


def by_buffer(effort: Effort) -> list[Cell]:
    """Figures 2 and 3: Lmax and B, without any scheme."""
    return [
        cell(Setting(kilobytes=size, buffer=buffer), effort)
        for size in kilobytes(effort)
        for buffer in BUFFERS
    ]


def by_stations(effort: Effort) -> list[Cell]:
    """Figure 5: N and scheme."""
    return [
        cell(Setting((scheme,), stations=n), effort) for n in stations(effort) for scheme in PAPER
    ]


def by_size(effort: Effort) -> list[Cell]:
    """Figure 6: Lmax and scheme, with bit errors."""
    return [
        cell(Setting((scheme,), kilobytes=size, bit_error_rate=BIT_ERROR_RATE), effort)
        for size in kilobytes(effort)
        for scheme in PAPER
    ]


def modern(effort: Effort) -> list[Cell]:
    """Figure 5 and the guarded filter with both TCPs; those of Figure 5 itself are run once."""
    schemes = (*PAPER, "tac-guarded")
    found = [
        cell(Setting((scheme,), stations=n, stack=MODERN), effort)
        for n in stations(effort)
        for scheme in schemes
    ]
    found += [cell(Setting(("tac-guarded",), stations=n), effort) for n in stations(effort)]
    return found + by_stations(effort)


def modern_by_buffer(effort: Effort) -> list[Cell]:
    """Figures 2 and 3 with a modern TCP."""
    return [
        cell(Setting(kilobytes=size, buffer=buffer, stack=MODERN), effort)
        for size in kilobytes(effort)
        for buffer in BUFFERS
    ]


def modern_by_size(effort: Effort) -> list[Cell]:
    """Figure 6 with a modern TCP."""
    return [
        cell(
            Setting((scheme,), kilobytes=size, stack=MODERN, bit_error_rate=BIT_ERROR_RATE),
            effort,
        )
        for size in kilobytes(effort)
        for scheme in PAPER
    ]
