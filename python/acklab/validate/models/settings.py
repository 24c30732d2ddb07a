"""Saturated stations with equal rights: how they count slots, and what the models say of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from acklab.fluid import durations as air
from acklab.fluid.durations import DIFS, SIFS, SLOT, Mode
from acklab.validate.models import slots
from acklab.validate.models.bianchi import Outcome, Slots, anomalous, bianchi, windows

#: Single frames: 802.11n, 65 Mbit/s, IP packets of 1460 bytes.
MODE, PACKET = Mode("n", 7), 1460
#: Transmissions of the reference without formulas.
DRAWS = 600_000
#: The keys of `[wifi]` for single frames that are never given up.
SINGLE: Mapping[str, Any] = {"ampdu": "off", "lifetime": "none", "queue": "2000 packets"}


@dataclass(frozen=True)
class Setting:
    """Keys of `[wifi]`, and what they mean for a model."""

    slots: str
    after_silence: str
    smallest: int = 16
    largest: int = 1024
    #: Failures after which the window starts anew; `None` = never.
    failures: int | None = None

    @property
    def name(self) -> str:
        """For the table."""
        anew = "" if self.failures is None else f" retry {self.failures}"
        return f"{self.slots} {self.after_silence} CW {self.smallest - 1}..{self.largest - 1}{anew}"

    @property
    def is_uniform(self) -> bool:
        """Whether all slots are alike, as Bianchi supposes."""
        return (self.slots, self.after_silence) == ("edca", "everybody")

    @property
    def windows(self) -> list[int]:
        """Backoffs are drawn below these."""
        return windows(self.smallest, self.largest, self.failures)

    @property
    def own_collision(self) -> float:
        """From a collision to the first slot of those who collided, us.

        `quiet`: slots from DIFS after the air became quiet, but for those before the timeout.
        """
        timeout = air.ack_timeout()
        if self.after_silence == "everybody":
            return air.eifs()
        if self.after_silence == "timeout":
            return timeout + DIFS
        late = max(0.0, timeout - DIFS)
        return DIFS + SLOT * -(-late // SLOT)

    @property
    def timing(self) -> Slots:
        """Lengths of slots. With whole slots only, the first of them is no one's who has waited."""
        first = SLOT if self.slots == "dcf" else 0.0
        ack = SIFS + air.legacy(MODE.control_rate, air.ACK)
        return Slots(
            slot=SLOT,
            data=data(),
            after_success=ack + DIFS + first,
            after_collision=air.eifs() + first,
            own_success=ack + DIFS,
            own_collision=self.own_collision,
        )

    @property
    def keys(self) -> dict[str, Any]:
        """Keys of `[wifi]`."""
        return {
            **SINGLE,
            "slots": self.slots,
            "after_silence": self.after_silence,
            "retry_limit": 255 if self.failures is None else self.failures,
            "edca": {"aifsn": 2, "cw_min": self.smallest - 1, "cw_max": self.largest - 1},
        }


SETTINGS = (
    Setting("edca", "everybody"),
    Setting("edca", "everybody", failures=7),
    Setting("edca", "everybody", 32, 1024),
    Setting("edca", "everybody", 32, 256),
    Setting("dcf", "everybody"),
    Setting("edca", "quiet"),
    Setting("edca", "timeout"),
    Setting("dcf", "quiet"),
)


def data() -> float:
    """How long such a frame lasts, us."""
    return MODE.duration(air.mpdu(PACKET))


def closed(setting: Setting, n: int) -> Outcome:
    """`n` stations by Bianchi's model, or by its refinement where slots are not alike."""
    t, endless = setting.timing, setting.failures is None
    # Alone, a station has all slots to itself, whichever they are.
    if setting.is_uniform or n == 1:
        success, collision = (t.data + x for x in (t.own_success, t.after_collision))
        return bianchi(n, setting.windows, SLOT, success, collision, endless=endless)
    return anomalous(n, setting.windows, t)


def by_slots(setting: Setting, n: int) -> Outcome:
    """`n` stations counted slot by slot."""
    ns = 1000
    t = setting.timing
    own = None if setting.after_silence == "everybody" else int(t.own_collision * ns)
    stations = slots.Class(n, int(DIFS * ns), setting.windows)
    rules = slots.Rules(
        slot=int(SLOT * ns),
        success=int((t.data + t.own_success - DIFS) * ns),
        collision=int(t.data * ns),
        extra=int((air.eifs() - DIFS) * ns),
        own_first=own,
        whole_slots=setting.slots == "dcf",
        anew=setting.failures is not None,
    )
    count = slots.simulate([stations], rules, DRAWS)
    return Outcome(count.rates[0] / 1e6, count.collided[0])
