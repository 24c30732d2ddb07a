"""The counters of queue disciplines as `tc -s` prints them.

Layout, units and rounding of iproute2 (`tc/q_cake.c`, `tc/q_htb.c`, `print_rate`, `print_size`,
`print_time`). Settings of CAKE are left out, and so is what no simulated queue has: giants, tokens
and the offset of the network header. No packet is ever requeued.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

_Row = dict[str, Any]
_MS = 1e3


def text(queue_classes: pl.DataFrame) -> str:
    """The rows of `queue_classes` as `tc -s qdisc` and `tc -s class` print them; a block for each
    CAKE, and one for each class of HTB or a queue tree, where a packet came."""
    return "\n\n".join("\n".join(b) for b in _blocks(queue_classes.to_dicts()))


def _blocks(rows: Sequence[_Row]) -> Iterator[list[str]]:
    # A class to which none came is shown with the others of its tree.
    busy = {row["place"] for row in rows if row["part"] == "class" and _saw_any(row)}
    for i, row in enumerate(rows):
        idle = row["part"] != "tin" and not _saw_any(row)
        if row["part"] == "tin" or (idle and not (row["part"] == "class" and row["place"] in busy)):
            continue
        if row["part"] == "class":
            yield _class(row)
            continue
        tins = []
        for tin in rows[i + 1 :]:
            if tin["part"] != "tin":
                break
            tins.append(tin)
        yield _cake(row, tins)


def _saw_any(row: _Row) -> bool:
    return bool(row["pkts_sent"] + row["drops"] + row["backlog_packets"])


def _sent(row: _Row) -> list[str]:
    return [
        f" Sent {row['bytes_sent']} bytes {row['pkts_sent']} pkt "
        f"(dropped {row['drops']}, overlimits {row['overlimits']} requeues 0)",
        f" backlog {row['backlog_bytes']}b {row['backlog_packets']}p requeues 0",
    ]


def _class(row: _Row) -> list[str]:
    prio = "" if row["prio"] is None else f" prio {row['prio']}"
    rates = f"rate {printed_rate(row['rate_mbps'])} ceil {printed_rate(row['ceil_mbps'])}"
    return [
        f"class {row['class']} on {row['place']}{prio} {rates}",
        *_sent(row),
        f" lended: {row['lended']} borrowed: {row['borrowed']}",
    ]


def _cake(row: _Row, tins: Sequence[_Row]) -> list[str]:
    outer, _, _ = row["class"].rpartition("/")
    # The tins of a CAKE inside a class have its name before theirs.
    within = len(outer) + 1 if outer else 0
    used, limit = (printed_size(int(row[f"memory_{of}_bytes"])) for of in ("used", "limit"))
    table = [(name, *(value(t) for t in tins)) for name, value in _TIN]
    return [
        f"qdisc cake on {row['place']}" + (f" in {outer}" if outer else ""),
        *_sent(row),
        f" memory used: {used} of {limit}",
        f" capacity estimate: {printed_rate(row['capacity_mbps'])}",
        f" min/max network layer size: {_sizes(row, 'network_size', 12)}",
        f" min/max overhead-adjusted size: {_sizes(row, 'adj_size', 8)}",
        "",
        " " * 10 + "".join(f"{t['class'][within:]:>16}" for t in tins),
        *(f"  {name:<8}" + "".join(f"{v:>16}" for v in values) for name, *values in table),
    ]


def _sizes(row: _Row, of: str, width: int) -> str:
    least, most = (int(row[f"{end}_{of}"] or 0) for end in ("min", "max"))
    return f"{least:>{width}} / {most:>7}"


def _count(column: str) -> Callable[[_Row], str]:
    return lambda row: str(row[column])


def _time_of(column: str) -> Callable[[_Row], str]:
    return lambda row: printed_time(row[column])


#: The lines of a CAKE's table, as `tc` has them.
_TIN: tuple[tuple[str, Callable[[_Row], str]], ...] = (
    ("thresh", lambda r: printed_rate(r["threshold_mbps"])),
    ("target", _time_of("target_ms")),
    ("interval", _time_of("interval_ms")),
    ("pk_delay", _time_of("pk_delay_ms")),
    ("av_delay", _time_of("av_delay_ms")),
    ("sp_delay", _time_of("sp_delay_ms")),
    ("backlog", lambda r: f"{r['backlog_bytes']}b"),
    ("pkts", _count("pkts_arrived")),
    ("bytes", _count("bytes_arrived")),
    ("way_inds", _count("way_inds")),
    ("way_miss", _count("way_miss")),
    ("way_cols", _count("way_cols")),
    ("drops", _count("drops")),
    ("marks", _count("ecn_marks")),
    ("ack_drop", _count("ack_drop")),
    ("sp_flows", _count("sp_flows")),
    ("bk_flows", _count("bk_flows")),
    ("un_flows", _count("un_flows")),
    ("max_len", _count("max_len")),
    ("quantum", _count("quantum_bytes")),
)


def printed_rate(mbps: float | None) -> str:
    """A rate in the largest unit that keeps four digits or more of it."""
    rate = 0 if mbps is None else round(mbps * 1e6)
    for unit in ("", "K", "M", "G"):
        if rate < 1000 or (rate % 1000 and rate < 1_000_000):
            return f"{rate}{unit}bit"
        rate //= 1000
    return f"{rate}Tbit"


def printed_time(ms: float) -> str:
    """A time with three digits."""
    us = round(ms * _MS)
    if us >= 1_000_000:
        return f"{us / 1e6:.3g}s"
    return f"{us / _MS:.3g}ms" if us >= 1000 else f"{us}us"


def printed_size(size: int) -> str:
    """A size in the largest unit that is close to it."""
    for unit, name, close in ((1 << 20, "Mb", 1024), (1 << 10, "Kb", 16)):
        if size >= unit and abs(unit * round(size / unit) - size) < close:
            return f"{round(size / unit)}{name}"
    return f"{size}b"
