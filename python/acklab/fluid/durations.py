"""How long 802.11 PPDUs last at 5 GHz, by the tables and formulas of IEEE 802.11-2020 and of
802.11ax-2021.

Microseconds, bytes. Written from the standard for comparisons; the simulator has its own
arithmetic. `acklab validate wifi-models` and `acklab model` both use them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from acklab.fluid.domain import Symbols, count, need

#: aSIFSTime, aSlotTime and aRxPHYStartDelay of OFDM with 20 MHz (17.4.4).
SIFS, SLOT, RX_START_DELAY = 16.0, 9.0, 20.0
#: DIFS (10.3.2.3.5).
DIFS = SIFS + 2 * SLOT
#: aPPDUMaxTime of HT, VHT and HE (19.4.4, 21.4.4, 27.4.4).
LONGEST_PPDU = 5484.0
#: Ack, RTS, CTS (9.3.1.4, 9.3.1.2, 9.3.1.3), QoS header and FCS (9.3.2.1), LLC and SNAP, MPDU
#: delimiter.
ACK, QOS_AND_FCS, LLC_SNAP, DELIMITER = 14, 30, 8, 4

#: Coded bits per subcarrier and stream, and code rate, of MCS 0 to 11 (19.5, 21.5, 27.5).
_MCS = (
    (1, Fraction(1, 2)),
    (2, Fraction(1, 2)),
    (2, Fraction(3, 4)),
    (4, Fraction(1, 2)),
    (4, Fraction(3, 4)),
    (6, Fraction(2, 3)),
    (6, Fraction(3, 4)),
    (6, Fraction(5, 6)),
    (8, Fraction(3, 4)),
    (8, Fraction(5, 6)),
    (10, Fraction(3, 4)),
    (10, Fraction(5, 6)),
)
#: Data subcarriers by standard and width in MHz (19.3.6, 21.3.6, 27.3.9).
_SUBCARRIERS = {
    "n": {20: 52, 40: 108},
    "ac": {20: 52, 40: 108, 80: 234, 160: 468},
    "ax": {20: 234, 40: 468, 80: 980, 160: 1960},
}
#: Long training fields by streams (19.3.9.4.6; the same in 21 and 27).
_LTFS = {1: 1, 2: 2, 3: 4, 4: 4}
#: Longest PSDU (19.4.4; 21.4.4; 27.4.4).
_LONGEST_PSDU = {"n": 65_535, "ac": 1_048_575, "ax": 6_500_631}
#: Data bits of a symbol of 4 us at 6, 12 and 24 Mbit/s (17.3.2.2): the mandatory rates.
_LEGACY_BITS = {6: 24, 12: 48, 24: 96}

equation = Symbols(
    mcs=count(7, 0, name="MCS"),
    width=count(20, name="the width in MHz"),
    guard=count(800, name="guard interval in ns"),
    streams=count(1, name="the number of streams"),
    mbps=count(24, name="the basic rate in Mbit/s"),
    psdu=count(1500, 0, name="the length of the PSDU in bytes"),
    window=count(64, name="the block ack window"),
    packet=count(1500, 0, name="the length of the packet in bytes"),
    limit=count(65535, name="the limit of an A-MPDU in bytes", optional=True),
)


@equation("IEEE 802.11")
@dataclass(frozen=True)
class Mode:
    """How data are sent: `n`, `ac` or `ax`, MCS of a stream, MHz, guard interval in ns."""

    standard: str
    mcs: int
    width: int = 20
    guard: int = 800
    streams: int = 1

    @property
    def symbol_bits(self) -> int:
        """Data bits of a symbol, N_DBPS; HE rounds down."""
        bits, rate = _MCS[self.mcs]
        return int(_SUBCARRIERS[self.standard][self.width] * bits * self.streams * rate)

    @property
    def symbol(self) -> float:
        """Length of a symbol."""
        return (12.8 if self.standard == "ax" else 3.2) + self.guard / 1000

    @property
    def mbps(self) -> float:
        """Data rate in Mbit/s."""
        return self.symbol_bits / self.symbol

    @property
    def exists(self) -> bool:
        """Whether the standard has the combination: in VHT data bits must come out even (21.5)."""
        if self.standard != "ac":
            return True
        bits, rate = _MCS[self.mcs]
        coded = _SUBCARRIERS["ac"][self.width] * bits * self.streams
        return (coded * rate).denominator == 1 and coded % self.encoders == 0

    @property
    def encoders(self) -> int:
        """Convolutional encoders, each with six tail bits: one per 300 (HT) or 600 Mbit/s (VHT)."""
        if self.standard == "ax":
            return 1
        return math.ceil(self.symbol_bits / (1080 if self.standard == "n" else 2160))

    @property
    def tail(self) -> int:
        """Tail bits; LDPC, which HE wants beyond 20 MHz and with 1024-QAM (27.3.12.5), has none."""
        ldpc = self.standard == "ax" and (self.width > 20 or self.mcs > 9)
        return 0 if ldpc else 6 * self.encoders

    @property
    def preamble(self) -> float:
        """Length of the fields before the data, us."""
        ltfs = _LTFS[self.streams]
        if self.standard == "n":
            # L-STF, L-LTF, L-SIG; HT-SIG, HT-STF, HT-LTFs (19.3.2).
            return 20 + 8 + 4 + 4 * ltfs
        if self.standard == "ac":
            # And VHT-SIG-A, VHT-STF, VHT-LTFs, VHT-SIG-B (21.3.2).
            return 20 + 8 + 4 + 4 * ltfs + 4
        # And RL-SIG, HE-SIG-A, HE-STF, HE-LTFs: 2x with 0.8 and 1.6 us, 4x with 3.2 us (27.3.4).
        ltf = (12.8 if self.guard == 3200 else 6.4) + self.guard / 1000
        return 20 + 4 + 8 + 4 + ltf * ltfs

    def duration(self, psdu: int) -> float:
        """TXTIME of a PSDU (19.4.3, 21.4.3, 27.4.3); short guard intervals end on 4 us."""
        symbols = math.ceil((16 + 8 * psdu + self.tail) / self.symbol_bits)
        if self.guard == 400:
            return self.preamble + 4 * math.ceil(symbols * 36 / 40)
        return self.preamble + symbols * self.symbol

    @property
    def control_rate(self) -> int:
        """Mbit/s of the answer if 6, 12 and 24 are basic: by modulation and code (10.6.6.5.2)."""
        return {0: 6, 1: 12, 2: 12}.get(self.mcs, 24)


@equation("IEEE 802.11, 17.4.3", None)
def legacy(mbps: int, psdu: int) -> float:
    """TXTIME at 6, 12 or 24 Mbit/s (17.4.3)."""
    need(mbps in _LEGACY_BITS, "IEEE 802.11, 17.4.3", "the basic rate", mbps, "6, 12 or 24 Mbit/s")
    return 20 + 4 * math.ceil((16 + 8 * psdu + 6) / _LEGACY_BITS[mbps])


def eifs() -> float:
    """EIFS: SIFS, an Ack at 6 Mbit/s, DIFS (10.3.2.3.7)."""
    return SIFS + legacy(6, ACK) + DIFS


def ack_timeout() -> float:
    """How long an answer is waited for (10.3.2.11)."""
    return SIFS + SLOT + RX_START_DELAY


@equation("IEEE 802.11, 9.3.1.8", None)
def block_ack(window: int) -> int:
    """Bytes of a compressed BlockAck: bitmap of 64 or 256 MPDUs (9.3.1.8.2)."""
    return 24 + (8 if window <= 64 else 32)


@equation("IEEE 802.11, 9.3.2", None)
def mpdu(packet: int) -> int:
    """Bytes of the MPDU around an IP packet."""
    return packet + LLC_SNAP + QOS_AND_FCS


@dataclass(frozen=True)
class Exchange:
    """An A-MPDU and its BlockAck."""

    mpdus: int
    data: float
    answer: float

    @property
    def airtime(self) -> float:
        """From the first to the last instant."""
        return self.data + SIFS + self.answer


@equation("IEEE 802.11, 9.7", None, window=count(64, optional=True, name="the block ack window"))
def longest_exchange(
    mode: Mode, packet: int, limit: int | None = None, window: int | None = None
) -> Exchange:
    """As many IP packets of `packet` bytes, one in each MPDU, as go into one A-MPDU.

    What limits them: `limit` in bytes, the longest PSDU, the longest PPDU, and the block ack
    `window` (64, in HE 256). MPDUs begin at multiples of four bytes (9.7.1).
    """
    window = window or (256 if mode.standard == "ax" else 64)
    longest = min(limit or _LONGEST_PSDU[mode.standard], _LONGEST_PSDU[mode.standard])
    subframe = DELIMITER + 4 * math.ceil(mpdu(packet) / 4)

    def psdu(n: int) -> int:
        return (n - 1) * subframe + DELIMITER + mpdu(packet)

    def fits(n: int) -> bool:
        return psdu(n) <= longest and mode.duration(psdu(n)) <= LONGEST_PPDU

    n = next(n for n in range(window, 0, -1) if n == 1 or fits(n))
    answer = legacy(mode.control_rate, block_ack(window))
    return Exchange(n, mode.duration(psdu(n)), answer)
