"""Mobility: a station walks away from its access point and comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.wireless import mobility_text, wlan
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.values import of_flow

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from acklab.results import Result

#: From the nearest to the farthest point and back, metres; when, s.
NEAR_M, FAR_M = 5, 45
LEAVES_S, TURNS_S, RETURNS_S = 2, 10, 18
END_S = 24
#: Between points of the lines, s.
BIN_S = 1.0
#: Goodput above which a line is called alive, Mbit/s.
ALIVE = 1.0
HOWS = ("none", "ampdu")
CONTROLS: Mapping[str, str] = {
    "fixed": "MCS 7 all the way",
    "minstrel": "Minstrel",
    "ideal": "ideal rate control",
}
QUICK_CONTROLLERS = ("bbr3", "cubic")
QUICK_CONTROLS = ("fixed", "minstrel")


def times(quick: bool) -> tuple[float, float, float, float]:
    """Leaves, turns, returns, end; a quick walk is a run."""
    pace = 2 if quick else 1
    return (LEAVES_S / pace, TURNS_S / pace, RETURNS_S / pace, END_S / pace)


def channel(how: str, control: str, quick: bool) -> dict[str, Any]:
    """The way of aggregating, the walk, and how the mode is chosen."""
    leaves, turns, returns, _ = times(quick)
    walk = ((leaves, NEAR_M), (turns, FAR_M), (returns, NEAR_M))
    points = [{"at": f"{at:g} s", "position": [m, 0]} for at, m in walk]
    mode = {} if control == "fixed" else {"rate_control": control}
    place = {"ap": [0, 0], "sta0": {"waypoints": points}}
    return {**wlan.CHANNELS[how], **mode, "space": {"place": place}}


def distance(at: float, quick: bool) -> float:
    """Of the station from the access point, m."""
    import numpy as np

    leaves, turns, returns, _ = times(quick)
    return float(np.interp(at, [leaves, turns, returns], [NEAR_M, FAR_M, NEAR_M]))


def cells(effort: Effort) -> list[Cell]:
    """Every controller, with A-MPDU and without, with every way of choosing the mode."""
    seconds = round(times(effort.quick)[3]) - wlan.START_S
    return [
        Cell(
            {"cc": cc, "aggregation": how, "rate_control": control},
            _without_rate(
                wlan.scenario(
                    [cc], channel(how, control, effort.quick), seconds, sample_every="100 ms"
                ),
                control,
            ),
        )
        for cc in (QUICK_CONTROLLERS if effort.quick else PAPER_CONTROLLERS)
        for how in HOWS
        for control in (QUICK_CONTROLS if effort.quick else CONTROLS)
    ]


def _without_rate(scenario: dict[str, Any], control: str) -> dict[str, Any]:
    """A rate control takes the place of the mode that the thesis states."""
    kept = {k: v for k, v in scenario["wifi"].items() if k != "rate" or control == "fixed"}
    return {**scenario, "wifi": kept}


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """Rates by time and distance; of the whole walk (no time) goodput, silence and timeouts."""
    import polars as pl

    rows = []
    for o in outcomes:
        runs = [rates(r) for r in o.results]
        whole = [_whole(r, line) for r, line in zip(o.results, runs, strict=True)]
        for name in whole[0]:
            values = wlan.row(name, [w[name] for w in whole])
            rows.append({**o.keys, "time_s": None, "distance_m": None, "quantity": name, **values})
        quick = bool(o.results[0].series["time_s"][-1] < 0.75 * END_S)
        for i, (at, _) in enumerate(runs[0]):
            values = wlan.row("rate_mbps", [line[i][1] for line in runs])
            here = {"time_s": at, "distance_m": distance(at, quick)}
            rows.append({**o.keys, **here, "quantity": "rate_mbps", **values})
    return pl.DataFrame(rows, infer_schema_length=None)


def _whole(r: Result, line: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Of the run. The silence is the longest time without a bin that is alive."""
    longest = now = 0.0
    for _, rate in line:
        now = 0.0 if rate > ALIVE else now + BIN_S
        longest = max(longest, now)
    return {
        "goodput_mbps": float(of_flow(r, "goodput_mbps")),
        "silence_s": longest,
        "timeouts": float(of_flow(r, "rtos")),
        "retransmitted_share": wlan.retransmitted_share(r),
        "retries_share": wlan.retries_share(r),
        "mpdus_per_ppdu": wlan.mpdus_per_ppdu(r),
    }


def rates(r: Result) -> list[tuple[float, float]]:
    """Middle of each bin and Mbit/s acknowledged in it."""
    import numpy as np

    time, acked = (r.series[c].to_numpy().astype(float) for c in ("time_s", "acked_bytes"))
    edges = np.arange(wlan.START_S, time[-1] + BIN_S / 2, BIN_S)
    steps = np.diff(np.interp(edges, time, acked)) * 8 / BIN_S / 1e6
    return list(zip((edges[:-1] + BIN_S / 2).tolist(), steps.tolist(), strict=True))


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Rates of the controllers over time, with the distance, by choice of the mode."""
    import polars as pl

    lines = table.filter(pl.col("time_s").is_not_null())
    controls = [c for c in CONTROLS if c in set(lines["rate_control"])]
    fig, axes = style.figure(len(HOWS), len(controls), (11, 5.4))
    for row, (how, name) in zip(axes, _HOW_TITLES.items(), strict=True):
        for ax, control in zip(row, controls, strict=True):
            _lines(ax, lines.filter(aggregation=how, rate_control=control))
            if how == HOWS[0]:
                ax.set_title(CONTROLS[control], pad=22)
                _distances(ax, lines)
        row[0].set_ylabel(f"{name}\nacknowledged, Mbit/s")
        row[0].set_ylim(bottom=0)
    for ax in axes[-1]:
        ax.set_xlabel("time, s")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=4)
    return style.save(fig, stem)


_HOW_TITLES = {"none": "no aggregation", "ampdu": "A-MPDU 64 KB"}


def _lines(ax: Axes, rows: pl.DataFrame) -> None:
    for i, cc in enumerate(rows["cc"].unique(maintain_order=True)):
        line = rows.filter(cc=cc)
        ax.plot(line["time_s"], line["value"], label=CC_NAMES[cc], **style.line(i))


def _distances(ax: Axes, rows: pl.DataFrame) -> None:
    """The walk as a second axis above: metres at times that matter."""
    quick = max(rows["time_s"].to_list()) < 0.75 * END_S
    leaves, turns, returns, _ = times(quick)
    upper = ax.secondary_xaxis("top")
    marks = [leaves, (leaves + turns) / 2, turns, (turns + returns) / 2, returns]
    upper.set_xticks(marks, [f"{distance(t, quick):.0f} m" for t in marks], fontsize=7.5)


text = mobility_text.text
