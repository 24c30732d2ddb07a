"""What the runs say: a row per controller, path and scheme, held against no thinning there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.stats import estimate_by
from acklab.studies.ack_aggregation.beyond.grid import NONE, SCHEMES

if TYPE_CHECKING:
    import polars as pl

    from acklab.sweeps.results import SweepResult

KEYS = ("cc", "path", "scheme")
#: Payload of a full segment, bytes.
_SEGMENT = 1448


def table(result: SweepResult) -> pl.DataFrame:
    """Means over seeds.

    `acklab` is goodput, Mbit/s. `share` is goodput over that without thinning, seed by seed, and
    `share_warm` the same after the warm-up. `rtt_x` is the 95th percentile of the RTT over that
    without thinning. `acks_saved` is how many fewer ACKs arrived for a segment delivered.
    `retrans` is retransmissions over data segments, `retrans_plus` what thinning adds to it.
    """
    import polars as pl

    runs = compared(result.flows)
    frame = _goodput(runs)
    means = runs.group_by(KEYS, maintain_order=True).agg(pl.col(_MEANS).mean())
    share = estimate_by(runs, KEYS, "share").rename(
        {"mean": "share", "ci_low": "share_low", "ci_high": "share_high"}
    )
    frame = frame.join(share.drop("n"), on=KEYS, maintain_order="left")
    frame = frame.join(means, on=KEYS, maintain_order="left")
    return frame.join(_schemes(), on="scheme", how="left", maintain_order="left")


_MEANS = [
    "share_warm",
    "rtt_p95_ms",
    "rtt_x",
    "acks_per_segment",
    "acks_saved",
    "retrans",
    "retrans_plus",
    "rtos",
    "rtos_plus",
    "window",
    "window_x",
]


def compared(flows: pl.DataFrame) -> pl.DataFrame:
    """Each run beside the one with the same controller, path and seed without thinning."""
    import polars as pl

    own = flows.select(
        *KEYS,
        "seed",
        "goodput_mbps",
        "goodput_warm_mbps",
        "rtt_p95_ms",
        pl.col("rtos").cast(pl.Float64),
        pl.col("cwnd_mean_packets").alias("window"),
        (pl.col("retransmissions") / pl.col("data_segments")).alias("retrans"),
        (pl.col("acks_received") / (pl.col("received_bytes") / _SEGMENT)).alias("acks_per_segment"),
    )
    plain = own.filter(pl.col("scheme") == NONE).drop("scheme")
    both = own.join(plain, on=["cc", "path", "seed"], suffix="_plain", maintain_order="left")
    of = {name: pl.col(name) / pl.col(f"{name}_plain") for name in own.columns[4:]}
    more = {name: pl.col(name) - pl.col(f"{name}_plain") for name in own.columns[4:]}
    return both.with_columns(
        of["goodput_mbps"].alias("share"),
        of["goodput_warm_mbps"].alias("share_warm"),
        of["rtt_p95_ms"].alias("rtt_x"),
        of["window"].alias("window_x"),
        (1 - of["acks_per_segment"]).alias("acks_saved"),
        more["retrans"].alias("retrans_plus"),
        more["rtos"].alias("rtos_plus"),
    )


def _goodput(runs: pl.DataFrame) -> pl.DataFrame:
    """The columns that every table of a study has; there is no paper to compare with."""
    import polars as pl

    e = estimate_by(runs, KEYS, "goodput_mbps").rename({"mean": "acklab", "n": "seeds"})
    paper = pl.lit(None, dtype=pl.Float64).alias("paper")
    return e.select(*KEYS, paper, "acklab", "ci_low", "ci_high", "seeds")


def _schemes() -> pl.DataFrame:
    import polars as pl

    rows = [(s.name, s.family, s.ratio, s.timer) for s in SCHEMES.values()]
    kinds = {"scheme": pl.String, "family": pl.String, "ratio": pl.Int64, "timer_ms": pl.Int64}
    return pl.DataFrame(rows, schema=kinds, orient="row")
