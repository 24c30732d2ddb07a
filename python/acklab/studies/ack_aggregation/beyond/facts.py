"""What the table says about a controller: where thinning hurts it, by what, and what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from acklab.studies.ack_aggregation.beyond.grid import (
    AXES,
    DEEP,
    HIGHEST,
    THESIS,
    VARIANT_TIMERS,
    Route,
    thinned,
)

if TYPE_CHECKING:
    import polars as pl

#: Below this share of the goodput without thinning a setting hurts ...
HURT = 0.95
#: ... and what loses more than that in spite of an interval that reaches 1 is uncertain.
CERTAIN = 1.0
#: Evidence, against no thinning on the same path: more segments repeated by this share of all, ...
LOSSES = 0.01
#: ... more timeouts in a run, ...
TIMEOUTS = 1.0
#: ... a 95th percentile of the RTT so many times as large, ...
LONGER = 1.1
#: ... a mean window so many times as large.
SMALLER = 0.9
#: A variant makes a difference if it moves the share of goodput by so much.
DIFFERENCE = 0.05
#: A rival that is worth switching on saves so many of the ACKs, on the median path.
WORTH = 0.1

Cause = Literal["start", "timeouts", "losses", "waiting", "window", "other"]

ROUTES: dict[str, Route] = {r.name: r for group in (*AXES.values(), DEEP) for r in group.values()}


def narrow_back() -> list[str]:
    """The paths whose way back is narrower: where it is full, no thinning is the harm."""
    return [r.name for r in AXES["up"].values() if r != THESIS]


def of_open_paths(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of paths with room on the way back."""
    import polars as pl

    return frame.filter(~pl.col("path").is_in(narrow_back()))


def thinner_rows(frame: pl.DataFrame, cc: str) -> pl.DataFrame:
    """The thinner's ratios and timers on open paths."""
    return of_open_paths(frame.filter(cc=cc, family="thinner"))


def hurt(rows: pl.DataFrame) -> pl.DataFrame:
    """What loses goodput, and not by chance as far as the seeds tell."""
    import polars as pl

    certain = pl.col("share_high").fill_nan(None).fill_null(0) < CERTAIN
    return rows.filter((pl.col("share") < HURT) & certain)


def uncertain(rows: pl.DataFrame) -> pl.DataFrame:
    """What loses as much on the mean, with an interval that reaches 1."""
    import polars as pl

    return rows.filter((pl.col("share") < HURT) & (pl.col("share_high").fill_nan(None) >= CERTAIN))


def cause(row: dict[str, Any]) -> Cause:
    """Why this row hurts, by what else is different from no thinning; the first that applies."""
    if row["share_warm"] >= HURT:
        return "start"
    if row["rtos_plus"] >= TIMEOUTS:
        return "timeouts"
    if row["retrans_plus"] >= LOSSES:
        return "losses"
    if row["rtt_x"] >= LONGER:
        return "waiting"
    if row["window_x"] < SMALLER:
        return "window"
    return "other"


def causes(rows: pl.DataFrame) -> dict[Cause, int]:
    """How many rows have which cause, the most frequent first."""
    found: dict[Cause, int] = {}
    for row in rows.iter_rows(named=True):
        found[cause(row)] = found.get(cause(row), 0) + 1
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def mildest(rows: pl.DataFrame) -> dict[str, Any]:
    """The row with the least ratio, and of these with the shortest timer."""
    return rows.sort("ratio", "timer_ms").row(0, named=True)


def variant(frame: pl.DataFrame, cc: str, ending: str) -> tuple[float, float, int] | None:
    """Where the highest ratio hurts: the median share without and with a variant, and of how many.

    `None` if it hurts nowhere, or the variant was not run there.
    """
    import polars as pl

    of_cc = of_open_paths(frame.filter(cc=cc))
    before, after = [], []
    for timer in VARIANT_TIMERS:
        for row in hurt(of_cc.filter(scheme=thinned(HIGHEST, timer))).iter_rows(named=True):
            name = thinned(HIGHEST, timer) + ending
            changed = of_cc.filter((pl.col("path") == row["path"]) & (pl.col("scheme") == name))
            if len(changed):
                before.append(row["share"])
                after.append(changed["share"][0])
    if not before:
        return None
    return _median(before), _median(after), len(before)


def _median(values: list[float]) -> float:
    import statistics

    return statistics.median(values)


def schemes(frame: pl.DataFrame, ccs: list[str]) -> pl.DataFrame:
    """Every scheme for these controllers: what it saves, what it costs at worst.

    `saved` is the median over open paths and controllers, `saved_least` the least (below zero: more
    ACKs) on `saved_path`, `worst` the least share of goodput with
    `worst_cc` and `worst_path`, `rtt` the largest factor of the 95th percentile of the RTT, and
    `narrow` the median share where the way back is narrow.
    """
    import polars as pl

    mine = frame.filter(pl.col("cc").is_in(ccs) & ~pl.col("family").is_in(["none", "variant"]))
    least = pl.col("share").arg_min()
    found = (
        of_open_paths(mine)
        .group_by("scheme", "family", maintain_order=True)
        .agg(
            pl.col("acks_saved").median().alias("saved"),
            pl.col("acks_saved").min().alias("saved_least"),
            pl.col("path").get(pl.col("acks_saved").arg_min()).alias("saved_path"),
            pl.col("share").min().alias("worst"),
            pl.col("cc").get(least).alias("worst_cc"),
            pl.col("path").get(least).alias("worst_path"),
            pl.col("rtt_x").max().alias("rtt"),
        )
    )
    back = mine.filter(pl.col("path").is_in(narrow_back()))
    gain = back.group_by("scheme").agg(pl.col("share").median().alias("narrow"))
    return found.join(gain, on="scheme", how="left", maintain_order="left")


def harmless(found: pl.DataFrame) -> pl.DataFrame:
    """Of `schemes`, those that keep the goodput everywhere; the one that saves most first."""
    import polars as pl

    return found.filter(pl.col("worst") >= HURT).sort("saved", descending=True)


def more_acks(row: dict[str, Any]) -> str:
    """That a scheme of `schemes` sends more ACKs somewhere, if it does."""
    if row["saved_least"] > -WORTH:
        return ""
    return f" (but sends {-row['saved_least']:.0%} more at {row['saved_path']})"
