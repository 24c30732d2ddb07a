"""A paragraph of advice per controller: each number and each choice of words from the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from acklab.studies.ack_aggregation.beyond import facts
from acklab.studies.ack_aggregation.beyond.facts import Cause
from acklab.studies.ack_aggregation.beyond.grid import HIGHEST, PACED, SACK_PASSES, VARIANT_TIMERS
from acklab.studies.ack_aggregation.figures import CC_NAMES

if TYPE_CHECKING:
    import polars as pl

#: What a controller goes by.
KINDS: Mapping[str, str] = {
    "newreno": "loss",
    "cubic": "loss",
    "vegas": "delay",
    "bbr1": "model",
    "bbr3": "model",
}
#: How many of the paths that are hurt are named.
_NAMED = 4

_LOST = (
    "more is lost: an ACK for many segments releases as many back to back, and a queue that has no "
    "room for them overflows"
)
#: By what is different where it hurts, and the kind of controller: what that does.
MECHANISMS: Mapping[Cause, Mapping[str, str]] = {
    "start": {
        "loss": "only the start is slower; afterwards nothing is lost",
        "delay": "only the start is slower; afterwards nothing is lost",
        "model": "only the start is slower; afterwards nothing is lost",
    },
    "timeouts": {
        "loss": "the retransmission timer fires: what is left of a small window brings too few "
        "ACKs",
        "delay": "the retransmission timer fires: what is left of a small window brings too few "
        "ACKs",
        "model": "the retransmission timer fires before the ACKs that are held come",
    },
    "losses": {
        "loss": f"{_LOST}; each time the window comes down",
        "delay": f"{_LOST}; each time the window comes down",
        "model": f"{_LOST}; bunched ACKs also make samples of the rate too high",
    },
    "waiting": {
        "loss": "no more is lost, but ACKs wait: the round trip is longer than path and queue "
        "make it, while the window still has to fit into these two; it goes around less often, "
        "and after each reduction it takes longer to grow back",
        "delay": "no more is lost, but ACKs wait, which it takes for a queue: it keeps a window "
        "too "
        "small for the longer round trip",
        "model": "no more is lost, but ACKs wait, and the window, which is a multiple of rate and "
        "smallest RTT, is used up before the next comes",
    },
    "window": {
        "loss": "neither losses nor delay, but a smaller window: slow start ended early",
        "delay": "neither losses nor a longer tail of the RTT, but a smaller window: even the "
        "least wait of a round looks like a queue, so slow start ends early and the window stays "
        "there",
        "model": "neither losses nor delay, but a smaller window: its estimate of the rate is too "
        "low",
    },
    "other": {
        "loss": "none of losses, timeouts, RTT and window tells why",
        "delay": "none of losses, timeouts, RTT and window tells why",
        "model": "none of losses, timeouts, RTT and window tells why",
    },
}


def paragraph(frame: pl.DataFrame, cc: str) -> str:
    """Where it hurts and how much, why, at which price in delay, and what to use instead."""
    sentences = [
        where(frame, cc),
        why(frame, cc),
        pacing(frame, cc),
        passing(frame, cc),
        price(frame, cc),
        instead(frame, cc),
        narrow(frame, cc),
    ]
    return f"**{CC_NAMES[cc]}.** " + " ".join(s for s in sentences if s)


def where(frame: pl.DataFrame, cc: str) -> str:
    """How many settings hurt, and from which on, path by path."""
    rows = facts.thinner_rows(frame, cc)
    bad = facts.hurt(rows)
    paths = rows["path"].n_unique()
    lost = f"{1 - facts.HURT:.0%}"
    head = (
        f"Of {rows.height} settings of the thinner ({rows['scheme'].n_unique()} pairs of ratio and "
        f"timer on {paths} paths with room on the way back) "
    )
    doubt = facts.uncertain(rows).height
    more = f" (of {doubt} more the seeds do not tell)" if doubt else ""
    if bad.is_empty():
        return f"{head}none loses {lost} of the goodput{more}."
    hit = bad["path"].n_unique()
    text = f"{head}{bad.height} lose more than {lost} of the goodput{more}, on {hit} of the paths: "
    return text + "; ".join(_by_path(bad)) + "."


def _by_path(bad: pl.DataFrame) -> list[str]:
    """The paths that are hurt most, with the mildest setting that hurts and the worst."""
    import polars as pl

    order = bad.group_by("path", maintain_order=True).agg(pl.col("share").min()).sort("share")
    told = []
    for path in order["path"][:_NAMED]:
        rows = bad.filter(path=path)
        first, worst = facts.mildest(rows), rows.sort("share").row(0, named=True)
        from_ = f"from {first['ratio']}:1 and {first['timer_ms']} ms on"
        told.append(f"{path} {from_} (worst: {worst['scheme']} keeps {worst['share']:.0%})")
    rest = order.height - _NAMED
    if rest > 0:
        least = order["share"][_NAMED]
        told.append(f"{rest} more, where at worst {least:.0%} is kept")
    return told


def why(frame: pl.DataFrame, cc: str) -> str:
    """What else is different where it hurts, most frequent first."""
    bad = facts.hurt(facts.thinner_rows(frame, cc))
    if bad.is_empty():
        return ""
    parts = [
        f"in {n} of {bad.height} {MECHANISMS[cause][KINDS[cc]]}"
        for cause, n in facts.causes(bad).items()
        # A tenth of the cells needs no mechanism of its own.
        if n >= 0.1 * bad.height
    ]
    return "*Why:* " + "; ".join(parts) + "."


def pacing(frame: pl.DataFrame, cc: str) -> str:
    """Whether a sender that spreads its bursts is spared."""
    found = facts.variant(frame, cc, PACED)
    if KINDS[cc] == "model":
        # It paces anyway.
        return ""
    if found is None:
        return ""
    before, after, n = found
    head = f"Where {_highest()} hurts ({n} cells), a sender that paces keeps "
    if after - before >= facts.DIFFERENCE:
        left = "all of the harm" if after >= facts.HURT else "a good part of the harm"
        return f"{head}{after:.0%} rather than {before:.0%} (medians): {left} is bursts."
    return f"{head}{after:.0%} instead of {before:.0%} (medians): bursts are not what matters."


def passing(frame: pl.DataFrame, cc: str) -> str:
    """Whether news of losses that are not held help."""
    found = facts.variant(frame, cc, SACK_PASSES)
    if found is None:
        return ""
    before, after, _ = found
    if after - before >= facts.DIFFERENCE:
        effect = "helps"
    elif before - after >= facts.DIFFERENCE:
        effect = "makes it worse"
    else:
        effect = "makes no difference"
    return f"To let ACKs with news of losses pass {effect} there ({before:.0%} to {after:.0%})."


def _highest() -> str:
    return f"{HIGHEST}:1 with " + " or ".join(f"{t} ms" for t in VARIANT_TIMERS)


def price(frame: pl.DataFrame, cc: str) -> str:
    """What thinning costs where the goodput is kept."""
    import polars as pl

    rows = facts.thinner_rows(frame, cc).filter(pl.col("share") >= facts.HURT)
    if rows.is_empty():
        return ""
    delay = rows.sort("rtt_x").row(-1, named=True)
    again = rows.sort("retrans_plus").row(-1, named=True)
    parts = []
    if delay["rtt_x"] >= facts.LONGER:
        parts.append(
            f"a 95th percentile of the RTT up to {delay['rtt_x']:.1f} times as long "
            f"({delay['scheme']}, {delay['path']})"
        )
    if again["retrans_plus"] >= facts.LOSSES:
        parts.append(
            f"up to {again['retrans_plus']:.1%} more of the segments sent twice "
            f"({again['scheme']}, {again['path']})"
        )
    if not parts:
        return "Where the goodput is kept, RTT and retransmissions are, too."
    return f"*The price* where the goodput is kept: {' and '.join(parts)}."


def instead(frame: pl.DataFrame, cc: str) -> str:
    """The scheme that saves most and hurts on no path, and the thinner that does."""
    import polars as pl

    found = facts.schemes(frame, [cc])
    safe = facts.harmless(found)
    worth = safe.filter(pl.col("saved") >= facts.WORTH)
    if worth.is_empty():
        least = found.filter(pl.col("saved") >= facts.WORTH).sort("worst")
        if least.is_empty():
            return "No scheme saves ACKs worth mentioning on the median path."
        best = least.row(-1, named=True)
        return (
            f"*Instead:* no scheme that saves {facts.WORTH:.0%} of the ACKs or more is harmless "
            f"everywhere; the mildest, {best['scheme']}, saves {best['saved']:.0%} and keeps "
            f"{best['worst']:.0%} at worst ({best['worst_path']})."
        )
    best = worth.row(0, named=True)
    text = (
        f"*Instead:* {best['scheme']} saves {best['saved']:.0%} of the ACKs on the median path"
        f"{facts.more_acks(best)} and keeps {best['worst']:.0%} at worst ({best['worst_path']})"
    )
    if best["family"] == "thinner":
        return text + "."
    own = safe.filter(family="thinner").head(1)
    if own.is_empty():
        return f"{text}; of the thinner's settings none is harmless everywhere."
    mild = own.row(0, named=True)
    return f"{text}; of the thinner's settings {mild['scheme']}, which saves {mild['saved']:.0%}."


def narrow(frame: pl.DataFrame, cc: str) -> str:
    """What is gained where ACKs fill the way back."""
    import polars as pl

    rows = frame.filter(
        (pl.col("cc") == cc)
        & pl.col("path").is_in(facts.narrow_back())
        & ~pl.col("family").is_in(["none", "variant"])
    )
    if rows.is_empty():
        return ""
    best = rows.sort("share").row(-1, named=True)
    if best["share"] < 1 + facts.DIFFERENCE:
        return "On a narrow way back no scheme gains anything."
    cake = rows.filter((pl.col("path") == best["path"]) & (pl.col("family") == "cake"))
    text = (
        f"Where ACKs fill the way back thinning is a gain: at {best['path']}, {best['scheme']} has "
        f"{best['share']:.1f} times the goodput"
    )
    if cake.is_empty() or best["family"] == "cake":
        return f"{text}."
    most = cake.sort("share").row(-1, named=True)
    return f"{text}, CAKE's ack-filter {most['share']:.1f} times."
