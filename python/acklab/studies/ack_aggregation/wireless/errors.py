"""Channel errors: how much of the goodput is left, by bit error rate and size of an aggregate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.studies.ack_aggregation.cells import PAPER_CONTROLLERS
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.wireless import wlan
from acklab.studies.ack_aggregation.wireless.wlan import Numbers
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.values import of_flow

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

SECONDS = 5
QUICK_SECONDS = 3

#: Bit error rates; a tenth of the last corrupts every ninth packet of 1500 B.
RATES = ("0", "1e-6", "1e-5", "3e-5", "1e-4")
QUICK_RATES = ("0", "1e-5", "1e-4")
#: What is sent at once, and its name in the figure.
SIZES = {
    "none": ({"ampdu": "off", "amsdu": "off"}, "one packet"),
    "amsdu-4k": ({"ampdu": "off", "amsdu": "3839 B"}, "A-MSDU 3.8 KB"),
    "amsdu-8k": ({"ampdu": "off", "amsdu": "7935 B"}, "A-MSDU 7.9 KB"),
    "ampdu-8k": ({"ampdu": "8192 B", "amsdu": "off"}, "A-MPDU 8 KB"),
    "ampdu-64k": ({"ampdu": "65535 B", "amsdu": "off"}, "A-MPDU 64 KB"),
    "both": (wlan.CHANNELS["both"], "both"),
}
QUICK_CONTROLLERS = ("bbr3", "cubic")
#: Where the controllers are compared: the worst at which A-MSDUs still get through.
COMPARED = {False: "3e-5", True: "1e-5"}

QUANTITIES: Mapping[str, wlan.Quantity] = {
    "goodput_mbps": lambda r: float(of_flow(r, "goodput_mbps")),
    "retries_share": wlan.retries_share,
    "given_up_share": wlan.given_up_share,
    "retransmitted_share": wlan.retransmitted_share,
    "timeouts": lambda r: float(of_flow(r, "rtos")),
    "mpdus_per_ppdu": wlan.mpdus_per_ppdu,
    "idle_share": partial(wlan.share, use="idle"),
    "rtt_p95_ms": lambda r: of_flow(r, "rtt_p95_ms"),
}


def cells(effort: Effort) -> list[Cell]:
    """One upload: every controller, size and bit error rate."""
    seconds = QUICK_SECONDS if effort.quick else SECONDS
    return [
        Cell(
            {"cc": cc, "aggregation": how, "bit_error_rate": rate},
            wlan.scenario([cc], {**keys, "bit_error_rate": float(rate)}, seconds),
        )
        for cc in (QUICK_CONTROLLERS if effort.quick else PAPER_CONTROLLERS)
        for how, (keys, _) in SIZES.items()
        for rate in (QUICK_RATES if effort.quick else RATES)
    ]


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per controller, size, bit error rate and quantity."""
    return wlan.table(outcomes, QUANTITIES)


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """CUBIC's goodput and what is left to TCP by bit error rate; the controllers at one of them."""
    found = Numbers(table)
    fig, axes = style.figure(1, 3, (11, 3.8), share=False)
    goodput, left, kept = axes[0]
    for i, (how, (_, name)) in enumerate(SIZES.items()):
        for ax, quantity, factor in (
            (goodput, "goodput_mbps", 1),
            (left, "retransmitted_share", 100),
        ):
            ys = [factor * found.mean(quantity, "cubic", how, r) for r in _rates(found)]
            look: dict[str, Any] = {
                **style.line(i),
                "marker": style.MARKERS[i],
                "markersize": 4,
                "label": name,
            }
            ax.plot(range(len(ys)), ys, **look)
    for ax, y in (
        (goodput, "goodput of CUBIC, Mbit/s"),
        (left, "segments that CUBIC sends again, %"),
    ):
        ax.set_xticks(range(len(_rates(found))), _rates(found))
        ax.set_xlabel("bit error rate")
        ax.set_ylabel(y)
        ax.set_ylim(bottom=0)
    _compared(found, kept)
    handles, names = goodput.get_legend_handles_labels()
    fig.legend(handles, names, loc="outside upper center", ncols=len(SIZES), fontsize=8)
    return style.save(fig, stem)


def _compared(found: Numbers, ax: Axes) -> None:
    """What each controller keeps of its goodput without errors, by size."""
    rate = _compared_at(found)
    controllers = found.values["cc"]
    for i, cc in enumerate(controllers):
        kept = [_kept(found, cc, how, rate) for how in SIZES]
        at = [y + 0.16 * (i - (len(controllers) - 1) / 2) for y in range(len(SIZES))]
        mark: dict[str, Any] = {
            "color": style.CATEGORICAL[i],
            "marker": style.MARKERS[i],
            "markersize": 5,
        }
        ax.plot([100 * k for k in kept], at, linestyle="none", label=CC_NAMES[cc], **mark)
    ax.set_yticks(range(len(SIZES)), [name for _, name in SIZES.values()])
    ax.invert_yaxis()
    ax.set_xlim(0, 105)
    ax.set_xlabel(f"goodput at {rate}, % of that without errors")
    ax.legend(loc="lower left", fontsize=8)


def _rates(found: Numbers) -> list[str]:
    return found.values["bit_error_rate"]


def _compared_at(found: Numbers) -> str:
    return COMPARED["3e-5" not in _rates(found)]


def _kept(found: Numbers, cc: str, how: str, rate: str) -> float:
    clean = found.mean("goodput_mbps", cc, how, "0")
    return found.mean("goodput_mbps", cc, how, rate) / max(clean, 1e-9)


def text(table: pl.DataFrame) -> str:
    """Who survives, why, what is left to TCP, what to use."""
    found = Numbers(table)
    return "\n\n".join(
        p for p in (_survival(found), _why(found), _controllers(found), _advice(found)) if p
    )


def _survival(f: Numbers) -> str:
    """What is left, of each size."""
    rows = [
        [name, *(f"{f.mean('goodput_mbps', 'cubic', how, r):.1f}" for r in _rates(f))]
        for how, (_, name) in SIZES.items()
    ]
    table = wlan.grid(["sent at once", *_rates(f)], rows)
    return f"**What is left**: goodput of CUBIC, Mbit/s, by bit error rate.\n\n{table}"


def _why(f: Numbers) -> str:
    """Retries, what the MAC gives up, and what TCP makes of it."""
    rate = _compared_at(f)
    one, large, many = (
        {q: f.mean(q, "cubic", how, rate) for q in QUANTITIES}
        for how in ("none", "amsdu-8k", "ampdu-64k")
    )
    return (
        f"**Why.** A checksum covers an MPDU, so an MPDU is what errors cost. At {rate} "
        f"{one['retries_share']:.0%} of the MPDUs with one packet, {many['retries_share']:.0%} of "
        f"those in A-MPDUs and {large['retries_share']:.0%} of those that are A-MSDUs of 7.9 KB "
        "were repetitions. In an A-MPDU each MPDU has a checksum of its own and the block ack "
        f"asks for those that failed only; {many['mpdus_per_ppdu']:.0f} were sent at once, with "
        f"one preamble and one backoff. The MAC gave up {many['given_up_share']:.2%} of the "
        f"segments there and {large['given_up_share']:.2%} of those in A-MSDUs, which without "
        "block ack have seven transmissions; all segments of an A-MSDU are lost together. What "
        f"the MAC gives up TCP has to repeat: {many['retransmitted_share']:.2%} and "
        f"{large['retransmitted_share']:.2%} of the segments, with {many['timeouts']:.1f} and "
        f"{large['timeouts']:.1f} timeouts per run. The air was idle for "
        f"{many['idle_share']:.0%} and {large['idle_share']:.0%} of the time."
    )


def _controllers(f: Numbers) -> str:
    """Whether the controller matters where the MAC does not mend everything."""
    rate, worst = _compared_at(f), _rates(f)[-1]
    parts = []
    for at in dict.fromkeys((rate, worst)):
        row = [
            f"{CC_NAMES[cc]} {f.mean('goodput_mbps', cc, 'amsdu-8k', at):.2f}"
            for cc in f.values["cc"]
        ]
        parts.append(f"at {at} {', '.join(row)} Mbit/s")
    bbr, cubic = (f("goodput_mbps", cc, "amsdu-8k", worst) for cc in ("bbr3", "cubic"))
    if wlan.above(bbr, cubic):
        verdict = f"BBRv3 has more than CUBIC at {worst}: losses alone do not make it slower."
    elif wlan.above(cubic, bbr):
        verdict = f"CUBIC has more than BBRv3 at {worst}."
    else:
        verdict = f"At {worst} the seeds do not tell BBRv3 from CUBIC."
    return f"**Controllers**, with A-MSDUs of 7.9 KB: {'; '.join(parts)}. {verdict}"


def _advice(f: Numbers) -> str:
    """The best size at each rate, if the seeds tell it from all others."""
    best = []
    for rate in _rates(f):
        order = sorted(SIZES, key=lambda how: -f.mean("goodput_mbps", "cubic", how, rate))
        first, second = (f("goodput_mbps", "cubic", how, rate) for how in order[:2])
        names = [SIZES[how][1] for how in order[:2]]
        told = names[0] if wlan.above(first, second) else f"{names[0]} or {names[1]}"
        best.append(f"{rate}: {told}")
    return f"**Advice.** Most goodput with CUBIC, by bit error rate: {'; '.join(best)}."
