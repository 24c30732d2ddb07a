"""How long the frames of Eq 1 are, by 802.11ax's arithmetic.

Trigger frames and the block ack for several stations go at a basic rate in non-HT PPDUs, which
every station hears; reports and data in trigger-based HE PPDUs, one RU a station.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from acklab.fluid.access import eq1
from acklab.fluid.domain import Symbol, Symbols, above_zero, count, from_zero, need, probability

#: Data subcarriers of an RU (802.11ax table 27-73 and those after it).
DATA_TONES = {26: 24, 52: 48, 106: 102, 242: 234, 484: 468, 996: 980}
#: Bits of a subcarrier and code rate of each MCS.
MODES = (
    (1, 1 / 2),
    (2, 1 / 2),
    (2, 3 / 4),
    (4, 1 / 2),
    (4, 3 / 4),
    (6, 2 / 3),
    (6, 3 / 4),
    (6, 5 / 6),
    (8, 3 / 4),
    (8, 5 / 6),
    (10, 3 / 4),
    (10, 5 / 6),
)
SIFS = 16e-6
SLOT = 9e-6
#: Without its guard interval.
HE_SYMBOL = 12.8e-6
#: L-STF to RL-SIG 24, HE-SIG-A 8, HE-STF of a trigger-based PPDU 8.
HE_TB_PREAMBLE = 40e-6
#: HE-LTF with its guard interval, by that of the data: 2x and 1.6 us, or 4x and 3.2 us. Others do
#: not go together in a trigger-based PPDU (9.3.1.22).
HE_LTF = {1.6e-6: 8e-6, 3.2e-6: 16e-6}

equation = Symbols(
    tones=count(106, name="RU"),
    mcs=count(9, 0, name="MCS"),
    streams=count(1, name="the number of streams"),
    guard=above_zero("s", 1.6e-6, name="guard interval"),
    octets=count(100, 0, name="the length of the frame in octets"),
    basic=Symbol("bit/s", 24e6, low=0.0, above=True, name="the basic rate"),
    at=above_zero("bit/s", 47e6, name="T_r"),
    users=count(4, 0, name="the number of users"),
    bitmap=Symbol("", 8, low=-2.0, whole=True, name="the bitmap in octets"),
    tfr=from_zero("s", 40e-6, name="d_tfr"),
    bsr=from_zero("s", 90e-6, name="d_bsr"),
    tf=from_zero("s", 40e-6, name="d_tf"),
    ppdu=from_zero("s", 3e-3, name="d_ppdu"),
    mb=from_zero("s", 40e-6, name="d_mb"),
)


@equation("Eq 3", "bit/s")
def rate(tones: int, mcs: int, streams: int = 1, guard: float = 1.6e-6) -> float:
    """Bits per second of an RU."""
    need(
        tones in DATA_TONES, "Eq 3", "RU", tones, f"one of {', '.join(map(str, DATA_TONES))} tones"
    )
    need(0 <= mcs < len(MODES), "Eq 3", "MCS", mcs, f"0 to {len(MODES) - 1}")
    bits, code = MODES[mcs]
    return int(DATA_TONES[tones] * bits * code * streams) / (HE_SYMBOL + guard)


@equation("Eq 1", "s")
def non_ht(octets: int, basic: float = 24e6) -> float:
    """Seconds of a frame at a basic rate (17.4.3)."""
    return 20e-6 + 4e-6 * ceil((16 + 8 * octets + 6) / round(basic * 4e-6))


@equation("Eq 1", "s")
def he_tb(octets: int, at: float, streams: int = 1, guard: float = 1.6e-6) -> float:
    """Seconds of a trigger-based PPDU whose RU has `at` bits per second (27.4.3), unpadded."""
    need(guard in HE_LTF, "Eq 1", "guard interval", guard, "1.6e-6 or 3.2e-6 s")
    symbol = HE_SYMBOL + guard
    ltfs = streams if streams <= 2 else 2 * ceil(streams / 2)
    return (
        HE_TB_PREAMBLE
        + ltfs * HE_LTF[guard]
        + symbol * ceil((16 + 8 * octets + 6) / round(at * symbol))
    )


@equation("Eq 1", "", basic=probability(True, whole=True, name="whether the trigger is basic"))
def trigger(users: int, basic: bool) -> int:
    """Octets of a trigger frame (9.3.1.22): a basic one has one more for each user."""
    return 16 + 8 + (6 if basic else 5) * users + 4


@equation("Eq 1", "")
def multi_block_ack(users: int, bitmap: int = 8) -> int:
    """Octets of a multi-STA block ack (9.3.1.8.7)."""
    return 16 + 2 + (4 + bitmap) * users + 4


#: Octets of a QoS Null frame with an HT control field, which holds the report, behind a delimiter.
QOS_NULL = 4 + 30 + 4


@equation("Eq 1")
@dataclass(frozen=True)
class Cycle:
    """The frames of one cycle, in seconds."""

    tfr: float
    bsr: float
    tf: float
    ppdu: float
    mb: float

    @property
    def length(self) -> float:
        """Eq 1."""
        return float(eq1(self.tfr, self.bsr, self.tf, self.ppdu, self.mb, SIFS))


@equation("Eq 1", None)
def cycle(users: int, tones: int, mcs: int, ppdu: float, streams: int = 1) -> Cycle:
    """A cycle with `users` RUs of `tones`, whose data lasts `ppdu` seconds."""
    at = rate(tones, mcs, streams)
    return Cycle(
        tfr=non_ht(trigger(users, basic=False)),
        bsr=he_tb(QOS_NULL, at, streams),
        tf=non_ht(trigger(users, basic=True)),
        ppdu=ppdu,
        mb=non_ht(multi_block_ack(users)),
    )
