"""What passed a sender's interface: segments and ACKs, and what they say of a flow.

For captures of the kernel (run.py) and for the packets of a run here (tests/test_captures.py).
"""

import collections
import csv
import gzip
import hashlib
import io
import pathlib
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

MSS = 1448
#: Microseconds before which neither episodes nor phases count.
WARM = 5_000_000
#: Microseconds between two segments that BBR paces at 10 Mbit/s times 1.25, 1 and 0.75.
GAPS = {"up": (930, 1000), "cruise": (1150, 1250), "down": (1550, 1660)}


class Row(NamedTuple):
    """A data segment (`kind` is `D`) or an ACK (`A`), in bytes from the first of data."""

    #: Microseconds since the SYN.
    time: int
    kind: str
    #: The first byte of the segment, or the next one that the ACK waits for.
    number: int
    #: The segment's payload, or the window of the ACK.
    size: int
    #: Blocks of SACK, in the order of the option.
    sack: tuple[tuple[int, int], ...]


class Segment(NamedTuple):
    """A packet of TCP: time in the capture's unit, sender, fields, and length of the payload."""

    time: int
    source: bytes
    ports: tuple[int, int]
    seq: int
    ack: int
    flags: int
    window: int
    length: int
    options: dict[int, bytes]


def segments(path: pathlib.Path) -> Iterator[Segment]:
    """What a pcap file of Ethernet has; times are microseconds or nanoseconds, as the file's."""
    data = path.read_bytes()
    magic, network = struct.unpack_from("<I16xI", data)
    assert network == 1, "Ethernet"
    second = {0xA1B2C3D4: 10**6, 0xA1B23C4D: 10**9}[magic]
    at = 24
    while at + 16 <= len(data):
        sec, part, kept = struct.unpack_from("<3I", data, at)
        ip = at + 16 + 14
        at += 16 + kept
        total, source = struct.unpack_from(">2xH8x4s", data, ip)
        tcp = ip + 4 * (data[ip] & 15)
        *ports, seq, ack, bits, window = struct.unpack_from(">HHIIHH", data, tcp)
        start = tcp + 4 * (bits >> 12)
        options = dict(_options(data[tcp + 20 : start]))
        length = total - (start - ip)
        time, between = second * sec + part, (ports[0], ports[1])
        yield Segment(time, source, between, seq, ack, bits & 63, window, length, options)


def _options(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and value of each TCP option."""
    while text and text[0]:
        size = 1 if text[0] == 1 else text[1]
        yield text[0], text[2:size]
        text = text[size:]


def capture(path: pathlib.Path) -> Iterator[Row]:
    """The data and the ACKs of the one connection of a capture at its sender."""
    found = segments(path)
    syn = next(found)
    base = syn.seq + 1
    scale = next(s for s in found if s.source != syn.source).options[3][0]
    for s in found:
        time = s.time - syn.time
        if s.source == syn.source:
            if s.length:
                yield Row(time, "D", (s.seq - base) % (1 << 32), s.length, ())
        else:
            edges = [
                (n - base) % (1 << 32) for (n,) in struct.iter_unpack(">I", s.options.get(5, b""))
            ]
            sack = tuple(zip(edges[::2], edges[1::2], strict=True))
            yield Row(time, "A", (s.ack - base) % (1 << 32), s.window << scale, sack)


def phase(path: pathlib.Path) -> int:
    """Microseconds by which the SYN left after a tick of 4 ms.

    The machine's clock began at a whole second. Receivers measure round trips with timestamps of
    1 ms, and their timers fire at ticks, so when their windows grow depends on it.
    """
    return next(segments(path)).time % 4000


def save(path: pathlib.Path, rows: Iterable[Row]) -> None:
    """Writes rows as CSV, compressed; the same rows give the same bytes."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["time_us", "kind", "number", "size", "sack"])
    for r in rows:
        out.writerow([*r[:4], " ".join(f"{a}-{b}" for a, b in r.sack)])
    path.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def load(path: pathlib.Path) -> list[Row]:
    """What `save` wrote."""
    with gzip.open(path, "rt") as f:
        return [
            Row(
                int(r["time_us"]),
                r["kind"],
                int(r["number"]),
                int(r["size"]),
                tuple((int(a), int(b)) for a, b in (x.split("-") for x in r["sack"].split())),
            )
            for r in csv.DictReader(f)
        ]


def same(kernel: list[Row], here: list[Row], windows: bool) -> tuple[int, int]:
    """Rows of the kernel before the first difference, and how far times are apart until then.

    Segments and ACKs are compared each in their order: which of two goes first at one instant is
    chance.
    """
    until = kernel[-1].time + 1
    pairs = []
    for kind in "DA":
        mine = [[r for r in rows if r.kind == kind] for rows in (kernel, here)]
        pairs += list(zip(*mine, strict=False))
    for a, b in pairs:
        if a.number != b.number or a.sack != b.sack or (windows and a.size != b.size):
            until = min(until, a.time)
    apart = sorted(abs(a.time - b.time) for a, b in pairs if a.time < until)
    return sum(r.time < until for r in kernel), apart[len(apart) * 95 // 100]


def digest(rows: Iterable[Row]) -> str:
    """Of segments and ACKs, each in their order, with windows and without times."""
    rows = list(rows)
    said = hashlib.sha256()
    for kind in "DA":
        for r in rows:
            if r.kind == kind:
                said.update(repr(r[1:]).encode())
    return said.hexdigest()[:16]


def summary(rows: Iterable[Row], bbr: bool) -> dict[str, object]:
    """Segments, retransmissions, and from 5 s on the losses of each episode and BBR's phases.

    `episodes` has how many episodes had so many retransmissions; one ends when all that had been
    sent at its beginning is acknowledged. `up`, `cruise` and `down` have how many phases of BBR
    ended with so many packets in flight.
    """
    top = una = segments = again = 0
    end = -1
    episodes: collections.Counter[int] = collections.Counter()
    ends: dict[str, collections.Counter[int]] = {p: collections.Counter() for p in GAPS}
    lost = 0
    sacked: set[int] = set()
    before: int | None = None
    phase = ""
    for time, kind, number, _, sack in rows:
        if kind == "A":
            if number > una:
                una = number
                sacked = {x for x in sacked if x >= una}
            for a, b in sack:
                sacked.update(range(max(una, a), b, MSS))
            continue
        segments += 1
        if number < top:
            again += 1
            before, phase = None, ""
            if time > WARM:
                if una >= end:
                    episodes[lost] += 1
                    lost, end = 0, top
                lost += 1
            continue
        top = number + MSS
        gap = time - before if before is not None else 0
        before = time
        now = next((p for p, (a, b) in GAPS.items() if a < gap < b), "")
        if now and time > WARM:
            if phase and now != phase:
                ends[phase][(top - una) // MSS - len(sacked)] += 1
            phase = now
    episodes[lost] += 1
    return {
        "segments": segments,
        "retransmissions": again,
        "episodes": {str(k): n for k, n in sorted(episodes.items()) if k},
        **{p: {str(k): n for k, n in sorted(ends[p].items())} for p in ends if bbr},
    }
