"""Closed forms that others published, for what the simulator also does.

Rates are in packets per second, times in seconds, probabilities from 0 to 1.
"""

from __future__ import annotations

from math import inf, log, sqrt

from acklab.fluid.domain import Symbol, Symbols, above_zero, from_zero, need, probability

equation = Symbols(
    rtt=above_zero("s", 0.04, name="RTT"),
    rtt_min=above_zero("s", 0.04, name="RTT_min"),
    p=probability(0.01, above=True),
    rto=above_zero("s", 1.0, name="T_0"),
    b=above_zero("", 1.0),
    most=above_zero("", 1000.0, infinite=True, name="W_m"),
    window=above_zero("packet", 100.0, name="W"),
    bdp=above_zero("packet", 200.0),
    beta=Symbol("", 4.0, low=2.0),
    rate=from_zero("1/s", 1000.0, name="bw"),
    packets=above_zero("", 2.0, name="L"),
    interval=above_zero("s", 0.025, name="alpha"),
    delay=above_zero("s", 0.04, name="gamma"),
    blocks=above_zero("", 4.0, name="Q"),
    loss=probability(0.02, name="rho"),
    ack_loss=probability(0.1, above=True, name="rho'"),
)
#: One packet or more.
_EACH = Symbol("", 2.0, low=1.0, name="packets per ACK")


@equation("Mathis", "1/s")
def mathis(rtt: float, p: float, b: float = 1) -> float:
    """Rate of Reno with random losses: M. Mathis, J. Semke, J. Mahdavi, T. Ott, *The Macroscopic
    Behavior of the TCP Congestion Avoidance Algorithm*, CCR 27(3), 1997, Eq 3: one loss in each
    sawtooth of 1/p packets. `b` packets share an ACK; 1 where growth counts bytes."""
    return sqrt(3 / (2 * b * p)) / rtt


@equation("PFTK", "1/s")
def pftk(rtt: float, p: float, rto: float, b: float = 1, most: float = inf) -> float:
    """Rate of Reno with timeouts: J. Padhye, V. Firoiu, D. Towsley, J. Kurose, *Modeling TCP
    Throughput*, SIGCOMM 1998, Eq 33. `most` is the largest window, packets."""
    waits = rto * min(1.0, 3 * sqrt(3 * b * p / 8)) * p * (1 + 32 * p * p)
    return min(most / rtt, 1 / (rtt * sqrt(2 * b * p / 3) + waits))


@equation("PFTK", "1/s", p=probability(0.01, above=True, below=True))
def pftk_full(rtt: float, p: float, rto: float, b: float = 1) -> float:
    """The same by the whole model, packets per second that arrive: Padhye et al., Eqs 28, 29 and
    13, with their Q of three ACKs that do not come and f of timeouts that double.

    A loss takes the rest of its round with it there, and Reno has no SACK.
    """
    half = (2 + b) / (3 * b)
    window = half + sqrt(8 * (1 - p) / (3 * b * p) + half * half)
    s = 1 - p
    timeout = 1.0
    if window > 3:
        timeout = min(1.0, (1 - s**3) * (1 + s**3 * (1 - s ** (window - 3))) / (1 - s**window))
    doubles = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    packets = s / p + window / 2 + timeout
    return packets / (rtt * (b / 2 * window + 1) + timeout * rto * doubles / s)


@equation("TACK, Eq 11", "")
def tack_share(window: float, bdp: float, beta: float = 4) -> float:
    """Part of a path's rate that a `window` of so many packets gets with `beta` TACKs in a round
    trip. Packets that a TACK releases wait for a whole interval at the receiver, so that it is
    window / (bdp (1 + 1 / beta)). Eq 11 asks for beta / (beta - 1) of a bandwidth-delay product,
    which is more than that: for beta 4 a third instead of a quarter."""
    return min(1.0, window / (bdp * (1 + 1 / beta)))


@equation(
    "RFC 9438",
    "",
    c=above_zero("1/s**3", 0.4, name="C"),
    beta=probability(0.7, above=True, below=True),
)
def cubic_window(rtt: float, p: float, c: float = 0.4, beta: float = 0.7) -> float:
    """Mean window of CUBIC, packets (RFC 9438 5.1, Eq 6), and no less than Reno's."""
    own = float((c * (3 + beta) / (4 * (1 - beta))) ** 0.25 * (rtt / p) ** 0.75)
    return max(own, sqrt(1.5 / p))


@equation(
    "RFC 3449",
    ("", ""),
    forward=above_zero("bit/s", 50e6),
    reverse=above_zero("bit/s", 1e6, infinite=True),
    data=above_zero("bit", 12e3),
    ack=above_zero("bit", 320.0),
    every=above_zero("", 1.0),
)
def asymmetry(
    forward: float, reverse: float, data: float, ack: float, every: float = 1
) -> tuple[float, float]:
    """RFC 3449 section 2: the normalised bandwidth ratio k, and the share of the forward rate that
    the ACKs' way lets pass.

    Rates are in bit/s, sizes in bits; `every` data packets share an ACK. With more ACKs than the
    way back carries (k > `every`), data goes as fast as ACKs come.
    """
    k = (forward / data) / (reverse / ack)
    return k, min(1.0, every / k) if k > 0 else 1.0


@equation("TACK, Eq 1", "1/s")
def byte_counting(rate: float, packets: float) -> float:
    """ACKs per second with one for each `packets` (TACK paper, Eq 1; Eq 4 with one)."""
    return rate / packets


@equation("TACK, Eq 2", "1/s")
def periodic(interval: float) -> float:
    """ACKs per second with one each `interval` (Eq 2)."""
    return 1 / interval


@equation("TACK, Eq 3", "1/s")
def tack(rate: float, rtt_min: float, packets: float = 2, beta: float = 4) -> float:
    """ACKs per second of TACK (Eq 3): `beta` in a smallest round trip, or one for each `packets`,
    whichever is fewer."""
    return min(byte_counting(rate, packets), beta / rtt_min)


@equation("TACK, Eq 5", "1/s")
def delayed(rate: float, delay: float) -> float:
    """ACKs per second of delayed ACKs (Eq 5): every second packet, or each, if fewer than two
    arrive in a `delay`."""
    return rate if rate < 2 / delay else rate / 2


@equation("TACK, 4.1", "")
def pivot(packets: float = 2, beta: float = 4) -> float:
    """Bandwidth-delay product, packets, from which TACK is periodic (4.1)."""
    return beta * packets


@equation("TACK, Eqs 7 to 9", "", bdp=above_zero("", 200.0))
def iack_loss(blocks: float, loss: float, bdp: float, packets: float = 2, beta: float = 4) -> float:
    """Loss rate of the way back up to which `blocks` in a TACK report every loss (Eqs 7 to 9)."""
    of = bdp if bdp >= pivot(packets, beta) else packets
    return 1.0 if loss * of <= blocks else blocks / (loss * of)


@equation("TACK, Eq 10", "", loss=probability(0.02, above=True, name="rho"))
def most_packets(blocks: float, loss: float, ack_loss: float) -> float:
    """Largest L (Eq 10)."""
    return blocks / (loss * ack_loss)


@equation("TACK, Eq 11", "packet")
def least_window(bdp: float, beta: float) -> float:
    """Smallest window that fills the path with `beta` ACKs in a round trip (Eq 11)."""
    return beta / (beta - 1) * bdp


@equation("RFC 3465", "", packets=_EACH, limit=above_zero("", 2.0, infinite=True, name="L"))
def slow_start(packets: float, limit: float) -> float:
    """Growth of a window in a round trip of slow start, when one ACK arrives for `packets`, and
    counts for `limit` at most (RFC 3465's L; 1 is growth by ACK, infinity by byte)."""
    return 1 + min(packets, limit) / packets


@equation(
    "RFC 3465",
    "",
    window=above_zero("packet", 100.0, name="the window"),
    first=above_zero("packet", 10.0, name="the first window"),
    packets=_EACH,
    limit=above_zero("", 2.0, infinite=True, name="L"),
)
def rounds_to(window: float, first: float, packets: float, limit: float) -> float:
    """Round trips of slow start from `first` to `window`."""
    need(window >= first, "RFC 3465", "the window", window, f"at least the first, {first}")
    return log(window / first) / log(slow_start(packets, limit))


@equation("RFC 5681", "", packets=_EACH)
def avoidance(packets: float, by_byte: bool) -> float:
    """Packets that Reno's window grows by in a round trip: by ACK 1 in `packets` of them
    (RFC 5681 Eq 3), by byte 1 (RFC 3465 2.1)."""
    return 1.0 if by_byte else 1 / packets
