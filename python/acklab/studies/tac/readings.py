"""What the paper does not state, tried the other way: which of it moves AGG's unfairness.

One thing is changed at a time. The cell is the paper's most unfair one: AGG, 30 stations, 16 KB, an
index of "about 0.6"; beside it stand the other schemes, and the ACKs that AGG loses with 20
stations at 1 KB, where the paper has none lost. A reading that comes nearer is a possibility, not a
proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.plots import style
from acklab.stats import AMOUNT, SHARE, estimate
from acklab.studies.study import Cell, Effort, Outcome
from acklab.studies.tac.quantities import measured
from acklab.studies.tac.schemes import PAPER, SCHEMES
from acklab.studies.tac.setup import Setting, duration
from acklab.studies.tac.stacks import SEGMENT

if TYPE_CHECKING:
    import polars as pl

STATIONS = 30
#: The other cell, under a name beside those of schemes: AGG, 20 stations, 1 KB.
SMALL = "agg, 1 KB"
SMALL_STATIONS = 20
SEEDS = 3
#: What Figure 5(a)'s text says of AGG here, and the throughput that follows from Figure 5(b)'s:
#: TAC, which is "up to" 32 % above DIFF's 35 and 21 % above RDG's 38 Mbit/s.
PAPER_JAIN, PAPER_MBPS = 0.6, 46.0


@dataclass(frozen=True)
class Reading:
    """What is changed, under its name; `theme` is what it is about."""

    theme: str
    text: str
    over: Mapping[str, Any] = field(default_factory=dict)
    flow: Mapping[str, Any] = field(default_factory=dict)
    stack: str | None = None
    #: Seeds at most; `None` for as many as the effort has, where the study tells of it elsewhere.
    seeds: int | None = SEEDS

    def setting(self) -> Setting:
        """The cell with that changed."""
        base = Setting(stations=STATIONS, over=self.over, flow=self.flow)
        return replace(base, stack=self.stack) if self.stack else base


def _wire(delay: str) -> dict[str, Any]:
    return {"topology": {"wire": {"delay": delay}}}


_DELAYED = {"ack": {"name": "delayed", "segments": 2, "count": "segments"}}
_EVERY_ACK = {"samples": "every-ack"}
READINGS: Sequence[Reading] = (
    Reading("as chosen", "nothing", seeds=None),
    Reading("wire", "no wire delay", _wire("0 s")),
    Reading("wire", "wire of 10 ms", _wire("10 ms")),
    Reading("wire", "wire of 50 ms", _wire("50 ms")),
    Reading("TCP", "SACK", {"tcp": {"sack": True}}),
    Reading("TCP", "delayed ACKs of two", flow=_DELAYED),
    Reading("TCP", "window by segments, not by ACKs", flow={"cc": "newreno"}),
    Reading("TCP", "timeouts of 1 s at least", {"tcp": {"min_rto": "1 s"}}, seeds=None),
    Reading("TCP", "timestamps", {"tcp": {"timestamps": True}}),
    Reading("TCP", "initial window of 10 packets", {"tcp": {"initial_window": 10}}),
    Reading("TCP", "exact clock", {"tcp": {"rtt_granularity": "0 s"}}),
    Reading("TCP", "ns-3.44's TCP", stack="ns3"),
    Reading("TCP", "Linux's TCP", stack="linux"),
    Reading("start", "starts spread over 10 s", flow={"start_jitter": "10 s"}),
    Reading("TCP", "an RTT sample per ACK", {"tcp": {"rtt_estimator": _EVERY_ACK}}),
    Reading("start", "all at once", flow={"start_jitter": "0 s"}),
    Reading("B", "B counts MPDUs in flight as well", {"wifi": {"queue_counts": "mpdus"}}),
    Reading("B", "packets expire after 500 ms", {"wifi": {"lifetime": "500 ms"}}),
    Reading("Lmax, 16 KB", "Lmax in bytes on the air", {"wifi": {"ampdu": "16384 B"}}),
    Reading("Lmax", "ACKs are not aggregated", {"wifi": {"down": {"ampdu": "off"}}}),
    Reading("Lmax", "16 ACKs at most", {"wifi": {"down": {"block_ack_window": 16}}}),
    Reading(
        "access",
        "DCF: AIFS of 2, only idle slots count",
        {"wifi": {"slots": "dcf", "edca": {"aifsn": 2}}},
    ),
    Reading("access", "CWmin 31 for all", {"wifi": {"edca": {"cw_min": 31}}}),
    Reading("access", "CWmin 7 for the AP (DIFF)", {"wifi": {"down": {"edca": {"cw_min": 7}}}}),
    Reading("access", "AIFSN 1 for the AP", {"wifi": {"down": {"edca": {"aifsn": 1}}}}),
    Reading("access", "no EIFS", {"wifi": {"eifs": False}}),
    Reading("access", "RTS before everything", {"wifi": {"rts": "always"}}, seeds=None),
    Reading("access", "RTS before data, not ACKs", {"wifi": {"up": {"rts": "always"}}}),
    Reading(
        "together",
        "RTS before everything, timeouts of 1 s at least",
        {"wifi": {"rts": "always"}, "tcp": {"min_rto": "1 s"}},
        seeds=None,
    ),
    Reading("overhead", "block ACKs at 6 Mbit/s", {"wifi": {"control_rate": "6 Mbit/s"}}),
    Reading(
        "overhead",
        "no BlockAckReq after a missed block ACK",
        {"wifi": {"missed_block_ack": "repeat"}},
    ),
    Reading("window", "window of 10 packets", {"tcp": {"recv_buffer": f"{10 * SEGMENT} B"}}),
    Reading("window", "window of 42 packets", {"tcp": {"recv_buffer": f"{42 * SEGMENT} B"}}),
    Reading(
        "window",
        "window of 64 packets",
        {"tcp": {"recv_buffer": f"{64 * SEGMENT} B", "window_scaling": True}},
    ),
)
_QUICK = ("nothing", "Linux's TCP")
_QUICK_SCHEMES = ("agg", SMALL)
QUANTITIES = (
    "jain",
    "throughput_mbps",
    "ack_loss_mean",
    "ack_loss_sd",
    "failed_share",
    "collision_share",
    "acks_per_ppdu",
    "starved_flows",
)


def cells(effort: Effort) -> list[Cell]:
    """A cell per reading and scheme."""
    found = []
    for r in READINGS:
        if effort.quick and r.text not in _QUICK:
            continue
        small = replace(r.setting(), stations=SMALL_STATIONS, kilobytes=1)
        points = {scheme: replace(r.setting(), schemes=(scheme,)) for scheme in PAPER}
        for name, setting in {**points, SMALL: small}.items():
            # DIFF is the access point's CWmin of 7 already; an Lmax of bytes is of 16 KB.
            nothing_new = (name == "diff" and "DIFF" in r.text) or (
                name == SMALL and r.theme == "Lmax, 16 KB"
            )
            if not nothing_new and (name in _QUICK_SCHEMES or not effort.quick):
                keys = {"theme": r.theme, "reading": r.text, "scheme": name}
                found.append(Cell(keys, setting.scenario(duration(effort)), r.seeds))
    return found


def table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per reading and scheme: quantities, and what Jain's index changes by, seed by seed."""
    import polars as pl

    base = {
        o.keys["scheme"]: [measured(r)["jain"] for r in o.results]
        for o in outcomes
        if o.keys["reading"] == "nothing"
    }
    rows = []
    for o in outcomes:
        row: dict[str, Any] = dict(o.keys)
        for name in QUANTITIES:
            share = name == "jain" or name.endswith("_share")
            e = estimate([measured(r)[name] for r in o.results], within=SHARE if share else AMOUNT)
            row |= {name: e.mean, f"{name}_low": e.low, f"{name}_high": e.high}
        mine = [measured(r)["jain"] for r in o.results]
        # The base has most seeds, from 1 on as all.
        pairs = zip(mine, base[o.keys["scheme"]], strict=False)
        change = estimate([a - b for a, b in pairs])
        row |= {
            "jain_change": change.mean,
            "jain_change_low": change.low,
            "jain_change_high": change.high,
            "seeds": change.n,
        }
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def plot(table: pl.DataFrame, stem: Path) -> Path:
    """Readings by AGG's index; a mark per scheme, and the paper's numbers of AGG as lines."""
    order = table.filter(scheme="agg").sort("jain", descending=True)["reading"].to_list()
    fig, axes = style.figure(1, 3, (11.5, 0.24 * len(order) + 1.7), share=False)
    place = {name: i for i, name in enumerate(order)}
    schemes = [s for s in PAPER if s in set(table["scheme"])]
    for ax, quantity, paper, shown in (
        (axes[0][0], "jain", PAPER_JAIN, schemes),
        (axes[0][1], "throughput_mbps", PAPER_MBPS, schemes),
        (axes[0][2], "ack_loss_mean", 0.0, [SMALL]),
    ):
        for i, scheme in enumerate(shown):
            of = table.filter(scheme=scheme)
            ends = [
                (of[quantity] - of[f"{quantity}_low"]).fill_nan(0),
                (of[f"{quantity}_high"] - of[quantity]).fill_nan(0),
            ]
            look: Any = {"color": style.CATEGORICAL[i], "marker": style.MARKERS[i]}
            line = {"linestyle": "none", "markersize": 4.5, "capsize": 1.5, "elinewidth": 0.7}
            y = [place[name] for name in of["reading"]]
            label = SCHEMES[scheme].title if scheme in SCHEMES else None
            ax.errorbar(of[quantity], y, xerr=ends, label=label, **line, **look)
        ax.axvline(paper, color=style.CATEGORICAL[0], linestyle="--", linewidth=0.9)
        ax.set_ylim(-1, len(order))
        ax.set_yticks(range(len(order)), order if quantity == "jain" else [], fontsize=8)
    axes[0][0].set_xlim(0, 1.02)
    axes[0][0].set_xlabel(f"Jain's index, N = {STATIONS} (dashed: the paper's AGG)")
    axes[0][1].set_xlabel("throughput, Mbit/s (dashed: follows)")
    axes[0][2].set_xlabel(f"ACKs lost, AGG, N = {SMALL_STATIONS}, 1 KB")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return style.save(fig, stem)
