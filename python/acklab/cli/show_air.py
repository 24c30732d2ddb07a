"""Uses of the time on radio channels and counts of OFDMA, as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.cli.show_table import MOST_ROWS, close

if TYPE_CHECKING:
    from rich.table import Table

    from acklab.results import Result


def airtime(result: Result) -> Table:
    """Uses of the time of radio channels, a column each."""
    from rich.table import Table

    table = Table()
    table.add_column("airtime, %")
    by_channel = result.airtime.partition_by("medium", as_dict=True, maintain_order=True)
    for (medium,) in by_channel:
        table.add_column(str(medium), justify="right")
    uses = result.airtime["use"].unique(maintain_order=True)
    shares = [frame["airtime_share"] for frame in by_channel.values()]
    for i, use in enumerate(uses):
        table.add_row(use.replace("_", " "), *(f"{100 * s[i]:.1f}" for s in shares))
    return table


#: The uses of a station's time, as heads of columns.
_USES = {
    "data": "data",
    "transport_ack": "transport\nACKs",
    "mac_ack": "MAC\nACKs",
    "control": "con-\ntrol",
    "collision": "colli-\nsion",
    "noise": "noise",
    "others": "others\nsend",
    "sifs": "SIFS",
    "contention": "conten-\ntion",
    "idle": "idle",
}


def stations(result: Result) -> Table:
    """Uses of the time of each station, a row each; only uses that occurred."""
    import polars as pl
    from rich.table import Table

    from acklab.plots.radio import named

    rows = result.stations
    lengths = dict(result.airtime.group_by("medium").agg(pl.col("airtime_s").sum()).iter_rows())
    uses = {use: head for use, head in _USES.items() if any(rows[f"{use}_s"])}
    table = Table()
    table.add_column("airtime, %")
    for head in uses.values():
        table.add_column(head, justify="right")
    for row in rows.head(MOST_ROWS).iter_rows(named=True):
        shares = (100 * row[f"{use}_s"] / lengths[row["medium"]] for use in uses)
        table.add_row(
            named((row["medium"], row["station"]), len(lengths)), *(f"{s:.1f}" for s in shares)
        )
    close(table, rows.height, "stations")
    return table


#: What an access point and its stations do for OFDMA, as heads of columns.
_OFDMA = {
    "multi_user_ppdus": "multi-user\nPPDUs",
    "polls": "polls",
    "triggers": "Trigger\nframes",
    "triggered_ppdus": "triggered\nPPDUs",
    "random_accesses": "random\naccesses",
    "random_collisions": "random\ncollisions",
}


def ofdma(result: Result) -> Table | None:
    """Counts of OFDMA beside those of all PPDUs with data; none where no station took part."""
    import polars as pl
    from rich.table import Table

    from acklab.plots.radio import named

    rows = result.stations.filter(pl.any_horizontal(pl.col(*_OFDMA) > 0))
    if not len(rows):
        return None
    uses = {count: head for count, head in _OFDMA.items() if any(rows[count])}
    table = Table()
    table.add_column("OFDMA")
    for head in ("PPDUs\nwith data", *uses.values()):
        table.add_column(head, justify="right")
    channels = result.stations["medium"].n_unique()
    for row in rows.head(MOST_ROWS).iter_rows(named=True):
        counts = (str(row[count]) for count in ("data_ppdus", *uses))
        table.add_row(named((row["medium"], row["station"]), channels), *counts)
    close(table, rows.height, "stations")
    return table
