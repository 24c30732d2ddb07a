"""What the thesis, ns-3 and Linux have for a cell; `None` where there is nothing."""

from __future__ import annotations

import csv
import statistics
from functools import cache

from acklab.places import in_repository

#: The names of our controllers in the references.
_IN_NS3 = {"bbr1": "bbr", "cubic": "cubic", "newreno": "newreno", "linuxreno": "linuxreno"}
_IN_NS3 |= {"vegas": "vegas"}
_IN_LINUX = {"bbr1": "bbr", "cubic": "cubic", "newreno": "reno", "linuxreno": "reno"}


def paper_throughput(cc: str, ratio: int) -> float | None:
    """Table 1 of the thesis, Mbit/s."""
    return _matrix("papers", "ack_aggregation_table1.csv").get((cc, ratio))


def ns3(cc: str, ratio: int, column: str) -> float | None:
    """A column of our ns-3 runs with a drop-tail queue of 40 packets (60 s)."""
    if cc not in _IN_NS3:
        return None
    row = _ns3_rows().get((_IN_NS3[cc], ratio))
    return None if row is None else float(row[column])


def linux(cc: str, ratio: int, column: str) -> float | None:
    """The median of a column over the kernel's undisturbed repeats (30 s)."""
    if cc not in _IN_LINUX:
        return None
    rows = _kernel_rows().get((_IN_LINUX[cc], ratio), [])
    return statistics.median(float(r[column]) for r in rows) if rows else None


def paper_fairness(pair: str, ratio: int) -> float | None:
    """Tables 2 and 3 of the thesis: Jain's index; `pair` is `cubic-vegas` or `cubic-cubic`."""
    return _fairness().get((pair, ratio))


def ns3_thesis(cc: str, ratio: int) -> float | None:
    """Mbit/s of ns-3.44 in the set-up `thesis`, ns-3's own default queue included."""
    return _matrix("ns3", "thesis_setup.csv").get((cc, ratio))


def ns3_thesis_fairness(pair: str, ratio: int) -> float | None:
    """Jain's index of two flows of ns-3.44 in the set-up `thesis`."""
    return _matrix("ns3", "thesis_pairs.csv").get((pair, ratio))


def paper_retransmissions(cc: str) -> float | None:
    """What section 4.1 says of Figure 4 in numbers: Vegas has none at any ratio."""
    return 0.0 if cc == "vegas" else None


def favoured(pair: str) -> str | None:
    """The variant that Table 3 says to be generally favoured."""
    with (in_repository("validation") / "papers" / "ack_aggregation_table3.csv").open() as f:
        return {r["pair"]: r["favoured"] for r in csv.DictReader(f)}.get(pair)


@cache
def _matrix(folder: str, name: str) -> dict[tuple[str, int], float]:
    """A table with a row per controller or pair and a column per ratio."""
    with (in_repository("validation") / folder / name).open() as f:
        return {
            (next(iter(row.values())), int(head.split(":")[0])): float(value)
            for row in csv.DictReader(f)
            for head, value in row.items()
            if ":" in head
        }


@cache
def _fairness() -> dict[tuple[str, int], float]:
    same = _matrix("papers", "ack_aggregation_table2.csv")
    mixed = _matrix("papers", "ack_aggregation_table3.csv")
    return {(f"{cc}-{cc}", ratio): v for (cc, ratio), v in same.items()} | mixed


@cache
def _ns3_rows() -> dict[tuple[str, int], dict[str, str]]:
    path = in_repository("validation") / "ns3" / "wired.csv"
    with path.open() as f:
        rows = [r for r in csv.DictReader(f) if r["tag"] == "thin_droptail40"]
    return {(r["tcp"], int(r["thin"])): r for r in rows}


@cache
def _kernel_rows() -> dict[tuple[str, int], list[dict[str, str]]]:
    path = in_repository("validation") / "kernel" / "results.csv"
    cells: dict[tuple[str, int], list[dict[str, str]]] = {}
    with path.open() as f:
        for r in csv.DictReader(f):
            if r["set"] == "main" and r["link"] == "10M48ms" and r["disturbed"] == "0":
                cells.setdefault((r["cc"], int(r["thin"])), []).append(r)
    return cells
