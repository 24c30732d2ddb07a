"""When TACKs leave, written from docs/concepts/tack.md alone, and 100 random cases of it.

`python tests/tack_decisions.py` writes the cases with the departures that the page's rules give.
The test of `crates/acklab-proto/src/tack/receiver/decisions.rs` holds the protocol against them.
"""

from __future__ import annotations

import random
from pathlib import Path

CASES = Path(__file__).parents[1] / "crates/acklab-proto/src/tack/receiver/decisions.txt"


def cases():
    """100 of them: parameters, and packets as (time in ns, payload, asks for a TACK at once)."""
    draw = random.Random(20)
    for _ in range(100):
        mss = draw.choice([536, 1000, 1434, 1500])
        rtt = int(10 ** draw.uniform(4.5, 9))
        shortest = draw.choice([1_000, 1_000_000, 1_000_000, 20_000_000])
        longest = max(shortest, draw.choice([50_000_000, 250_000_000, 1_000_000_000]))
        gap = int(10 ** draw.uniform(4, 8))
        grain = draw.choice([1, 1, 1_000_000])
        full = draw.choice([1.0, 0.9, 0.3])
        now, packets = 0, []
        for _ in range(draw.randint(3, 25)):
            now += 1 + int(draw.expovariate(1 / gap))
            # Whole milliseconds in every third case: arrivals meet TACKs that are due then.
            now = -(-now // grain) * grain
            size = mss if draw.random() < full else draw.choice([0, 1, draw.randint(0, mss)])
            packets.append((now, size, draw.random() < 0.08))
        yield {
            "beta": draw.choice([2, 4, 4, 8]),
            "l": draw.choice([1, 2, 2, 4, 16]),
            "mss": mss,
            "rtt_min": rtt,
            "shortest": shortest,
            "longest": longest,
            "delayed": draw.choice([5_000_000, 25_000_000, 25_000_000, 100_000_000]),
            "packets": packets,
        }


def departures(case) -> list[tuple[int, str]]:
    """All TACKs that leave, as (time in ns, reason), in order. Without start-up: no rule 2.

    `case["changes"]` has minimum RTTs that hold from a time on, as (time in ns, RTT_min in ns).
    """
    interval = bounded(case, case["rtt_min"])
    changes = list(case.get("changes", ()))
    enough = case["l"] * case["mss"]
    left, scheduled, pending, first = [], None, 0, 0
    for now, size, at_once in case["packets"]:
        while changes and changes[0][0] <= now:
            interval = bounded(case, changes.pop(0)[1])
        if scheduled and scheduled[0] < now:
            left.append(scheduled)
            scheduled, pending = None, 0
        if pending == 0:
            first = now
        pending += max(size, 1)
        allowed = left[-1][0] + interval if left else now
        if at_once or size == 0:
            candidate = (max(allowed, now), "tack_now")
        elif pending >= enough and allowed <= now:
            candidate = (now, "tack_byte_count")
        elif pending >= enough:
            candidate = (allowed, "tack_periodic")
        else:
            candidate = (max(first + case["delayed"], allowed), "tack_delayed")
        sooner = scheduled is None or candidate[0] < scheduled[0]
        if sooner or (candidate[0] == scheduled[0] and scheduled[1] == "tack_delayed"):
            scheduled = candidate
    return [*left, scheduled] if scheduled else left


def bounded(case, rtt_min: int) -> int:
    """The interval in ns."""
    return min(max(rtt_min // case["beta"], case["shortest"]), case["longest"])


def text() -> str:
    """Of CASES: parameters, packets and departures of each case, an empty line between two."""
    names = ("beta", "l", "mss", "rtt_min", "shortest", "longest", "delayed")
    blocks = ["# Made by `python tests/tack_decisions.py` from docs/concepts/tack.md.\n"]
    for case in cases():
        lines = [" ".join(str(case[name]) for name in names)]
        lines.append(",".join(f"{t} {size} {int(flag)}" for t, size, flag in case["packets"]))
        lines += [f"{time} {reason}" for time, reason in departures(case)]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


if __name__ == "__main__":
    CASES.write_text(text(), encoding="utf-8")
