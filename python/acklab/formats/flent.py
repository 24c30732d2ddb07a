"""Flent's data files: `.flent.gz`, version 4."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.errors import AcklabError
from acklab.folder import write_atomically

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

#: Version of the file's layout; Flent 1.0 to 2.3 write it.
VERSION = 4

#: The test of Flent whose plots fit: any number of uploads, and a ping.
TEST = "tcp_nup"

#: Simulated time begins here, as in captures.
EPOCH = "1970-01-01T00:00:00.000000Z"

UPLOAD = "TCP upload"
PING = "Ping (ms) ICMP"

NOTE = (
    "Simulated by acklab. Each TCP upload is the goodput of a flow. "
    "The ping is the mean over flows of the latest RTT that their senders measured."
)

#: Flent's names of samples of a socket's state, and our columns.
SOCKET = {
    "tcp_cwnd": "cwnd_packets",
    "tcp_rtt": "srtt_ms",
    "tcp_pacing_rate": "pacing_mbps",
    "tcp_delivery_rate": "delivery_mbps",
}


def write_flent(result: Result, path: str | os.PathLike[str]) -> Path:
    """Writes the samples of `record.every` as a run of Flent's test `tcp_nup`.

    Its series are "TCP upload::1" and on, one per flow, their average, sum and Jain's index, and
    "Ping (ms) ICMP", for which the senders' own RTT stands.
    """
    result.needs("series")
    series = result.series.filter(result.series["time_s"] > 0)
    names = _names(result)
    if series.is_empty():
        raise AcklabError(
            f"{result.scenario.name}: no sample was taken after the start\n"
            "  help: choose a record.every shorter than the run"
        )
    table = _per_time(series, names)
    data = {
        "version": VERSION,
        "metadata": _metadata(result, table["time_s"], names),
        "x_values": table["time_s"].to_list(),
        "results": {n: table[n].to_list() for n in table.columns if n != "time_s"},
        "raw_values": _raw(series, table, names),
    }
    text = json.dumps(data, indent=1, sort_keys=True, allow_nan=False)
    target = Path(path)
    # No time stamp within: the same run gives the same bytes.
    write_atomically(target, gzip.compress(text.encode(), mtime=0))
    return target


def _names(result: Result) -> dict[str, str]:
    """Flent's name for the series of each flow."""
    return {flow: f"{UPLOAD}::{i}" for i, flow in enumerate(result.flows["flow"], start=1)}


def _per_time(series: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
    """A row per sample's time, a column per series."""
    import polars as pl

    uploads = list(names.values())
    goodput = series.with_columns(name=pl.col("flow").replace_strict(names)).pivot(
        on="name", on_columns=uploads, index="time_s", values="goodput_mbps"
    )
    ping = series.group_by("time_s").agg(pl.col("rtt_ms").mean().alias(PING))
    some = pl.concat_list(uploads).list.drop_nulls()
    total = some.list.sum()
    squares = some.list.eval(pl.element() ** 2).list.sum()
    return (
        goodput.join(ping, on="time_s", how="left")
        .sort("time_s")
        .with_columns(
            some.list.mean().alias(f"{UPLOAD} avg"),
            total.alias(f"{UPLOAD} sum"),
            pl.when(squares > 0)
            .then(total**2 / (some.list.len() * squares))
            .alias(f"{UPLOAD} fairness"),
        )
    )


def _raw(
    series: pl.DataFrame, table: pl.DataFrame, names: dict[str, str]
) -> dict[str, list[dict[str, float]]]:
    """The samples, without columns computed from them; nulls are left out."""
    import polars as pl

    columns = [pl.col(ours).alias(theirs) for theirs, ours in SOCKET.items()]
    raw = {}
    for flow, name in names.items():
        mine = series.filter(pl.col("flow") == flow)
        rows = mine.select(
            pl.col("time_s").alias("t"), pl.col("goodput_mbps").alias("val"), *columns
        )
        raw[name] = [{k: v for k, v in row.items() if v is not None} for row in rows.to_dicts()]
    pings = table.select(t="time_s", val=PING).drop_nulls()
    return raw | {PING: pings.to_dicts()}


def _metadata(result: Result, times: pl.Series, names: dict[str, str]) -> dict[str, Any]:
    step = float(times[1] - times[0]) if len(times) > 1 else float(times[0])
    units = dict.fromkeys((*names.values(), f"{UPLOAD} avg", f"{UPLOAD} sum"), "Mbits/s")
    units |= {f"{UPLOAD} fairness": "Idx", PING: "ms"}
    controllers = dict(zip(result.flows["flow"], result.flows["cc"], strict=True))
    about: dict[str, dict[str, Any]] = {name: {"UNITS": unit} for name, unit in units.items()}
    for flow, name in names.items():
        about[name] |= {"FLOW": flow, "CONGESTION_CONTROL": controllers[flow]}
    return {
        "NAME": TEST,
        "TITLE": result.scenario.name,
        "NOTE": NOTE,
        "TIME": EPOCH,
        "T0": EPOCH,
        "HOST": "acklab",
        "HOSTS": ["acklab"],
        "LOCAL_HOST": "acklab",
        "LENGTH": float(times[-1]),
        "TOTAL_LENGTH": float(times[-1]),
        "STEP_SIZE": step,
        "IP_VERSION": 4,
        "TEST_PARAMETERS": {"upload_streams": str(len(names))},
        "FLENT_VERSION": f"acklab {result.version}",
        "DATA_FILENAME": f"{result.scenario.name}.flent.gz",
        "SERIES_META": about,
    }
