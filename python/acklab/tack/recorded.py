"""Connections as results: the tables that a simulated run has.

An end of a connection sees itself. Where both ends are recorded here, as in a twin run, their
tables are joined. Where only one is, what the other would know is missing (null), but for two
things: bytes that were acknowledged stand for bytes that were received, and a receiver's goodput is
in its samples.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from acklab import _core, made
from acklab.results import Kept, Result, frame_of
from acklab.scenario import Scenario
from acklab.tack.errors import TackError

if TYPE_CHECKING:
    import polars as pl

    from acklab.tack.connecting import Connection


#: Sendings and arrivals of packets that are kept of a connection.
MOST_PACKETS = 1_000_000
#: Distance of the samples.
EVERY = "10 ms"
#: Names of the nodes of a recorded connection.
CLIENT, SERVER = "client", "server"
#: Streams that a live run records.
STREAMS = ("series", "events", "acks", "packets")

#: Columns of `flows` that only the receiver of the data knows.
_RECEIVERS = (
    *("goodput_mbps", "goodput_warm_mbps", "received_bytes", "out_of_order_segments"),
    *("duplicate_segments", "acks_sent", "iacks_sent", "ack_delay_mean_ms"),
)
#: Columns of `flows` that both know, or that say which flow it is.
_COMMON = ("flow", "transport", "cc", "start_s")
#: Columns of `series` that a receiver knows.
_SAMPLED = ("time_s", "flow", "goodput_mbps")


@dataclass(frozen=True)
class End:
    """One end of a connection that was recorded."""

    flow: str
    connection: _core.TackConnection
    #: Whether the flow's data went from here to the other end.
    sends: bool
    #: The nodes from which and to which the data went.
    nodes: tuple[str, str]
    #: Report of the other end, where it is not recorded here.
    peer: Mapping[str, Any] | None = None


class Live(Result):
    """Result of a live run, with the tables of a simulated one."""

    def __init__(self, scenario: Scenario, kept: Kept, ends: Sequence[End], epoch: float) -> None:
        super().__init__(scenario, scenario.seed, kept)
        self._here = {(e.flow, e.nodes[0] if e.sends else e.nodes[1]) for e in ends}
        self._epoch = epoch
        #: Packets that were seen and not kept, because there were too many.
        self.missed = 0

    @property
    def origin(self) -> str:
        """Where it comes from, for exports."""
        return f"live, recorded by acklab {self.version}"

    @property
    def reference_ms(self) -> float:
        """Time zero in milliseconds since 1970."""
        return self._epoch * 1e3

    def saw(self, flow: str, node: str) -> bool:
        """Whether that end of the flow was recorded."""
        return (flow, node) in self._here


class Recorder:
    """Records connections of this process, on one clock that starts now.

    recorder = Recorder("backup")
    with connect(server, key, record=recorder) as connection:
        ...
    recorder.add("backup", connection, sends=True)
    result = recorder.result("to the archive")
    """

    def __init__(self, name: str, most_packets: int = MOST_PACKETS) -> None:
        """`name` is the run's; of each connection at most `most_packets` are kept."""
        self.name = name
        self.core = _core.TackRecord(_template()._core, most_packets)
        self._epoch = time()
        self._ends: list[End] = []

    def alone(self, name: str) -> Recorder:
        """A recorder of some of the same connections."""
        view = copy(self)
        view.name, view._ends = name, []
        return view

    def add(
        self,
        flow: str,
        connection: Connection,
        *,
        sends: bool,
        nodes: tuple[str, str] = (CLIENT, SERVER),
        peer: Mapping[str, Any] | None = None,
    ) -> None:
        """One end of a connection is to be in the result.

        Args:
            flow: what it is called there. The other end of the same connection has the same name.
            connection: was opened or accepted with `record=` this recorder.
            sends: whether the flow's data went from here to the other end.
            nodes: from which to which node they went.
            peer: the report of the other end, if that is not added, too.
        """
        self._ends.append(End(flow, connection.core, sends, nodes, peer))

    def result(self, where: str = "") -> Live:
        """Records of the connections that were added, until now. Once only.

        `where` goes into the description: between whom.
        """
        if not self._ends:
            raise TackError("nothing was recorded: no connection was opened")
        seconds = max(self.core.passed(), 1e-3)
        frames, missed = _frames(self._ends, seconds)
        scenario = _described(self.name, self._ends, frames, seconds, where)
        cost = {"data_packets": int(frames["flows"]["data_segments"].fill_null(0).sum())}
        kept = Kept(_core.version(), made.of_this(), STREAMS, cost, [])
        live = Live(scenario, kept, self._ends, self._epoch)
        live.missed = missed
        vars(live).update(frames)
        return live


def keep(result: Live, folder: str | os.PathLike[str], command: str) -> None:
    """Writes the result as a folder, with qlog of each end that was recorded; `command` made it."""
    from acklab.folder import result_folder

    with result_folder(Path(folder)) as scratch:
        write(result, scratch, command)


def write(result: Live, scratch: Path, command: str) -> None:
    """The same into a folder that is there."""
    from acklab.formats import write_qlog
    from acklab.saving import save

    save(result, scratch, command=command)
    write_qlog(result, scratch)


def _scenario(spec: Mapping[str, Any]) -> Scenario:
    from acklab.scenario import load

    return load(dict(spec))


def _template() -> Scenario:
    """Stands for each connection while it is recorded: as long as a scenario can be."""
    flow = {"name": "flow", "transport": "tack", "cc": "bbr-tack", "from": CLIENT, "to": SERVER}
    return _scenario(_spec("live", "12 h", "1 Gbit/s", "1 ms", [flow]))


def _spec(
    name: str, duration: str, rate: str, delay: str, flows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "name": name,
        "duration": duration,
        "record": {"every": EVERY, "packets": True, "acks": True, "events": True},
        "node": [{"name": CLIENT}, {"name": SERVER}],
        "link": [{"a": CLIENT, "b": SERVER, "rate": rate, "delay": delay, "queue": "1 BDP"}],
        "flow": [dict(f) for f in flows],
    }


def _described(
    name: str, ends: Sequence[End], frames: Mapping[str, pl.DataFrame], seconds: float, where: str
) -> Scenario:
    """A scenario of the same flows over a link that stands for the path."""
    flows = frames["flows"]
    rate = float(flows["sent_mbps"].fill_null(flows["goodput_mbps"]).sum())
    least = flows["rtt_min_ms"].drop_nulls()
    delay = float(least.min()) / 2 if len(least) else 0.0  # type: ignore[arg-type]
    nodes = {e.flow: e.nodes for e in ends}
    spec = _spec(
        name,
        f"{seconds:.3f} s",
        f"{max(rate, 0.001):.3f} Mbit/s",
        f"{delay * 1e3:.0f} us",
        [
            {"name": flow, "transport": "tack", "cc": "bbr-tack", "from": a, "to": b}
            for flow, (a, b) in nodes.items()
        ],
    )
    spec["description"] = (
        f"Recorded live: TACK over UDP {where}. Nothing was simulated. The link stands for the "
        "path: as fast as the flows were together, and half their least RTT long."
    )
    return _scenario(spec)


def _frames(ends: Sequence[End], seconds: float) -> tuple[dict[str, pl.DataFrame], int]:
    """The tables, and how many packets were not kept."""
    import polars as pl

    taken = []
    missed = 0
    template = _template()
    for end in ends:
        run, more = _core.TackRecord.take(end.connection, template._core, end.sends, seconds)
        missed += more
        taken.append((end, run))
    order = list(dict.fromkeys(e.flow for e in ends))
    tables: dict[str, pl.DataFrame] = {}
    for name in ("links", "link_series", "queue_classes", "stations", "airtime", "ampdu_sizes"):
        tables[name] = _table(taken[0][1], name)
    both = {f: {e.sends: (e, r) for e, r in taken if e.flow == f} for f in order}
    tables["flows"] = pl.concat(_flow(f, both[f]) for f in order)
    tables["series"] = pl.concat(_series(f, both[f]) for f in order).sort(
        "time_s", maintain_order=True
    )
    of = {s: [(e, r) for e, r in taken if e.sends == s] for s in (True, False)}
    tables["events"] = _named("events", of[True] or taken[:1], bool(of[True]))
    tables["reports"] = _named("reports", of[False] or taken[:1], bool(of[False]))
    tables["acks"] = _named("acks", taken, True)
    tables["packets"], tables["tack_contents"] = _packets(taken)
    return tables, missed


def _table(run: _core.Run, name: str) -> pl.DataFrame:
    from acklab.results import _COLUMNS

    known = _COLUMNS.get(name)
    return frame_of(known(run) if known else getattr(run, name)())


def _named(name: str, taken: Sequence[tuple[End, _core.Run]], any_: bool) -> pl.DataFrame:
    """The table of all ends, by time."""
    import polars as pl

    parts = [_table(run, name).with_columns(pl.lit(end.flow).alias("flow")) for end, run in taken]
    whole = pl.concat(parts).sort("time_s", maintain_order=True)
    return whole if any_ else whole.clear()


_Ends = Mapping[bool, tuple[End, _core.Run]]


def _flow(flow: str, ends: _Ends) -> pl.DataFrame:
    """The row of a flow."""
    import polars as pl

    rows = {sends: _table(run, "flows") for sends, (_, run) in ends.items()}
    frame = rows.get(True, rows.get(False))
    assert frame is not None
    columns: list[pl.Expr] = [pl.lit(flow).alias("flow")]
    if True not in rows:
        own = (*_COMMON, *_RECEIVERS)
        columns += [
            pl.lit(None, dtype=frame[c].dtype).alias(c) for c in frame.columns if c not in own
        ]
    elif False in rows:
        columns += [pl.lit(rows[False][c][0], dtype=frame[c].dtype).alias(c) for c in _RECEIVERS]
    else:
        known = _of_peer(frame, ends[True][0])
        columns += [pl.lit(known.get(c), dtype=frame[c].dtype).alias(c) for c in _RECEIVERS]
    return frame.with_columns(columns)


def _of_peer(frame: pl.DataFrame, sender: End) -> dict[str, Any]:
    """Values that a sender knows of its receiver, or that the receiver has reported."""
    goodput = frame["acked_mbps"][0]
    known = {"goodput_mbps": goodput, "goodput_warm_mbps": goodput}
    if (peer := sender.peer) is None:
        return known | {"received_bytes": sender.connection.report()["acked_bytes"]}
    return known | {k: peer[k] for k in ("received_bytes", "acks_sent", "iacks_sent")}


def _series(flow: str, ends: _Ends) -> pl.DataFrame:
    """The samples of a flow."""
    import polars as pl

    frames = {sends: _table(run, "series") for sends, (_, run) in ends.items()}
    named = pl.lit(flow).alias("flow")
    if True not in frames:
        frame = frames[False]
        gone = [
            pl.lit(None, dtype=frame[c].dtype).alias(c) for c in frame.columns if c not in _SAMPLED
        ]
        return frame.with_columns(named, *gone)
    frame = frames[True].with_columns(named)
    if False in frames:
        read_ = frames[False].select("time_s", "goodput_mbps")
        joined = frame.drop("goodput_mbps").join(read_, on="time_s", how="left")
        return joined.with_columns(pl.col("goodput_mbps").fill_null(0.0)).select(frame.columns)
    passed = pl.col("time_s").diff()
    acked = pl.col("acked_bytes").cast(pl.Int64).diff() * 8e-6 / passed
    return frame.with_columns(acked.fill_null(0.0).alias("goodput_mbps"))


def _packets(
    taken: Sequence[tuple[End, _core.Run]],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Packets at the ends, and their contents; each packet has one number at both ends."""
    import polars as pl

    packets, contents = [], []
    for end, run in taken:
        seen, inside = _table(run, "packets"), _table(run, "tack_contents")
        # Recorded as if the data went from here.
        ways = ("forward", "reverse") if end.sends else ("reverse", "forward")
        here = end.nodes[0] if end.sends else end.nodes[1]
        seen = seen.with_columns(
            pl.lit(end.flow).alias("flow"),
            pl.lit(here).alias("point"),
            pl.when(pl.col("direction") == "forward")
            .then(pl.lit(ways[0]))
            .otherwise(pl.lit(ways[1]))
            .alias("direction"),
        )
        inside = inside.with_columns(pl.lit(end.flow).alias("flow"))
        whose = seen.select("packet", "direction").unique("packet")
        packets.append(seen.join(inside.select("packet", "number", "feedback"), on="packet"))
        contents.append(inside.join(whose, on="packet"))
    key = ["flow", "direction", "feedback", "number"]
    whole = pl.concat(packets).sort("time_ns", maintain_order=True)
    ids = whole.select(key).unique(maintain_order=True).with_row_index("_id")
    kind = whole["packet"].dtype
    numbered = pl.col("_id").cast(kind).alias("packet")
    rows = (
        whole.join(ids, on=key, how="left", maintain_order="left")
        .with_columns(numbered)
        .drop("_id", "number", "feedback")
    )
    inside = (
        pl.concat(contents)
        .unique(key, maintain_order=True)
        .join(ids, on=key, how="left", maintain_order="left")
        .with_columns(numbered)
        .sort("packet")
        .drop("_id", "direction")
    )
    return rows, inside


__all__ = ["CLIENT", "SERVER", "End", "Live", "Recorder", "keep"]
