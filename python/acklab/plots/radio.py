"""Uses of a radio channel: names, colours and hatches that all figures of them share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acklab.plots.recorded import Recorded

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Look:
    """How something is called and drawn; grey tells apart what it is not, or its hatch does."""

    label: str
    light: str
    dark: str
    hatch: str = ""
    #: Of a lane of the timeline; the rest is taken up by what answers or announces.
    height: float = 0.8

    @property
    def fill(self) -> dict[str, Any]:
        """Matplotlib's keywords for areas."""
        return {
            "facecolor": self.light,
            "hatch": self.hatch,
            "edgecolor": "#ffffff",
            "linewidth": 0,
        }


#: Uses of the time of a channel or a station, from the bottom of a stack to its top.
USES: Mapping[str, Look] = {
    "data": Look("data", "#0072B2", "#4BA8E8"),
    "transport_ack": Look("transport ACKs", "#E69F00", "#F0B73F"),
    "mac_ack": Look("ACK, Block Ack", "#009E73", "#2BC9A0", "////"),
    "control": Look("RTS, CTS, BAR", "#CC79A7", "#E29CC5", "...."),
    "collision": Look("collision", "#D55E00", "#F0803C", "xxxx"),
    "noise": Look("lost to noise", "#8C2D04", "#C9704A", "++++"),
    "others": Look("others send", "#CFE3F2", "#34505F"),
    "sifs": Look("SIFS", "#7a7a7a", "#9a9a9a", "\\\\\\\\"),
    "contention": Look("contention", "#b5b5b5", "#6e6e6e"),
    "idle": Look("idle", "#ebebeb", "#454545"),
}

#: Those in which a station sends.
SENT = ("data", "transport_ack", "mac_ack", "control", "collision", "noise")

#: PPDUs, in the order of the legend.
KINDS: Mapping[str, Look] = {
    "data": USES["data"],
    "transport ACKs": USES["transport_ack"],
    "ACK, Block Ack": Look("ACK, Block Ack", "#009E73", "#2BC9A0", height=0.5),
    "RTS, CTS": Look("RTS, CTS", "#CC79A7", "#E29CC5", height=0.5),
    "BAR": Look("BAR", "#56B4E9", "#9AD6FA", height=0.3),
    "Trigger": Look("Trigger, status", "#999933", "#C8C86A", height=0.4),
    "ADDBA": Look("ADDBA", "#A6761D", "#D2A95C", height=0.5),
    "ARP": Look("ARP", "#8C6BB1", "#B79AD8", height=0.5),
}


def kind_of() -> pl.Expr:
    """Which of `KINDS` a row of the table `ppdus` is."""
    import polars as pl

    control = {"rts": "RTS, CTS", "cts": "RTS, CTS", "cts_to_self": "RTS, CTS", "bar": "BAR"}
    control |= {"trigger": "Trigger", "buffer_status": "Trigger"}
    control |= {"addba_request": "ADDBA", "addba_response": "ADDBA"}
    answers = {"ack": "ACK, Block Ack", "block_ack": "ACK, Block Ack"}
    answers |= {"multi_block_ack": "ACK, Block Ack"}
    of_kind = pl.col("kind").replace_strict(control | answers, default="data")
    only_acks = pl.col("use") == "transport_ack"
    group = pl.col("kind") == "group"
    arp = group | ((pl.col("kind") == "data") & (pl.col("use") == "control"))
    of_data = pl.when(only_acks).then(pl.lit("transport ACKs")).when(arp).then(pl.lit("ARP"))
    return of_data.otherwise(of_kind).alias("what")


def lanes(source: Recorded) -> list[tuple[str, str]]:
    """Every station as a pair of channel and node, the access point of each channel first."""
    stations = source.table("stations")
    return [] if stations is None else stations.select("medium", "station").rows()


def named(who: tuple[str, str], channels: int) -> str:
    """A station's name, with its channel where there are several."""
    channel, station = who
    return station if channels < 2 else f"{channel}: {station}"
