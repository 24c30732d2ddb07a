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
    """Whether start-up goes on. Times in ns, rates in bytes a ns."""

    def __init__(self, case):
        self.mode = case["start_up"]
        self.growing = self.mode != "tamed"
        self.left = case["start_up_packets"] or None
        self.gaps = list(case["gaps"])
        self.gap_before = None
        self.max_rate = self.grown_to = 0.0
        self.stale = 0
        self.judged_at = None
        # Of the interval under way.
        self.began = self.last = None
        self.fresh = 0

    def take_gaps(self, before, rtt_at):
        """Losses that came before a time."""
        while self.gaps and self.gaps[0][0] < before:
            at, missing = self.gaps.pop(0)
            near = self.gap_before is not None and at <= self.gap_before + rtt_at(at)
            if missing > 1 or near:
                self.growing = False
            self.gap_before = at

    def on_packet(self, now, fresh, has_data):
        """A packet with a new number; whether it is one of start-up."""
        goes_on = self.growing and (self.left is None or self.left > 0)
        if self.left:
            self.left -= 1
        if has_data:
            self.last = now
            if self.began is None:
                self.began = now
            else:
                self.fresh += fresh
        return goes_on

    def on_tack(self, now, interval, rtt):
        """A TACK leaves."""
        took = self.last - self.began if self.began is not None else 0
        if self.fresh > 0 and took > 0 and took >= interval:
            rate = self.fresh / took
            # What the application limits counts if it raises the maximum, and so does all else.
            self.max_rate = max(self.max_rate, rate)
            self.began, self.fresh = self.last, 0
        due = self.judged_at is None or now >= self.judged_at + self.round
        if not self.growing or not due or rtt == 0:
            return
        self.judged_at, self.round = now, rtt
        if self.grown_to == 0 or self.max_rate > 1.25 * self.grown_to:
            self.grown_to, self.stale = self.max_rate, 0
        else:
            self.stale += 1
            self.growing = self.stale < 3


def departures(case, rates=True) -> list[tuple[int, str]]:
    """All TACKs that leave, as (time in ns, reason), in order.

    `case["changes"]` has minimum RTTs that hold from a time on, as (time in ns, RTT_min in ns). A
    packet may have more: its new bytes, and whether it has data. `rates`: start-up also ends when
    the rate has not grown.
    """
    changes = [(0, case["rtt_min"]), *case.get("changes", ())]

    def rtt_at(now):
        return next(rtt for at, rtt in reversed(changes) if at <= now)

    enough = case["l"] * case["mss"]
    start_up = StartUp(case)
    left, scheduled, pending, first = [], None, 0, 0

    def leave(tack):
        left.append(tack)
        rtt = rtt_at(tack[0]) if rates else 0
        start_up.on_tack(tack[0], bounded(case, rtt_at(tack[0])), rtt)

    for now, size, at_once, *more in case["packets"]:
        if scheduled and scheduled[0] < now:
            start_up.take_gaps(scheduled[0], rtt_at)
            leave(scheduled)
            scheduled, pending = None, 0
        start_up.take_gaps(now, rtt_at)
        interval = bounded(case, rtt_at(now))
        if pending == 0:
            first = now
        pending += max(size, 1)
        fresh, has_data = more or (size, size > 0)
        starts = start_up.on_packet(now, fresh, has_data)
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


def bounded(case, rtt_min: int) -> int:
    """The interval in ns."""
    return min(max(rtt_min // case["beta"], case["shortest"]), case["longest"])


def text() -> str:
    """Of CASES: parameters, packets, gaps and departures of each case; an empty line between."""
    names = ("beta", "l", "mss", "rtt_min", "shortest", "longest", "delayed")
    blocks = ["# Made by `python tests/tack_decisions.py` from docs/concepts/tack.md.\n"]
    for case in cases():
        told = [*(case[name] for name in names), START_UPS.index(case["start_up"])]
        lines = [" ".join(map(str, [*told, case["start_up_packets"]]))]
        lines.append(",".join(f"{t} {size} {int(flag)}" for t, size, flag in case["packets"]))
        lines.append(",".join(f"{t} {missing}" for t, missing in case["gaps"]) or "-")
        lines += [f"{time} {reason}" for time, reason in departures(case, rates=False)]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


if __name__ == "__main__":
    CASES.write_text(text(), encoding="utf-8")
