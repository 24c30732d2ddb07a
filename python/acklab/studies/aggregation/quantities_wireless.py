"""The quantities of a run over the air."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean, pstdev

from acklab.metrics import jain_index
from acklab.results import Result
from acklab.studies.kit.quantity import quantity
from acklab.studies.values import airtime, columns, goodputs, of_flow, once_per_run

from .cells_wireless import GROUPS
from .setups_wireless import START_S

EVERY = tuple(GROUPS)
#: Runs that are sampled over time.
SAMPLED = ("air", "sizes", "jittered")
#: Uses of the air, in the order in which they are drawn.
USES = (
    "data",
    "transport_ack",
    "mac_ack",
    "sifs",
    "control",
    "contention",
    "collision",
    "idle",
)
#: Width of the bins of Figures 5 and 6, s.
BIN_S = 0.5
#: Least time between two points of a series over time, s.
POINT_S = 2.0
#: An overshoot is looked for so long after the start, s.
EARLY_S = 5.0
#: Goodput above which a line is called alive, Mbit/s.
ALIVE = 1.0


@quantity("Mbit/s", *EVERY)
def throughput(run: Result) -> float:
    """Payload that arrived over the measured time, of all flows together."""
    return sum(goodputs(run))


@quantity("", "thinned", "jittered", "air", "sizes", "errors", digits=1)
def resent(run: Result) -> float:
    """Segments that the senders sent again."""
    return float(sum(columns(run, "flows")["retransmissions"]))


@quantity("", "thinned", "errors", "stations", "neighbours", digits=4)
def resent_share(run: Result) -> float:
    """Segments that the senders sent again, of all that they sent."""
    flows = columns(run, "flows")
    return float(sum(flows["retransmissions"])) / max(float(sum(flows["data_segments"])), 1)


@quantity("", "thinned", "errors", "walks", "neighbours", digits=1)
def rtos(run: Result) -> float:
    """Retransmission timeouts."""
    return float(sum(columns(run, "flows")["rtos"]))


@quantity("ms", "air", "sizes", "thinned", "released", "jittered", "starts")
def mean_rtt(run: Result) -> float | None:
    """Mean round-trip time that the sender measured."""
    return _number(of_flow(run, "rtt_mean_ms"))


@quantity("ms", "air", "starts")
def least_rtt(run: Result) -> float | None:
    """Smallest round-trip time that the sender's controller knows."""
    return _number(of_flow(run, "rtt_min_ms"))


@quantity("ms", "air", "sizes", "jittered")
def rtt_deviation(run: Result) -> float | None:
    """Standard deviation of the sampled round-trip times, second half of the run."""
    found = _samples(run, "rtt_ms")
    return pstdev(found) if found else None


@quantity("packets", "air", "sizes", "starts", digits=1)
def mean_window(run: Result) -> float:
    """Mean congestion window."""
    return float(of_flow(run, "cwnd_mean_packets"))


@quantity("packets", "air", "sizes", digits=0)
def largest_window(run: Result) -> float:
    """Largest congestion window."""
    return float(of_flow(run, "cwnd_max_packets"))


@quantity("packets", "air", digits=1)
def late_window(run: Result) -> float | None:
    """Mean congestion window of the second half."""
    return _late(run, "cwnd_packets", fmean)


@quantity("", *SAMPLED, digits=3)
def rate_swing(run: Result) -> float | None:
    """Coefficient of variation of the rate in bins of 0.5 s, second half."""
    return _late(run, "acked_bytes", _swing)


@quantity("", "air", digits=3)
def window_swing(run: Result) -> float | None:
    """Coefficient of variation of the window in bins of 0.5 s, second half."""
    return _late(run, "cwnd_packets", _swing)


@quantity("", "air")
def overshoot(run: Result) -> float | None:
    """Largest rate of the first seconds over the mean rate of the second half."""
    at, line = _line(run, "acked_bytes")
    early = [v for t, v in zip(at, line, strict=True) if t <= min(EARLY_S, at[-1] / 3)]
    return max(early) / max(fmean(line[len(line) // 2 :]), 1e-9) if early else None


@quantity("", "air", signed=True)
def window_bend(run: Result) -> float | None:
    """Growth of the window in the last third over that in the second: 1 is a straight line."""
    _, line = _line(run, "cwnd_packets")
    if not line:
        return None
    one, two, three = (line[i * (len(line) - 1) // 3] for i in (1, 2, 3))
    return (three - two) / (two - one) if two > one else 0.0


@quantity("packets/s", "air", digits=1, signed=True)
def window_growth(run: Result) -> float | None:
    """Growth of the window from the first third of the run on."""
    at, line = _line(run, "cwnd_packets")
    third = (len(line) - 1) // 3
    return (line[-1] - line[third]) / (at[-1] - at[third]) if line else None


@quantity("Mbit/s", "air", axis="at_s")
def rate_at(run: Result) -> dict[float, float]:
    """Acknowledged payload over time."""
    return _points(*_line(run, "acked_bytes"))


@quantity("packets", "air", digits=0, axis="at_s")
def window_at(run: Result) -> dict[float, float]:
    """Congestion window over time."""
    return _points(*_line(run, "cwnd_packets"))


@quantity("", "air", "sizes", "thinned", "released", "neighbours", digits=3, axis="use")
def air_share(run: Result) -> dict[str, float]:
    """Part of the time after the start that the air had a use."""
    spent = airtime(run)
    whole = sum(spent.values()) - START_S
    return {use: (spent[use] - START_S * (use == "idle")) / whole for use in USES}


@quantity("us", "air", digits=0)
def us_per_segment(run: Result) -> float:
    """Time that the flow needs for a segment."""
    seconds = sum(airtime(run).values()) - START_S
    return 1e6 * seconds / max(float(of_flow(run, "data_segments")), 1)


@quantity("", "air", "sizes", "thinned", "released")
def segments_per_access(run: Result) -> float:
    """Data segments for each time that the station sends data; repetitions count as accesses."""
    accesses = _of_senders(run, "data_ppdus")
    return float(of_flow(run, "data_segments")) / max(accesses, 1)


@quantity("", "air", "sizes", "block_acks", "errors", "stations")
def mpdus_at_once(run: Result) -> float:
    """MPDUs that a station sends at once."""
    return _of_senders(run, "mpdus") / max(_of_senders(run, "data_ppdus"), 1)


@quantity("", "thinned", "errors", "stations", "neighbours", "air", digits=4)
def repeated_share(run: Result) -> float:
    """MPDUs of the stations that the MAC repeated."""
    return _of_senders(run, "retries") / max(_of_senders(run, "mpdus"), 1)


@quantity("", "thinned", "released", digits=0)
def acks_in_air(run: Result) -> float:
    """MPDUs that the access point sent: TCP's ACKs, and repetitions of them."""
    table = columns(run, "stations")
    return float(
        sum(n for name, n in zip(table["station"], table["mpdus"], strict=True) if _ap(name))
    )


@quantity("", "errors", "neighbours", digits=4)
def given_up_share(run: Result) -> float:
    """Segments that the MAC of a station gave up, of those that TCP sent."""
    gone = sum(_of_senders(run, f"drops_{why}") for why in ("retry_limit", "lifetime_expired"))
    return gone / max(float(sum(columns(run, "flows")["data_segments"])), 1)


@quantity("", "stations", "neighbours", digits=3, most=1)
def fairness(run: Result) -> float | None:
    """Jain's index of the flows' goodputs."""
    rates = goodputs(run)
    return jain_index(rates) if len(rates) > 1 else None


@quantity("Mbit/s", "stations", "neighbours")
def worst(run: Result) -> float:
    """Goodput of the flow that has least."""
    return min(goodputs(run))


@quantity("", "stations")
def bbr3_share(run: Result) -> float | None:
    """Part of the sum that BBRv3 has where there are others."""
    of = [str(cc) for cc in columns(run, "flows")["cc"]]
    mine = sum(g for cc, g in zip(of, goodputs(run), strict=True) if cc == "bbr3")
    return mine / max(sum(goodputs(run)), 1e-9) if 0 < of.count("bbr3") < len(of) else None


@quantity("s", "walks", digits=1)
def silence(run: Result) -> float:
    """Longest time in which less than 1 Mbit/s was acknowledged."""
    longest = now = 0.0
    for rate in _line(run, "acked_bytes")[1]:
        now = 0.0 if rate > ALIVE else now + BIN_S
        longest = max(longest, now)
    return longest


@quantity("", "air_readings", digits=3)
def off_paper(run: Result) -> float:
    """Distance of the goodput from the thesis's table, as a share of the latter."""
    paper = _paper()[run.scenario.name]
    return abs(sum(goodputs(run)) - paper) / paper


@cache
def _paper() -> dict[str, float]:
    """Tables 4 and 5 by controller and cell, as `air_readings` names its runs."""
    path = Path(__file__).parent / "data" / "paper-wireless.csv"
    with path.open(encoding="utf-8") as f:
        rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
    return {
        f"{r['cc']} {r['aggregation'] or r['kilobytes'] + ' KB'}": float(r["value"]) for r in rows
    }


def _number(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


def _ap(station: str) -> bool:
    """Whether that is the access point: stations are called sta, or sta0 and so on."""
    return not station.startswith("sta")


def _of_senders(run: Result, column: str) -> float:
    """A sum over the stations, without the access point."""
    table = columns(run, "stations")
    each = zip(table["station"], table[column], strict=True)
    return float(sum(n for name, n in each if not _ap(name)))


def _samples(run: Result, column: str) -> list[float]:
    """Samples of the second half that have a value; none if nothing was sampled."""
    series = columns(run, "series")
    times = [float(t) for t in series["time_s"]]
    if not times:
        return []
    half = START_S + (times[-1] - START_S) / 2
    later = zip(times, (float(v) for v in series[column]), strict=True)
    return [v for t, v in later if t >= half and v == v]


@once_per_run
def _line(run: Result, column: str) -> tuple[list[float], list[float]]:
    """Middles of bins and what is in them: Mbit/s of acknowledged bytes, or a mean."""
    series = columns(run, "series")
    bins: dict[int, list[float]] = {}
    for t, v in zip(series["time_s"], series[column], strict=True):
        at = float(t) - START_S
        if at > 1e-9:
            # A sample at the end of a bin belongs to it.
            bins.setdefault((round(at * 1000) - 1) // round(1000 * BIN_S), []).append(float(v))
    if len(bins) < 3:
        return [], []
    middles = [BIN_S * (i + 0.5) for i in bins]
    if column != "acked_bytes":
        return middles, [fmean(v) for v in bins.values()]
    ends = [0.0, *(v[-1] for v in bins.values())]
    steps = [(b - a) * 8 / BIN_S / 1e6 for a, b in pairwise(ends)]
    return middles, steps


def _late(run: Result, column: str, of: Callable[[Sequence[float]], float]) -> float | None:
    """Of the second half."""
    _, line = _line(run, column)
    return of(line[len(line) // 2 :]) if line else None


def _swing(values: Sequence[float]) -> float:
    """Coefficient of variation."""
    mean = fmean(values)
    return pstdev(values) / mean if mean > 0 else 0.0


def _points(at: Sequence[float], values: Sequence[float]) -> dict[float, float]:
    """Means of a few bins, for a line that is drawn."""
    few = round(POINT_S / BIN_S)
    firsts = range(0, len(values) - few + 1, few)
    return {round(at[i] - BIN_S / 2 + POINT_S / 2, 3): fmean(values[i : i + few]) for i in firsts}


QUANTITIES = (
    throughput,
    resent,
    resent_share,
    rtos,
    mean_rtt,
    least_rtt,
    rtt_deviation,
    mean_window,
    largest_window,
    late_window,
    rate_swing,
    window_swing,
    overshoot,
    window_bend,
    window_growth,
    rate_at,
    window_at,
    air_share,
    us_per_segment,
    segments_per_access,
    mpdus_at_once,
    repeated_share,
    acks_in_air,
    given_up_share,
    fairness,
    worst,
    bbr3_share,
    silence,
    off_paper,
)
