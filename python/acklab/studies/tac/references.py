"""What the paper and ns-3.44 have for a cell; `None` where there is nothing."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from statistics import fmean
from typing import Any

from acklab.places import in_repository
from acklab.studies.tac.quantities import of_flows
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
    """Of ns-3.44 without any scheme or bit errors: mean of its runs, of 20 s if any.

    They are of ns-3's own TCP, and stand beside the study's default, not beside Linux's.
    """
    if (keys["stack"], keys["scheme"]) != (DEFAULT, "agg") or quantity not in QUANTITIES:
        return None
    at = (int(keys["stations"]), int(keys["kilobytes"]), int(keys["buffer"]))
    found = ns3_runs().get(at)
    return fmean(of[quantity] for of in found.values()) if found else None


@cache
def _stated() -> list[dict[str, str]]:
    with (in_repository("validation") / "papers" / "tac.csv").open() as f:
        return list(csv.DictReader(f))


#: What ns-3's runs tell of a cell; its RTTs are means over ACKs, not over time as here.
QUANTITIES = (
    *("throughput_mbps", "jain", "flows_without_loss", "loss_goodput_correlation"),
    *("ack_loss_mean", "ack_loss_sd", "ack_loss_min", "ack_loss_max"),
    *("flows_under_2_percent", "flows_over_12_percent"),
)
#: Files, and what in the arguments of a run makes it one of another set-up than the reference's.
_FILES = ("wifi_stations.csv", "wifi_losses.csv")
_OTHERWISE = ("--delack", "--dist", "MaxDelay")


@cache
def ns3_runs() -> Mapping[tuple[int, int, int], Mapping[int, Mapping[str, float]]]:
    """By stations, kilobytes and packets in the access point: what each run has, by its number."""
    runs: dict[tuple[int, int, int], dict[int, dict[int, dict[str, float]]]] = {}
    for flows in flows_of_runs(*_FILES):
        first = flows[0]
        if any(of in first["args"] for of in _OTHERWISE):
            continue
        args = dict(word.partition("=")[::2] for word in first["args"].split()[1:])
        at = (int(first["n"]), int(first["ampdu"]) // 1024, int(first["apq"]))
        of_length = runs.setdefault(at, {}).setdefault(int(args["--dur"]), {})
        of_length[int(args.get("--run", 1))] = of_run(flows)
    return {at: of_lengths[max(of_lengths)] for at, of_lengths in runs.items()}


def flows_of_runs(*files: str) -> Iterator[list[dict[str, str]]]:
    """The rows of each of ns-3's runs, one for each flow."""
    for name in files:
        with (in_repository("validation") / "ns3" / name).open() as f:
            for _, flows in groupby(csv.DictReader(f), lambda r: r["args"]):
                yield list(flows)


def of_run(flows: list[dict[str, Any]]) -> dict[str, float]:
    """What a run of ns-3 has."""
    losses = [
        int(f["ap_drop_full"]) / max(int(f["ap_drop_full"]) + int(f["acks_rx"]), 1) for f in flows
    ]
    return {
        "throughput_mbps": float(flows[0]["sum_mbps"]),
        "jain": float(flows[0]["jain"]),
        **of_flows(losses, [float(f["goodput_mbps"]) for f in flows]),
    }
