"""The paper's equations in floating point, written from the paper and not from the protocol.

Rates are in bit/s, times in seconds, sizes in bytes, frequencies in Hz, loss rates as shares.
"""

from __future__ import annotations

#: Defaults of section 4.1, and the full-sized packet of section 6.1.
BETA, L, MSS = 4, 2, 1500


def byte_counting(bw: float, packets: int = L, mss: int = MSS) -> float:
    """Eq. 1: f_b = bw / (L MSS); with one packet Eq. 4, TCP that acknowledges each."""
    return bw / (packets * mss * 8)


def periodic(alpha: float) -> float:
    """Eq. 2: f_pack = 1 / alpha."""
    return 1 / alpha


def tack(bw: float, rtt_min: float, beta: int = BETA, packets: int = L, mss: int = MSS) -> float:
    """Eq. 3: f_tack = min { bw / (L MSS), beta / RTT_min }."""
    return min(byte_counting(bw, packets, mss), periodic(rtt_min / beta))


def delayed(bw: float, gamma: float, mss: int = MSS) -> float:
    """Eq. 5: TCP's delayed ACK, with the timer gamma."""
    return byte_counting(bw, 1 if bw < 2 * mss * 8 / gamma else 2, mss)


def is_periodic(bw: float, rtt_min: float, beta: int = BETA, packets: int = L) -> bool:
    """Section 4.1: periodic where bdp >= beta L MSS."""
    return bw * rtt_min / 8 >= beta * packets * MSS


def critical_ack_loss(bw: float, rtt_min: float, rho: float, q: int, packets: int = L) -> float:
    """Eqs. 6 and 9: the loss rate of ACKs above which a TACK should carry more."""
    if is_periodic(bw, rtt_min, packets=packets):
        return q * MSS * 8 / (rho * bw * rtt_min)
    return q / (rho * packets)


def lost_iacks(bw: float, rtt_min: float, rho: float, rho_ack: float, packets: int = L) -> float:
    """Eqs. 7 and 8: IACKs that are lost in a round trip, or per TACK where bdp is small."""
    if is_periodic(bw, rtt_min, packets=packets):
        return rho * rho_ack * bw * rtt_min / (MSS * 8)
    return rho * rho_ack * packets


def largest_l(q: int, rho: float, rho_ack: float) -> float:
    """Eq. 10: L <= Q / (rho rho')."""
    return q / (rho * rho_ack)


def least_window(beta: int) -> float:
    """Eq. 11: W_min in bandwidth-delay products."""
    return beta / (beta - 1)
