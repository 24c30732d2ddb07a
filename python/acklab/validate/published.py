"""Eqs 4 to 8 (`acklab.fluid`) beside numbers that others printed of Bianchi's model.

Nothing is simulated: reference and answer are both numbers of a model. The references are

- the largest saturation throughput of 802.11b, of Bianchi's own chapter (`papers/bianchi.csv`);
- the throughput that ns-3 expects of its example `wifi-bianchi` (`ns3/wifi_contention.csv`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from math import ceil
from pathlib import Path

from scipy.optimize import minimize_scalar

import acklab
from acklab.fluid import access, durations
from acklab.validate.compare import Comparison, Metric
from acklab.validate.criteria import PUBLISHED
from acklab.validate.reference import Reference

_DATA = Path(acklab.__file__).parent / "data/validation"
#: DSSS (IEEE 802.11-2020 15 and 16), us: SIFS, slot, and the long preamble with its header.
_SIFS, _SLOT, _PREAMBLE = 10.0, 20.0, 192.0
#: Bytes of a packet, and of a header of three addresses with its FCS; no LLC is counted.
_PACKET, _HEADER = 1500, 28
#: Bits of ACK and CTS, and of RTS, at 1 Mbit/s.
_ACK, _RTS = 112, 160
#: So many stations are without end.
_MANY = 1_000_000


def check(source: str) -> list[Comparison]:
    """Every printed number."""
    return [*_bianchi(source), *_ns3(source)]


def largest(rate: float, rts: bool) -> float:
    """Mbit/s of 802.11b's 1500 bytes that saturated stations have together at most, whatever their
    windows: Eqs 5 and 7, by beta, for stations without end.

    Control frames go at 1 Mbit/s, and all wait for EIFS after a collision.
    """
    data = _PREAMBLE + 8 * (_HEADER + _PACKET) / rate
    ack, announced = _PREAMBLE + _ACK, _PREAMBLE + _RTS
    gap = access.difs(_SIFS, _SLOT)
    before = announced + ack + 2 * _SIFS if rts else 0.0
    cycle = before + data + _SIFS + ack
    success = access.eq7_success(cycle, gap)
    # A frame that collides ends with itself: the whole one, or the RTS.
    alone = announced if rts else data
    collision = access.eq7_collision(alone + _SIFS + ack, ack, _SIFS, access.eifs(_SIFS, ack, gap))

    def throughput(attempts: float) -> float:
        slots = access.eq7_probabilities(0.0, [(_MANY, attempts / _MANY)], 0.0)
        slot = float(access.eq7(slots, _SLOT, success, collision))
        return float(slots.success) * _PACKET * 8 / slot

    found = minimize_scalar(
        lambda a: -throughput(a), bounds=(1e-4, 2.0), method="bounded", options={"xatol": 1e-9}
    )
    return -float(found.fun)


def saturated(row: Mapping[str, str]) -> float:
    """Mbit/s of 5 to 50 saturated stations by Eqs 4 to 7, for a row of ns-3's: 802.11a, which has
    no QoS field, or 802.11ax, whose best effort waits a slot more; `eifs` or DIFS after collisions.
    """
    sifs, slot, gap = durations.SIFS, durations.SLOT, durations.DIFS
    psdu, wait, basic = durations.mpdu(_PACKET), gap + slot, 24
    if row["std"] == "a":
        bits = 4 * int(row["rate"].split()[0])
        psdu, wait, basic = psdu - 2, gap, min(bits // 4, 24)
        data = 20.0 + 4 * ceil((16 + 8 * psdu + 6) / bits)
    else:
        data = durations.Mode("ax", int(row["mcs"])).duration(psdu)
    ack = durations.legacy(basic, durations.ACK)
    stages = [(w + 1) / 2 for w in (16, 32, 64, 128, 256, 512)] + [512.5] * 200
    n = int(row["stations"])
    beta = access.random_access(n, 1, stages).beta
    cycle = data + sifs + ack
    eifs = (durations.eifs() - gap) * (row["eifs"] == "1")
    slots = access.eq7_probabilities(0.0, [(n, beta)], 0.0)
    success = access.eq7_success(cycle, wait)
    collision = access.eq7_collision(cycle, ack, sifs, wait + eifs)
    return float(slots.success * _PACKET * 8 / access.eq7(slots, slot, success, collision))


def _bianchi(source: str) -> Iterator[Comparison]:
    for row in csv.DictReader((_DATA / "papers/bianchi.csv").read_text().splitlines()):
        rts = row["access"] == "rts"
        ours = largest(float(row["rate_mbps"]), rts)
        keys = ("Eqs 5 and 7, largest", "RTS/CTS" if rts else "basic", f"{row['rate_mbps']} Mbit/s")
        yield _compared(source, keys, float(row["mbps"]), ours)


def _ns3(source: str) -> Iterator[Comparison]:
    for row in csv.DictReader((_DATA / "ns3/wifi_contention.csv").read_text().splitlines()):
        rate = row["rate"] or f"HE MCS {row['mcs']}"
        after = "EIFS" if row["eifs"] == "1" else "DIFS"
        keys = (f"Eqs 4 to 7, {row['stations']} stations", f"{rate}, {after}", "ns-3")
        yield _compared(source, keys, float(row["mbps"]), saturated(row))


def _compared(source: str, keys: tuple[str, str, str], theirs: float, ours: float) -> Comparison:
    tolerance = PUBLISHED["sum"]
    reference = Reference(
        source=source,
        keys=dict(zip(("controllers", "queue", "RTT"), keys, strict=True)),
        values={"sum": [theirs]},
        measures={},
        criteria=PUBLISHED,
        scenarios=[],
    )
    ok = tolerance.holds(ours, theirs)
    return Comparison(reference, [Metric("sum", theirs, theirs, theirs, ours, None, ok, None)])
