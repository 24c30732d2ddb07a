"""What the walk's table says: who goes on, who waits for a timer, what choosing the mode gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.wireless import wlan
from acklab.studies.ack_aggregation.wireless.wlan import Numbers

if TYPE_CHECKING:
    import polars as pl

HOW_NAMES = {"none": "no aggregation", "ampdu": "A-MPDU"}


def text(table: pl.DataFrame) -> str:
    """Fixed mode, rate control, aggregation far away."""
    import polars as pl

    whole = table.filter(pl.col("time_s").is_null()).drop("time_s", "distance_m")
    f = Numbers(whole)
    lines = table.filter(pl.col("time_s").is_not_null())
    return "\n\n".join([_fixed(f, lines), _control(f), _far(f, lines), _advice(f)])


def _fixed(f: Numbers, lines: pl.DataFrame) -> str:
    """The outage, and how much longer TCP makes it."""
    edge, beyond = _outage(lines)
    rows = [
        [
            f"{CC_NAMES[cc]}, {HOW_NAMES[how]}",
            f"{f.mean('silence_s', cc, how, 'fixed'):.1f}",
            f"{f.mean('timeouts', cc, how, 'fixed'):.1f}",
            f"{f.mean('goodput_mbps', cc, how, 'fixed'):.1f}",
        ]
        for cc in f.values["cc"]
        for how in f.values["aggregation"]
    ]
    grid = wlan.grid(["", "silent for, s", "timeouts", "goodput, Mbit/s"], rows)
    return (
        f"**MCS 7 all the way.** Farther than about {edge:.0f} m nothing gets through, and the "
        f"walk is there for {beyond:.0f} s. The silence may last longer: each timeout doubles "
        "the timer, and nothing tells a sender that the station is back, so it waits the "
        f"last timer out.\n\n{grid}\n\n{_longest(f)}"
    )


def _outage(lines: pl.DataFrame) -> tuple[float, float]:
    """Largest distance at which somebody was alive on the way out, and seconds beyond it."""
    import polars as pl

    fixed = lines.filter(rate_control="fixed")
    turn = fixed.sort("distance_m").row(-1, named=True)["time_s"]
    alive = fixed.filter((pl.col("time_s") < turn) & (pl.col("value") > 1))
    edge = float(alive["distance_m"].max() or 0)  # type: ignore[arg-type]
    first = fixed.filter(cc=fixed["cc"][0], aggregation=fixed["aggregation"][0])["time_s"]
    beyond = fixed.filter(pl.col("distance_m") > edge)["time_s"].n_unique()
    return edge, beyond * float(first[1] - first[0])


def _longest(f: Numbers) -> str:
    """The shortest silence against the longest, if the seeds tell them apart."""
    all_ = [
        (f("silence_s", cc, how, "fixed"), cc, how)
        for cc in f.values["cc"]
        for how in f.values["aggregation"]
    ]
    low, high = min(all_, key=lambda e: e[0].mean), max(all_, key=lambda e: e[0].mean)
    if not wlan.above(high[0], low[0]):
        return "The seeds do not tell whose silence is the longest."
    return (
        f"{CC_NAMES[high[1]]} ({HOW_NAMES[high[2]]}) is silent for "
        f"{high[0].mean - low[0].mean:.0f} s longer than {CC_NAMES[low[1]]} "
        f"({HOW_NAMES[low[2]]}) on the same walk."
    )


def _control(f: Numbers) -> str:
    """What choosing the mode gives."""
    rows = []
    for control in f.values["rate_control"]:
        if control == "fixed":
            continue
        for how in f.values["aggregation"]:
            goodputs = [f.mean("goodput_mbps", cc, how, control) for cc in f.values["cc"]]
            silent = max(f.mean("silence_s", cc, how, control) for cc in f.values["cc"])
            rows.append(
                f"*{control}* with {HOW_NAMES[how]} {min(goodputs):.1f} to {max(goodputs):.1f} "
                f"Mbit/s by controller, {_silence(silent)}"
            )
    return f"**With rate control.** {'; '.join(rows)}. {_minstrel(f)}".rstrip()


def _silence(seconds: float) -> str:
    return f"silent for up to {seconds:.1f} s" if seconds > 0 else "never silent for a second"


def _minstrel(f: Numbers) -> str:
    """Learning against knowing."""
    if "ideal" not in f.values["rate_control"]:
        return ""
    ratios = [
        f.mean("goodput_mbps", cc, how, "minstrel") / f.mean("goodput_mbps", cc, how, "ideal")
        for cc in f.values["cc"]
        for how in f.values["aggregation"]
    ]
    return (
        "Minstrel finds the mode by trying, *ideal* knows the signal; Minstrel has "
        f"{min(ratios):.0%} to {max(ratios):.0%} of ideal's goodput."
    )


def _far(f: Numbers, lines: pl.DataFrame) -> str:
    """What aggregation gives near and far, with Minstrel and CUBIC."""
    import polars as pl

    rows = lines.filter(cc="cubic", rate_control="minstrel")
    places = sorted(set(rows["distance_m"].to_list()))
    near, far = places[0], places[-1]

    def rate(how: str, metres: float) -> float:
        at = rows.filter((pl.col("aggregation") == how) & (pl.col("distance_m") == metres))
        return float(at["value"].tail(1)[0])

    gains = [rate("ampdu", m) / max(rate("none", m), 1e-9) for m in (near, far)]
    word = "less" if gains[1] < gains[0] else "more"
    return (
        f"**Aggregation far away.** CUBIC with Minstrel has {rate('none', near):.1f} without and "
        f"{rate('ampdu', near):.1f} Mbit/s with A-MPDU at {near:.0f} m, {rate('none', far):.1f} "
        f"and {rate('ampdu', far):.1f} at {far:.0f} m: a gain of {gains[0]:.1f} times near, and "
        f"{gains[1]:.1f} times far. It is {word} far away; a packet at a slow mode takes so long "
        "that preamble, backoff and MAC ACK weigh little beside it."
        if word == "less"
        else f"**Aggregation far away.** CUBIC with Minstrel gains {gains[0]:.1f} times from "
        f"A-MPDU at {near:.0f} m and {gains[1]:.1f} times at {far:.0f} m."
    )


def _advice(f: Numbers) -> str:
    """Whether the controller or the mode matters more."""
    how = f.values["aggregation"][-1]
    fixed, learnt = (
        [f.mean("goodput_mbps", cc, how, c) for cc in f.values["cc"]] for c in ("fixed", "minstrel")
    )
    return (
        f"**Advice.** With {HOW_NAMES[how]} a fixed MCS 7 gives {min(fixed):.1f} to "
        f"{max(fixed):.1f} Mbit/s by controller, Minstrel {min(learnt):.1f} to "
        f"{max(learnt):.1f}: "
        + (
            "the choice of the mode matters more than the controller."
            if min(learnt) - max(fixed) > max(learnt) - min(learnt)
            else "controller and mode matter alike."
        )
    )
