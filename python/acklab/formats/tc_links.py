"""Disciplines in front of links as `tc -s qdisc` prints them.

Settings are those of the resolved scenario, counters those of `links`; layout and units are
iproute2's (`tc/q_*.c`). `Sent` counts packets that have arrived at the end of the link: some that
left the queue may still be on the line. CoDel and FQ-CoDel inside a shaper or a class have counters
of their own (`Result.queues`). What acklab does not count is left out: `backlog` of a link,
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
    """A block for each link of limited rate, and for each with a discipline, that a packet came to;
    and one for each CoDel and FQ-CoDel inside such a discipline.

    CAKE, HTB and queue trees are left to `acklab.formats.tc`.
    """
    rows = {row["link"]: row for row in result.links.iter_rows(named=True)}
    written = tomllib.loads(result.scenario.resolved).get("link", [])
    both = (way for link in written for way in (link, link.get("reverse")) if way)
    counted = {(q["place"], q["class"]): q for q in result.queues}
    blocks: list[list[str]] = []
    for link in both:
        row = rows.get(link["name"])
        if row and _is_told(link, row):
            blocks.append(_block(link, row, _counters_of(link, counted)))
        blocks += _blocks_inside(link, counted)
    return "\n\n".join("\n".join(block) for block in blocks)


def _counters_of(link: _Link, counted: Mapping[tuple[str, str], _Row]) -> _Row:
    """What the link's CoDel or FQ-CoDel itself has counted; nothing of other disciplines."""
    qdisc = link["qdisc"]
    name = qdisc if isinstance(qdisc, str) else qdisc["name"]
    return counted.get((link["name"], name), {})


def _blocks_inside(link: _Link, counted: Mapping[tuple[str, str], _Row]) -> Iterator[list[str]]:
    """A block for each CoDel and FQ-CoDel inside the link's discipline that a packet came to."""
    qdisc = link["qdisc"]
    for classes, child in _inside(qdisc, ()) if isinstance(qdisc, dict) else ():
        row = counted.get((link["name"], "/".join((*classes, child["name"]))))
        if row and row["pkts_sent"] + row["drops"] + row["backlog_packets"]:
            place = link["name"] + (f" in {'/'.join(classes)}" if classes else "")
            yield _block_inside(child, place, row)


def _inside(qdisc: _Link, classes: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], _Link]]:
    """The disciplines inside, each with the names of the classes around it."""
    parts = qdisc.get("classes") or qdisc.get("queues") or ()
    named = [((*classes, part.get("name", str(i))), part) for i, part in enumerate(parts)]
    for around, part in [(classes, qdisc), *named]:
        if "child" in part:
            yield around, part["child"]
            yield from _inside(part["child"], around)


def _block_inside(child: _Link, place: str, row: _Row) -> list[str]:
    name = child["name"].replace("-", "_")
    marks = {"marks": row["marks"], "drops_queue_full": row["drop_overlimit"]}
    return [
        f"qdisc {name} on {place} {' '.join(_SETTINGS[name](child))}",
        f" Sent {row['bytes_sent']} bytes {row['pkts_sent']} pkt "
        f"(dropped {row['drops']}, overlimits 0 requeues 0)",
        f" backlog {row['backlog_bytes']}b {row['backlog_packets']}p requeues 0",
        *_COUNTERS[name]({**row, **marks}),
    ]


def _is_told(link: _Link, row: _Row) -> bool:
    limited = link["rate"] != "unlimited" or _name(link) != "pfifo"
    return bool(row["packets_in"]) and limited and _name(link) in _SETTINGS


def _name(link: _Link) -> str:
    qdisc = link["qdisc"]
    name = qdisc if isinstance(qdisc, str) else qdisc["name"]
    if name == "pfifo" and not link["queue"].endswith(("packets", "packet")):
        return "bfifo"
    return str(name).replace("-", "_")


def _block(link: _Link, row: _Row, counted: _Row) -> list[str]:
    name = _name(link)
    qdisc = link["qdisc"] if isinstance(link["qdisc"], dict) else {}
    settings = " ".join(_SETTINGS[name]({**qdisc, "queue": link.get("queue", "")}))
    overlimits = "" if name == "tbf" else f" overlimits {_overlimits(name, row)}"
    return [
        f"qdisc {name} on {link['name']} {settings}".rstrip(),
        f" Sent {row['bytes_out']} bytes {row['packets_out']} pkt "
        f"(dropped {row['drops_queue_full'] + row['drops_aqm']},{overlimits} requeues 0)",
        *(_COUNTERS[name]({**counted, **row}) if name in _COUNTERS else ()),
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
    of_law, by_threshold = _marks(r)
    return [f"  ecn_mark {of_law} drop_overlimit {r['drops_queue_full']}{by_threshold}"]


def _fq_codel_counters(r: _Row) -> list[str]:
    of_law, by_threshold = _marks(r)
    return [f"  drop_overlimit {r['drops_queue_full']} ecn_mark {of_law}{by_threshold}"]


def _marks(r: _Row) -> tuple[int, str]:
    """Marks of the control law, and those by `ce_threshold`, which are told if there are any."""
    by_threshold = r.get("ce_marks", 0)
    return r["marks"] - by_threshold, f" ce_mark {by_threshold}" if by_threshold else ""


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
