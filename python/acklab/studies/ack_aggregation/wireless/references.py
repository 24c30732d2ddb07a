"""What the thesis and ns-3 have for a cell of Tables 4 and 5; `None` where there is nothing."""

from __future__ import annotations

import csv
from functools import cache

from acklab.places import in_repository

#: The limits of A-MPDU and A-MSDU that ns-3 was given.
_LIMITS = {"none": (0, 0), "amsdu": (0, 7935), "ampdu": (65535, 0), "both": (65535, 7935)}
_SIZES = {4: 4096, 8: 8192, 16: 16384, 32: 32768, 64: 65535}
#: Our runs of ns-3.44, 20 s: as the reference has them, and with segments of 536 B.
_FILES = {
    "ns3": ("wifi_aggregation.csv", "wifi_controllers.csv"),
    "thesis": ("wifi_thesis_setup.csv",),
}


def paper(cc: str, cell: str | int) -> float:
    """Table 4 for a way of aggregating, Table 5 for a limit in KB; Mbit/s."""
    if isinstance(cell, int):
        return _matrix("ack_aggregation_table5.csv")[cc, f"{cell} KB"]
    return _matrix("ack_aggregation_table4.csv")[cc, cell]


def ns3(stack: str, cc: str, cell: str | int) -> float | None:
    """Goodput of ns-3.44 in the set-up `stack`, Mbit/s."""
    if stack not in _FILES:
        return None
    limits = (_SIZES[cell], 0) if isinstance(cell, int) else _LIMITS[cell]
    return _runs(_FILES[stack]).get((cc, *limits))


def vegas_by_start(aggregation: str, *, arp: bool) -> list[tuple[int, float]]:
    """Vegas of ns-3.44 in the set-up `thesis`: start after a tick in us, Mbit/s; with ARP, or with
    neighbours known from the start."""
    limits = tuple(map(str, _LIMITS[aggregation]))
    with (in_repository("validation") / "ns3" / "wifi_vegas_start.csv").open() as f:
        return [
            (int(r["start_us"]), float(r["goodput_mbps"]))
            for r in csv.DictReader(f)
            if (r["ampdu"], r["amsdu"]) == limits and r["arp"] == str(int(arp))
        ]


@cache
def _matrix(name: str) -> dict[tuple[str, str], float]:
    with (in_repository("validation") / "papers" / name).open() as f:
        return {
            (row["cc"], head): float(value)
            for row in csv.DictReader(f)
            for head, value in row.items()
            if head != "cc"
        }


@cache
def _runs(names: tuple[str, ...]) -> dict[tuple[str, int, int], float]:
    found = {}
    for name in names:
        with (in_repository("validation") / "ns3" / name).open() as f:
            for r in csv.DictReader(f):
                key = (r["tcp"], int(r["ampdu"]), int(r["amsdu"]))
                found[key] = float(r["goodput_mbps"])
    return found
