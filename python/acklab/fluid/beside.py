"""The model beside the simulation of the same scenario."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar

from acklab.fluid.case import Case
from acklab.fluid.coupled import Trace
from acklab.fluid.cycles import between_falls
from acklab.fluid.domain import NoCaseError, Symbols, count
from acklab.fluid.radio import Radio
from acklab.fluid.scenario_case import case_of
from acklab.scenario import Scenario, run_many

if TYPE_CHECKING:
    from acklab.results import Result

#: Parameters that `fit` may change, and what they are to a reader.
PARAMETERS = {
    "rate": "the link's rate",
    "rtt": "the round trip without a queue",
    "limit": "the queue's limit",
    "loss": "the part of the packets that is lost by chance",
    "target": "CoDel's or PIE's target",
    "interval": "CoDel's interval",
    "wait": "the time between two probes of BBRv2 and BBRv3",
    "access": "what an access to the channel takes besides its packets",
    "aggregate": "the most packets in a PPDU",
    "every": "the packets that an ACK acknowledges",
}
#: They may be so many times as large or small.
RANGE = 3.0
#: Errors up to this are small.
SMALL = 0.05


@dataclass(frozen=True)
class Line:
    """A metric of a flow, in the model and in the simulation."""

    flow: str
    cc: str
    metric: str
    unit: str
    #: Medians of the model's runs and of the seeds, and their smallest and largest.
    model: float
    model_low: float
    model_high: float
    simulation: float
    low: float
    high: float
    #: With Eqs 8, 15 and 16 as printed, where data cross a radio channel.
    printed: float | None = None

    @property
    def error(self) -> float:
        """Of the model, relative to the simulation; to one where that is 0."""
        return (self.model - self.simulation) / (abs(self.simulation) or 1.0)


@dataclass(frozen=True)
class Fit:
    """Best fit by one parameter."""

    parameter: str
    factor: float
    #: Largest error of a metric before and after.
    before: float
    after: float

    @property
    def reconciles(self) -> bool:
        """Whether all errors are small with it."""
        return self.after <= SMALL


@dataclass(frozen=True)
class Beside:
    """Model and simulation."""

    case: Case
    #: The first of the model's runs.
    trace: Trace
    lines: Sequence[Line]
    #: The first seed's run, with its series.
    result: Result

    def cycles(self) -> list[tuple[str, float | None, float | None]]:
        """Of each flow the mean seconds from one fall of its window to the next, in the model and
        in the first seed's run; `None` where it does not fall twice."""
        case, series = self.case, self.result.series
        found: list[tuple[str, float | None, float | None]] = []
        late = self.trace.time > case.warmup
        for i, flow in enumerate(case.flows):
            ours = between_falls(self.trace.window[late, i], float(self.trace.time[0]))
            # A run without `record.every` has no samples, and so no columns.
            if len(series) == 0:
                found.append((flow.name, ours, None))
                continue
            own = series.filter((series["flow"] == flow.name) & (series["time_s"] > case.warmup))
            step = float(own["time_s"][1] - own["time_s"][0]) if len(own) > 1 else 1.0
            theirs = between_falls(own["cwnd_packets"].to_numpy(), step)
            found.append((flow.name, ours, theirs))
        return found


def modelled(case: Case, trace: Trace) -> list[dict[str, float]]:
    """Metrics of each flow after the warm-up."""
    late = trace.time > case.warmup
    found = []
    for i, flow in enumerate(case.flows):
        on = late & (trace.time > flow.start)
        goodput = trace.goodput[on, i].mean() * flow.payload / 1e6
        sent = trace.sent[i]
        found.append(
            {
                "goodput": float(goodput),
                "rtt": float(np.median(trace.rtt[on, i]) * 1e3),
                "lost": float(trace.dropped[i] / sent) if sent > 0 else 0.0,
            }
        )
    return found


def simulated(result: Result) -> list[dict[str, float]]:
    """The same of a run; an error names a flow of which nothing arrived after the warm-up."""
    for row in result.flows.iter_rows(named=True):
        if row["rtt_p50_ms"] is None or not row["goodput_warm_mbps"]:
            raise NoCaseError(
                f"flow {row['flow']!r}: nothing arrived after the warm-up, so there is nothing to"
                " compare\n  help: run longer (duration), or begin to measure earlier (warmup)"
            )
    return [
        {
            "goodput": row["goodput_warm_mbps"],
            "rtt": row["rtt_p50_ms"],
            "lost": row["lost_segments"] / max(row["data_segments"], 1),
        }
        for row in result.flows.iter_rows(named=True)
    ]


#: Metrics and their units; the loss rate does not decide a fit, since few packets are lost.
METRICS = {"goodput": "Mbit/s", "rtt": "ms", "lost": ""}


equation = Symbols(
    seeds=count(1, name="the number of seeds"),
    jobs=count(1, optional=True, name="the number of jobs"),
)


@equation("acklab model", None)
def beside(
    scenario: Scenario,
    seeds: int,
    jobs: int | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> Beside:
    """Runs both; the simulation with the seeds 1, 2, ..."""
    case = case_of(scenario.resolved)
    traces = case.runs()
    done = 0

    def one_more(_: int) -> None:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done, seeds)

    results = run_many([(scenario, s) for s in range(1, seeds + 1)], jobs=jobs, on_done=one_more)
    theirs = [simulated(r) for r in results]
    lines = []
    ours = [modelled(case, t) for t in traces]
    plain = case.printed()
    printed = modelled(case, plain) if plain is not None else None
    for i, flow in enumerate(case.flows):
        for metric, unit in METRICS.items():
            values = [t[i][metric] for t in theirs]
            says = [o[i][metric] for o in ours]
            lines.append(
                Line(
                    flow=flow.name,
                    cc=flow.cc,
                    metric=metric,
                    unit=unit,
                    model=median(says),
                    model_low=min(says),
                    model_high=max(says),
                    simulation=median(values),
                    low=min(values),
                    high=max(values),
                    printed=printed[i][metric] if printed is not None else None,
                )
            )
    return Beside(case, traces[0], lines, results[0])


def fit(of: Beside, on_progress: Callable[[int, int], object] | None = None) -> list[Fit]:
    """For each parameter the factor with which the largest error of goodput and RTT is least."""
    want = [x.simulation for x in of.lines if x.metric != "lost"]

    def worst(case: Case) -> float:
        each = [modelled(case, t) for t in case.runs(3)]
        got = [
            median(m[i][k] for m in each) for i in range(len(want) // 2) for k in ("goodput", "rtt")
        ]
        return max(abs(g - w) / (abs(w) or 1.0) for g, w in zip(got, want, strict=True))

    before = worst(of.case)
    found = []
    able = [p for p in PARAMETERS if _matters(of.case, p)]
    for done, parameter in enumerate(able):
        if on_progress is not None:
            on_progress(done, len(able))

        def error(log_factor: float, parameter: str = parameter) -> float:
            return worst(of.case.with_factor(parameter, float(np.exp(log_factor))))

        # The error has corners and steps: look around before going downhill.
        grid = np.linspace(-np.log(RANGE), np.log(RANGE), 9)
        errors = [error(x) for x in grid]
        best = int(np.argmin(errors))
        around = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
        downhill = minimize_scalar(
            error, bounds=around, method="bounded", options={"xatol": 0.01, "maxiter": 10}
        )
        factor, after = float(np.exp(grid[best])), errors[best]
        if downhill.fun < after:
            factor, after = float(np.exp(downhill.x)), float(downhill.fun)
        if after >= before:
            factor, after = 1.0, before
        found.append(Fit(parameter, factor, before, after))
    return sorted(found, key=lambda f: f.after)


def _matters(case: Case, parameter: str) -> bool:
    on_air = case.radio is not None
    if parameter in ("access", "aggregate", "every"):
        return on_air
    if on_air and parameter in ("target", "interval"):
        sources = case.radio.sources if isinstance(case.radio, Radio) else []
        return any(s.above is not None and s.above.name != "pfifo" for s in sources)
    if on_air and parameter == "limit":
        return True
    if parameter == "target" and case.queue == "pie":
        return True
    if parameter in ("target", "interval"):
        return case.queue in ("codel", "fq-codel", "cake")
    if parameter == "limit":
        return case.queue in ("pfifo", "bfifo")
    if parameter == "loss":
        return 0 < case.loss <= 1 / RANGE
    if parameter == "wait":
        return any(f.cc in ("bbr2", "bbr3") for f in case.flows)
    return True
