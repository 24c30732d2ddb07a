"""What the paper and ns-3.44 have for a cell; `None` where there is nothing."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from statistics import fmean
from typing import Any

from acklab.places import in_repository
from acklab.studies.tac.quantities import over_flows
from acklab.studies.tac.stacks import DEFAULT

Keys = Mapping[str, str | int]


@dataclass(frozen=True)
class Stated:
    """A number that the paper's text states."""

    value: float
    #: "about", "at least" or "at most".
    sense: str


def paper(artefact: str, keys: Keys, quantity: str) -> Stated | None:
    """Section II and IV: what the text says; nothing is read off figures."""
    for row in _stated():
        if (row["artefact"], row["scheme"], row["quantity"]) != (
            artefact,
            keys["scheme"],
            quantity,
        ):
            continue
        at = [("buffer", keys["buffer"]), ("stations", keys["stations"])]
        at.append(("kilobytes", keys["kilobytes"]))
        if all(row[name] in ("", str(value)) for name, value in at):
            return Stated(float(row["value"]), row["is"])
    return None


def ns3(keys: Keys, quantity: str) -> float | None:
    """Of ns-3.44 without any scheme or bit errors, 200 packets: mean of its runs, of 20 s if any.

    They are of ns-3's own TCP, and stand beside the study's default, not beside Linux's.
    """
    if (keys["stack"], keys["scheme"], keys["buffer"]) != (DEFAULT, "agg", 200):
        return None
    return _ns3().get((int(keys["stations"]), int(keys["kilobytes"])), {}).get(quantity)


@cache
def _stated() -> list[dict[str, str]]:
    with (in_repository("validation") / "papers" / "tac.csv").open() as f:
        return list(csv.DictReader(f))


@cache
def _ns3() -> dict[tuple[int, int], dict[str, float]]:
    """By stations and kilobytes."""
    runs: dict[tuple[int, int], list[dict[str, float]]] = {}
    with (in_repository("validation") / "ns3" / "wifi_stations.csv").open() as f:
        for _, found in groupby(csv.DictReader(f), lambda r: r["args"]):
            flows = list(found)
            at = (int(flows[0]["n"]), int(flows[0]["ampdu"]) // 1024)
            runs.setdefault(at, []).append(_quantities(flows))
    return {
        at: {name: fmean(of[name] for of in all_) for name in all_[0]} for at, all_ in runs.items()
    }


def _quantities(flows: list[dict[str, Any]]) -> dict[str, float]:
    losses = [
        int(f["ap_drop_full"]) / max(int(f["ap_drop_full"]) + int(f["acks_rx"]), 1) for f in flows
    ]
    return {
        "throughput_mbps": float(flows[0]["sum_mbps"]),
        "jain": float(flows[0]["jain"]),
        **over_flows(losses),
    }
