"""Disciplines in front of links as `tc -s qdisc` prints them.

Settings are those of the resolved scenario, counters those of `links`; layout and units are
iproute2's (`tc/q_*.c`). `Sent` counts packets that have arrived at the end of the link: some that
left the queue may still be on the line. What acklab does not count is left out: `backlog`,
`maxpacket`, the state of control laws, lists of flows, and of a shaper the overlimits. No packet is
ever requeued.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from acklab.formats.tc import printed_rate, printed_size, printed_time
from acklab.quantities import number

if TYPE_CHECKING:
    from acklab.results import Result

_Link = Mapping[str, Any]
_Row = Mapping[str, Any]


def text(result: Result) -> str:
    """A block for each link of limited rate, and for each with a discipline, that a packet came to.

    CAKE, HTB and queue trees are left to `acklab.formats.tc`.
    """
    rows = {row["link"]: row for row in result.links.iter_rows(named=True)}
    written = tomllib.loads(result.scenario.resolved).get("link", [])
    both = (way for link in written for way in (link, link.get("reverse")) if way)
    shown = ((link, rows[link["name"]]) for link in both if link["name"] in rows)
    return "\n\n".join("\n".join(_block(link, row)) for link, row in shown if _is_told(link, row))


def _is_told(link: _Link, row: _Row) -> bool:
    limited = link["rate"] != "unlimited" or _name(link) != "pfifo"
    return bool(row["packets_in"]) and limited and _name(link) in _SETTINGS


def _name(link: _Link) -> str:
    qdisc = link["qdisc"]
    name = qdisc if isinstance(qdisc, str) else qdisc["name"]
    if name == "pfifo" and not link["queue"].endswith(("packets", "packet")):
        return "bfifo"
    return str(name).replace("-", "_")


def _block(link: _Link, row: _Row) -> list[str]:
    name = _name(link)
    qdisc = link["qdisc"] if isinstance(link["qdisc"], dict) else {}
    settings = " ".join(_SETTINGS[name]({**qdisc, "queue": link.get("queue", "")}))
    overlimits = "" if name == "tbf" else f" overlimits {_overlimits(name, row)}"
    return [
        f"qdisc {name} on {link['name']} {settings}".rstrip(),
        f" Sent {row['bytes_out']} bytes {row['packets_out']} pkt "
        f"(dropped {row['drops_queue_full'] + row['drops_aqm']},{overlimits} requeues 0)",
        *(_COUNTERS[name](row) if name in _COUNTERS else ()),
    ]


def _overlimits(name: str, row: _Row) -> int:
    """RED alone counts them: what it dropped early, and what it marked (`red_enqueue`)."""
    return row["drops_aqm"] + row["marks"] if name == "red" else 0


def _fifo(q: _Link) -> Iterator[str]:
    yield f"limit {_limit(q['queue'])}"


def _codel(q: _Link) -> Iterator[str]:
    yield from _fifo(q)
    yield from _law(q)
    yield from _flags(q, "ecn")


def _law(q: _Link) -> Iterator[str]:
    yield f"target {_time(q['target'])}"
    if q["ce_threshold"] != "none":
        yield f"ce_threshold {_time(q['ce_threshold'])}"
    yield f"interval {_time(q['interval'])}"


def _fq_codel(q: _Link) -> Iterator[str]:
    yield from _fifo(q)
    yield f"flows {q['flows']} quantum {q['quantum']}"
    yield from _law(q)
    yield f"memory_limit {printed_size(q['memory_limit'])}"
    yield from _flags(q, "ecn")
    yield f"drop_batch {q['drop_batch']}"


def _pie(q: _Link) -> Iterator[str]:
    yield from _fifo(q)
    yield f"target {_time(q['target'])} tupdate {_time(q['tupdate'])}"
    # tc has sixteenths.
    yield f"alpha {round(16 * q['alpha'])} beta {round(16 * q['beta'])}"
    yield from _flags(q, "ecn", "bytemode", "dq_rate_estimator")


def _red(q: _Link) -> Iterator[str]:
    limit = _bytes(q["queue"])
    # What is not written, tc works out (`red_parse_opt`).
    least = _bytes(q["min"]) if "min" in q else None
    most = _bytes(q["max"]) if "max" in q else limit // 4 if least is None else 3 * least
    sizes = (printed_size(n) for n in (limit, most // 3 if least is None else least, most))
    yield "limit {} min {} max {}".format(*sizes)
    yield from _flags(q, "ecn", "harddrop", "adaptive", "nodrop")


def _tbf(q: _Link) -> Iterator[str]:
    yield f"rate {_rate(q['rate'])}"
    if "burst" in q:
        yield f"burst {printed_size(_bytes(q['burst']))}"
    if q["peakrate"] != "none":
        yield f"peakrate {_rate(q['peakrate'])}"
        if "mtu" in q:
            yield f"minburst {printed_size(_bytes(q['mtu']))}"
    if q["latency"] != "none":
        yield f"lat {_time(q['latency'])}"


def _flags(q: _Link, *names: str) -> Iterator[str]:
    return (name for name in names if q[name])


_SETTINGS: dict[str, Callable[[_Link], Iterator[str]]] = {
    "pfifo": _fifo,
    "bfifo": _fifo,
    "pfifo_head_drop": _fifo,
    "codel": _codel,
    "fq_codel": _fq_codel,
    "pie": _pie,
    "red": _red,
    "tbf": _tbf,
}


def _codel_counters(r: _Row) -> list[str]:
    return [f"  ecn_mark {r['marks']} drop_overlimit {r['drops_queue_full']}"]


def _fq_codel_counters(r: _Row) -> list[str]:
    return [f"  drop_overlimit {r['drops_queue_full']} ecn_mark {r['marks']}"]


def _pie_counters(r: _Row) -> list[str]:
    # It drops arrivals only.
    joined = r["packets_in"] - r["drops_queue_full"] - r["drops_aqm"]
    return [
        f"  pkts_in {joined} overlimit {r['drops_queue_full']} dropped {r['drops_aqm']} "
        f"maxq {r['queue_max_packets']} ecn_mark {r['marks']}"
    ]


def _red_counters(r: _Row) -> list[str]:
    # `other` counts drops of disciplines inside, of which RED has none here.
    return [f"  marked {r['marks']} early {r['drops_aqm']} pdrop {r['drops_queue_full']} other 0"]


_COUNTERS: dict[str, Callable[[_Row], list[str]]] = {
    "codel": _codel_counters,
    "fq_codel": _fq_codel_counters,
    "pie": _pie_counters,
    "red": _red_counters,
}


def _bytes(size: str) -> int:
    return round(number(size))


def _time(span: str) -> str:
    return printed_time(1e3 * number(span))


def _rate(rate: str) -> str:
    return printed_rate(1e-6 * number(rate))


def _limit(queue: str) -> str:
    packets = queue.removesuffix("s").removesuffix(" packet")
    return f"{packets}p" if packets.isdigit() else printed_size(_bytes(queue))
