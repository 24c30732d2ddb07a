"""When TACKs leave, written from docs/concepts/tack.md alone, and 100 random cases of it.

`python tests/tack_decisions.py` writes the cases with the departures that the page's rules give.
The test of `crates/acklab-proto/src/tack/receiver/decisions.rs` holds the protocol against them.
"""

from __future__ import annotations

import random
from pathlib import Path

CASES = Path(__file__).parents[1] / "crates/acklab-proto/src/tack/receiver/decisions.txt"


START_UPS = ("tamed", "per-packet", "byte-counting")


def cases():
    """100 of them: parameters, packets as (time in ns, payload, asks for a TACK at once), and gaps
    that are losses as (time in ns, numbers that are missing)."""
    draw = random.Random(20)
    for number in range(100):
        mss = draw.choice([536, 1000, 1434, 1500])
        rtt = int(10 ** draw.uniform(4.5, 9))
        shortest = draw.choice([1_000, 1_000_000, 1_000_000, 20_000_000])
        longest = max(shortest, draw.choice([50_000_000, 250_000_000, 1_000_000_000]))
        gap = int(10 ** draw.uniform(4, 8))
        grain = draw.choice([1, 1, 1_000_000])
        full = draw.choice([1.0, 0.9, 0.3])
        lossy = draw.choice([0, 0.1, 0.3])
        now, packets, gaps = 0, [], []
        for _ in range(draw.randint(3, 25)):
            now += 1 + int(draw.expovariate(1 / gap))
            # Whole milliseconds in every third case: arrivals meet TACKs that are due then.
            now = -(-now // grain) * grain
            size = mss if draw.random() < full else draw.choice([0, 1, draw.randint(0, mss)])
            packets.append((now, size, draw.random() < 0.08))
            if draw.random() < lossy:
                gaps.append((now, draw.choice([1, 1, 1, 2, 5])))
        yield {
            "beta": draw.choice([2, 4, 4, 8]),
            "l": draw.choice([1, 2, 2, 4, 16]),
            "mss": mss,
            "rtt_min": rtt,
            "shortest": shortest,
            "longest": longest,
            "delayed": draw.choice([5_000_000, 25_000_000, 25_000_000, 100_000_000]),
            "start_up": START_UPS[number % 3],
            "start_up_packets": draw.choice([0, 5, 10, 128]),
            "packets": packets,
            "gaps": gaps,
        }


class StartUp:
    """Whether start-up goes on. Times in ns."""

    def __init__(self, case):
        self.growing = case["start_up"] != "tamed"
        self.left = case["start_up_packets"] or None
        self.gaps = list(case["gaps"])
        self.gap_before = None

    def take_gaps(self, before, rtt_min):
        """Losses that came before a time."""
        while self.gaps and self.gaps[0][0] < before:
            at, missing = self.gaps.pop(0)
            near = self.gap_before is not None and at <= self.gap_before + rtt_min
            if missing > 1 or near:
                self.growing = False
            self.gap_before = at

    def on_packet(self):
        """A packet with a new number; whether it is one of start-up."""
        goes_on = self.growing and (self.left is None or self.left > 0)
        if self.left:
            self.left -= 1
        return goes_on


def departures(case) -> list[tuple[int, str]]:
    """All TACKs that leave, as (time in ns, reason), in order."""
    enough = case["l"] * case["mss"]
    rtt_min, interval = case["rtt_min"], bounded(case)
    start_up = StartUp(case)
    left, scheduled, pending, first = [], None, 0, 0
    for now, size, at_once in case["packets"]:
        if scheduled and scheduled[0] < now:
            start_up.take_gaps(scheduled[0], rtt_min)
            left.append(scheduled)
            scheduled, pending = None, 0
        start_up.take_gaps(now, rtt_min)
        if pending == 0:
            first = now
        pending += max(size, 1)
        starts = start_up.on_packet()
        allowed = left[-1][0] + interval if left else now
        if at_once or size == 0:
            candidate = (max(allowed, now), "tack_now")
        elif starts and case["start_up"] == "per-packet":
            candidate = (now, "tack_start_up")
        elif pending >= enough and (
            allowed <= now or (starts and case["start_up"] == "byte-counting")
        ):
            candidate = (now, "tack_byte_count")
        elif pending >= enough:
            candidate = (allowed, "tack_periodic")
        else:
            candidate = (max(first + case["delayed"], allowed), "tack_delayed")
        sooner = scheduled is None or candidate[0] < scheduled[0]
        if sooner or (candidate[0] == scheduled[0] and scheduled[1] == "tack_delayed"):
            scheduled = candidate
    return [*left, scheduled] if scheduled else left


def bounded(case) -> int:
    """The interval in ns."""
    return min(max(case["rtt_min"] // case["beta"], case["shortest"]), case["longest"])


def losses(numbers, first, settle, rtt_at) -> list[tuple[int, int, int]]:
    """Gaps that become losses, as (time in ns, largest number below, number above), in order.

    `numbers` has (time in ns, packet number) of packets with new numbers; `rtt_at` is RTT_min at
    a time.
    """
    expected, reordered = first, False
    gaps: list[list[int]] = []  # due, first missing, behind the last missing
    told = []

    def tell(before):
        for gap in [g for g in gaps if g[0] < before]:
            gaps.remove(gap)
            told.append((gap[0], gap[1] - 1, gap[2]))

    for now, number in numbers:
        tell(now)
        if number >= expected:
            if number > expected:
                waits = settle == "always" or (settle == "once-reordered" and reordered)
                gaps.append([now + (rtt_at(now) // 4 if waits else 0), expected, number])
            expected = number + 1
            continue
        reordered = True
        for n, (due, start, end) in enumerate(gaps):
            if start <= number < end:
                parts = [[due, start, number], [due, number + 1, end]]
                gaps[n : n + 1] = [p for p in parts if p[1] < p[2]]
                break
    tell(float("inf"))
    return told


def text() -> str:
    """Of CASES: parameters, packets, gaps and departures of each case; an empty line between."""
    names = ("beta", "l", "mss", "rtt_min", "shortest", "longest", "delayed")
    blocks = ["# Made by `python tests/tack_decisions.py` from docs/concepts/tack.md.\n"]
    for case in cases():
        told = [*(case[name] for name in names), START_UPS.index(case["start_up"])]
        lines = [" ".join(map(str, [*told, case["start_up_packets"]]))]
        lines.append(",".join(f"{t} {size} {int(flag)}" for t, size, flag in case["packets"]))
        lines.append(",".join(f"{t} {missing}" for t, missing in case["gaps"]) or "-")
        lines += [f"{time} {reason}" for time, reason in departures(case)]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


if __name__ == "__main__":
    CASES.write_text(text(), encoding="utf-8")
