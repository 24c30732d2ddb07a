"""Recorded runs for the mechanisms, and what is read from their tables.

One seed of most cells: a mechanism is shown by a trace, its spread over seeds by the other tables.

All tables made here are long: the cell's keys, `seed`, `quantity`, `time_s` (null for what is one
number per run), `value`, and `seconds`, the length of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acklab.results import Result, frame_of
from acklab.studies.ack_aggregation.cells import (
    PAIRS,
    PAPER_CONTROLLERS,
    RATIOS,
    SETUPS,
    START_S,
    Setup,
    duration,
    scenario,
)
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.values import of_flow, once_per_run

if TYPE_CHECKING:
    import polars as pl

#: The bottleneck's two directions.
DATA, ACKS = "left->right", "right->left"
#: Between samples, s.
SAMPLE_S = 0.05
#: The bottleneck, bit/s, headers included.
RATE = 10e6
#: As stated 8:1 and 16:1 are one run, which the table `mechanism` shows for all seeds.
TRACED = {"ns3": (1, 2, 4, 8), "linux": (1, 2, 4, 8), "thesis": RATIOS}
#: Pairs as stated are traced without and with much aggregation.
TRACED_PAIRS = {"ns3": (1, 8), "linux": (1, 8), "thesis": RATIOS}
#: Cells that differ from start to start, traced with more.
MORE_SEEDS = {
    ("thesis", "vegas", 1): 5,
    ("thesis", "vegas", 8): 5,
    ("thesis", "bbr3", 8): 7,
    ("ns3", "bbr3", 1): 3,
    ("ns3", "bbr3", 8): 3,
}
#: From here on a flow has found its rhythm: even in the set-up `thesis` 5 s after its first data.
SETTLED_S = START_S + 8

#: What is read from a run; `None` where there is no such thing.
Quantity = Callable[[Result], float | None]
Line = tuple[float, float]


def cells(effort: Effort) -> list[Cell]:
    """One flow, with everything recorded that its mechanisms are read from.

    The set-ups `untimed-...` are the same without the queue's timer, at the highest ratio.
    """
    untimed = [
        Cell(
            {"stack": f"untimed-{stack}", "cc": cc, "ratio": RATIOS[-1]},
            _recorded(
                scenario(_untimed(setup), (cc,), RATIOS[-1], effort),
                acks=True,
                packets=[DATA] if _watched(stack, cc, RATIOS[-1]) else False,
            ),
            seeds=1,
        )
        for stack, setup in SETUPS.items()
        for cc in PAPER_CONTROLLERS
    ]
    return untimed + [
        Cell(
            {"stack": stack, "cc": cc, "ratio": ratio},
            _recorded(
                scenario(SETUPS[stack], (cc,), ratio, effort),
                acks=True,
                packets=[DATA] if _watched(stack, cc, ratio) else False,
            ),
            seeds=MORE_SEEDS.get((stack, cc, ratio), 1),
        )
        for stack, ratios in TRACED.items()
        for cc in PAPER_CONTROLLERS
        for ratio in ratios
    ]


def _untimed(setup: Setup) -> Setup:
    return replace(setup, thinner={**setup.thinner, "timeout": "none"})


def _watched(stack: str, cc: str, ratio: int) -> bool:
    """Whether packets matter: for Vegas' RTTs, for bursts, for ns-3's lost repetitions."""
    return cc == "vegas" or (stack, cc) == ("ns3", "cubic") or (cc == "bbr3" and ratio in (1, 8))


def pair_cells(effort: Effort) -> list[Cell]:
    """Two flows; of the set-up `thesis` the ACKs' way too, where handshakes get lost."""
    return [
        Cell(
            {"stack": stack, "pair": "-".join(pair), "ratio": ratio},
            _recorded(
                scenario(SETUPS[stack], pair, ratio, effort, duration(effort)),
                packets=[ACKS] if stack == "thesis" and ratio > 1 else False,
            ),
            seeds=1,
        )
        for stack in SETUPS
        for pair in PAIRS
        for ratio in TRACED_PAIRS[stack]
    ]


def _recorded(cell: Mapping[str, Any], **streams: Any) -> dict[str, Any]:
    """The scenario with recording in place of the samples that it may ask for."""
    rest = {k: v for k, v in cell.items() if k != "sample_every"}
    return {**rest, "record": {"every": f"{1e3 * SAMPLE_S:g} ms", "events": True, **streams}}


def table(
    outcomes: Iterable[Outcome],
    quantities: Mapping[str, Quantity],
    lines: Mapping[str, Callable[[Result], Sequence[Line]]] | None = None,
) -> pl.DataFrame:
    """The long table of these quantities and lines of every run."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for o in outcomes:
        for r in o.results:
            keys = {**o.keys, "seed": r.seed}
            end = {"seconds": seconds(r)}
            for name, of in quantities.items():
                rows.append({**keys, "quantity": name, "time_s": None, "value": of(r), **end})
            for name, line in (lines or {}).items():
                rows += [
                    {**keys, "quantity": name, "time_s": t, "value": v, **end} for t, v in line(r)
                ]
    floats = {"time_s": pl.Float64, "value": pl.Float64, "seconds": pl.Float64}
    return pl.DataFrame(rows, schema_overrides=floats, infer_schema_length=None)


def seconds(r: Result) -> float:
    """How long the flows had."""
    return float(r.link_series["time_s"].max()) - START_S  # type: ignore[arg-type]


def started(r: Result) -> float:
    """When the (first) flow opened its connection, s."""
    return float(of_flow(r, "start_s"))


@once_per_run
def packets(r: Result) -> pl.DataFrame:
    """What happened to data at the bottleneck: `at` (s), `packet`, `what`, `size`, `end`.

    `end` is the offset behind a packet's payload, as ACKs count it.
    """
    import polars as pl

    columns = r.columns("packets")
    wanted = ("time_ns", "packet", "direction", "what", "size", "seq", "len")
    forward = frame_of({k: columns[k] for k in wanted}).filter(pl.col("direction") == "forward")
    first = int(forward["seq"][0]) + 1
    # Sequence numbers wrap; no flow here sends 4 GiB.
    end = (pl.col("seq").cast(pl.Int64) + pl.col("len") - first) % 2**32
    data = forward.filter(pl.col("len") > 0)
    return data.select(
        (pl.col("time_ns") / 1e9).alias("at"), "packet", "what", "size", end.alias("end")
    )


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
    # What the link itself counts has its overhead, the recorded sizes do not.
    whole = link["utilisation"] * (seconds(r) + START_S)
    per_byte = whole / max(link["bytes_out"], 1)
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


def acked_rates(r: Result, width: float, flow: int = 0) -> list[Line]:
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
    rates = (bytes_.diff().fill_null(bytes_.first()) * 8 / width / 1e6).to_list()
    return [((b + 1) * width, v) for b, v in zip(ends["bin"], rates, strict=True)]


@once_per_run
def settled_series(r: Result) -> pl.DataFrame:
    """The samples of the senders after the start."""
    return settled(r.series)


def settled(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a table after the start."""
    import polars as pl

    return frame.filter(pl.col("time_s") >= SETTLED_S)


def mean(values: pl.Series) -> float | None:
    """The mean, or `None` of nothing."""
    m = values.mean()
    return None if m is None else float(m)  # type: ignore[arg-type]


def provenance(table: pl.DataFrame) -> str:
    """A figure's footer: run, seeds, length, version."""
    from acklab._core import version

    last, length = int(table["seed"].max()), float(table["seconds"].max())  # type: ignore[arg-type]
    seeds = "seed 1" if last == 1 else f"seeds 1 to {last}"
    return f"ack-aggregation · {seeds} · {length:g} s · acklab {version()}"
