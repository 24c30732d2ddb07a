"""A recorded run of the dumbbell: its bottleneck, its packets, its rate over time."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from acklab.results import Result, frame_of
from acklab.studies.values import of_flow, once_per_run

from .cells_wired import DATA, START_S

if TYPE_CHECKING:
    import polars as pl

Line = list[tuple[float, float]]
#: From here on a flow has found its rhythm: even in the set-up `thesis` 5 s after its first data.
SETTLED_S = START_S + 8
#: A flow has started once the bottleneck is busy for so much of so many seconds.
FULL, FULL_S = 0.9, 0.5


def variation(values: Sequence[float]) -> float | None:
    """The coefficient of variation."""
    return pstdev(values) / fmean(values) if values and fmean(values) > 0 else None


def mean(values: pl.Series) -> float | None:
    """The mean, or `None` of nothing."""
    m = values.mean()
    return None if m is None else float(m)  # type: ignore[arg-type]


def median(values: pl.Series) -> float | None:
    """The median, or `None` of nothing."""
    m = values.drop_nulls().median()
    return None if m is None else float(m)  # type: ignore[arg-type]


def settled(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a table after the start."""
    import polars as pl

    return frame.filter(pl.col("time_s") >= SETTLED_S)


@once_per_run
def series(r: Result) -> pl.DataFrame:
    """The samples of the senders after the start."""
    return settled(r.series)


@once_per_run
def seconds(r: Result) -> float:
    """How long the flows had."""
    return float(r.series["time_s"].max()) - START_S  # type: ignore[arg-type]


def end(r: Result) -> float:
    """When the run ended, s."""
    return START_S + seconds(r)


def acks(r: Result, what: str) -> pl.DataFrame:
    """ACKs that the receiver `sent`, the queue `released`, or the sender `received`."""
    import polars as pl

    return r.acks.filter(pl.col("what") == what)


@once_per_run
def received(r: Result) -> pl.DataFrame:
    """ACKs that reached the sender after the start."""
    return settled(acks(r, "received"))


@once_per_run
def released(r: Result) -> pl.DataFrame:
    """ACKs that the queue let go after the start."""
    return settled(acks(r, "released"))


def events(r: Result, event: str) -> pl.DataFrame:
    """The events of that kind."""
    import polars as pl

    return r.events.filter(pl.col("event") == event)


def rates(r: Result, width: float, flow: int = 0) -> Line:
    """Acknowledged payload, Mbit/s, in bins of `width` seconds that end at the times given."""
    import polars as pl

    name = r.flows["flow"][flow]
    ends = (
        r.series.filter((pl.col("flow") == name) & (pl.col("time_s") > START_S + 1e-6))
        .group_by(
            ((pl.col("time_s") - START_S - 1e-6) / width).floor().alias("bin"),
            maintain_order=True,
        )
        .agg(pl.col("acked_bytes").last())
    )
    bytes_ = ends["acked_bytes"].cast(pl.Float64)
    each = (bytes_.diff().fill_null(bytes_.first()) * 8 / width / 1e6).to_list()
    return [((b + 1) * width, v) for b, v in zip(ends["bin"], each, strict=True)]


@once_per_run
def packets(r: Result) -> pl.DataFrame:
    """The fate of data at the bottleneck; `end` is the offset behind a packet's payload."""
    import polars as pl

    columns = r.columns("packets")
    wanted = ("time_ns", "packet", "direction", "what", "size", "seq", "len")
    forward = frame_of({k: columns[k] for k in wanted}).filter(pl.col("direction") == "forward")
    first = int(forward["seq"][0]) + 1
    # Sequence numbers wrap; no flow here sends 4 GiB.
    behind = (pl.col("seq").cast(pl.Int64) + pl.col("len") - first) % 2**32
    data = forward.filter(pl.col("len") > 0)
    return data.select((pl.col("time_ns") / 1e9).alias("at"), "packet", "what", behind.alias("end"))


@once_per_run
def busy(r: Result) -> pl.DataFrame:
    """`time_s`, and how long the bottleneck was `busy` since the sample before, s.

    That is what the senders sent, less what was dropped or queued, at the link's rate.
    """
    import polars as pl

    step = pl.col("time_s").diff()
    sent = r.series.group_by("time_s", maintain_order=True).agg(pl.col("throughput_mbps").sum())
    queue = r.link_series.filter(pl.col("link") == DATA).select(
        "time_s",
        pl.col("queue_bytes").cast(pl.Float64).diff().alias("grew"),
        pl.col("dropped").cast(pl.Float64).diff().alias("lost"),
    )
    link = r.links.filter(pl.col("link") == DATA).row(0, named=True)
    packet = link["bytes_out"] / max(link["packets_out"], 1)
    # The link's own counters include its overhead, the recorded sizes do not.
    per_byte = link["utilisation"] * end(r) / max(link["bytes_out"], 1)
    came = pl.col("throughput_mbps").fill_null(0.0) * 1e6 / 8 * step
    through = came - pl.col("grew") - packet * pl.col("lost")
    return sent.join(queue, on="time_s").select("time_s", (through * per_byte).alias("busy"))


def idle(r: Result, since: float, until: float) -> float:
    """Seconds in an interval in which the bottleneck had nothing to send."""
    if until <= since:
        return 0.0
    times = busy(r)["time_s"]
    within = busy(r)["busy"].filter((times > since) & (times <= until))
    return max(0.0, until - since - float(within.sum()))


@once_per_run
def first(r: Result) -> float:
    """When the first data reached the receiver, s; the end if none did."""
    sent = acks(r, "sent").head(1)
    return end(r) if sent.is_empty() else sent["time_s"][0] - float(sent["delay_s"][0] or 0.0)


@once_per_run
def full(r: Result) -> float:
    """When the bottleneck was first busy for half a second; the end if it never was."""
    import polars as pl

    bins = (
        busy(r)
        .group_by(((pl.col("time_s") - START_S - 1e-6) / FULL_S).floor().alias("b"))
        .agg(pl.col("busy").sum())
        .filter((pl.col("b") >= 0) & (pl.col("busy") >= FULL * FULL_S))
    )
    return end(r) if bins.is_empty() else START_S + float(bins["b"].min()) * FULL_S  # type: ignore[arg-type]


def link_payload(r: Result) -> float:
    """Payload that the bottleneck can carry, Mbit/s: without IPv4, TCP and timestamps, 52 B."""
    link = r.links.filter(link=DATA).row(0, named=True)
    spent = link["utilisation"] * end(r)
    share = 1 - 52 * link["packets_out"] / link["bytes_out"]
    return float(link["bytes_out"] * 8 / spent / 1e6 * share)


def smoothed(r: Result) -> bool:
    """ns-3 hands the smoothed RTT to Vegas, Linux that of the newest segment."""
    return r.scenario.name.split("-")[2] != "linux"


@once_per_run
def newest(r: Result) -> pl.DataFrame:
    """Of the newest segment of each ACK: `rtt`, and `wait` at the bottleneck, ms."""
    import polars as pl

    of = packets(r)
    queued = of.filter(pl.col("what") == "queued").select("packet", "end", "at")
    left = of.filter(pl.col("what") == "left").select("packet", pl.col("at").alias("left"))
    ways = queued.join(left, on="packet").unique("end", keep="last", maintain_order=True)
    new = acks(r, "received").filter(pl.col("segments") > 0)
    found = new.select("time_s", pl.col("ack_bytes").cast(pl.Int64).alias("end")).join(
        ways, on="end"
    )
    # From the sender to the bottleneck: 2 ms and a segment's 0.12 ms.
    return found.select(
        "time_s",
        ((pl.col("time_s") - pl.col("at") + 0.00212) * 1e3).alias("rtt"),
        ((pl.col("left") - pl.col("at")) * 1e3).alias("wait"),
    )


@once_per_run
def stalls(r: Result, longer: float = 0.5) -> Line:
    """Times between which nothing new was acknowledged for so long, s, after the start."""
    found, since, last = [], None, None
    for t, acked in series(r).select("time_s", "acked_bytes").iter_rows():
        if acked != last:
            if since is not None and t - since > longer:
                found.append((since, t))
            since, last = t, acked
    return found


@once_per_run
def drops(r: Result) -> pl.DataFrame:
    """`lost` since the sample before, and the `phase` that it fell in."""
    import polars as pl

    link = r.link_series.filter(pl.col("link") == DATA)
    lost = link.select("time_s", pl.col("dropped").cast(pl.Int64).diff().fill_null(0).alias("lost"))
    probing = pl.col("state") == "PROBE_BW_UP"
    # A sample sees the state at its end; a probe that just ended was probing before.
    either = probing | probing.shift(1, fill_value=False)
    start = pl.col("time_s") < SETTLED_S
    phase = pl.when(start).then(pl.lit("start")).when(either).then(pl.lit("probing"))
    return r.series.select("time_s", phase.otherwise(pl.lit("else")).alias("phase")).join(
        lost, on="time_s"
    )


def state(r: Result, name: str) -> pl.DataFrame:
    """The samples after the start in a state of the controller."""
    import polars as pl

    return series(r).filter(pl.col("state") == name)


def growth(frame: pl.DataFrame) -> float | None:
    """Packets by which a window grows per second, its reductions left out."""
    import polars as pl

    steps = frame.select(pl.col("cwnd_packets").diff().alias("by"), pl.col("time_s").diff())
    # A reduction and the recovery after it take a few samples, each of which changes much.
    calm = steps.filter(pl.col("by").abs() <= 4)
    time = float(calm["time_s"].sum())
    return float(calm["by"].sum()) / time if time > 0 else None


def overflows(r: Result, same_s: float = 1.0) -> pl.Series:
    """When the queue overflowed after the start, s.

    ns-3 leaves recovery and enters it again for what else was lost: within a second it is one.
    """
    import polars as pl

    at = settled(events(r, "recovery_enter"))
    return at.filter((pl.col("time_s").diff() > same_s).fill_null(True))["time_s"]


@once_per_run
def flow(r: Result, i: int) -> dict[str, object]:
    """The row of a flow."""
    return r.flows.row(i, named=True)


@once_per_run
def before_data(r: Result) -> float:
    """Segments sent again by the first sample that has data acknowledged: the SYN."""
    again = r.series["retransmissions"]
    at = again.filter(r.series["acked_bytes"] > 0).head(1)
    return float((again if at.is_empty() else at).max() or 0)  # type: ignore[arg-type]


def count(r: Result, column: str) -> float:
    """A count of the first flow."""
    return float(of_flow(r, column) or 0.0)
