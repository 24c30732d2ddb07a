"""Section II: which flows lose ACKs (Figure 3)."""

from __future__ import annotations

from acklab.stats import Estimate
from acklab.studies.runs import known, less, more
from acklab.studies.tac import mechanisms_losses as m
from acklab.studies.tac.evidence import View, mean
from acklab.studies.tac.findings import FAIR, Finding, falls, near, of_sizes, rises, told, told_as


def _ends(v: View) -> tuple[int, int]:
    return v.sizes[0], v.sizes[-1]


def _at(v: View, quantity: str, kilobytes: int) -> float:
    """Not-a-number where a quick run has no such cell."""
    return mean(v.lmax(quantity, kilobytes))


#: The paper's two groups of flows.
_EXTREMES = ("flows_under_2_percent", "flows_over_12_percent")


def _related(v: View, kilobytes: int) -> Estimate:
    """The correlation of flows' loss rates and goodputs, over seeds."""
    return known(v.lmax("loss_goodput_correlation", kilobytes))


def _degraded(v: View, kilobytes: int) -> bool:
    """Where all have the same, nothing has degraded fairness."""
    return _at(v, "jain", kilobytes) < FAIR


def _factor(v: View, quantity: str) -> float:
    first, last = _ends(v)
    return _at(v, quantity, last) / max(_at(v, quantity, first), 1e-9)


def _told(factor: float) -> str:
    return f"{factor:.0f}" if factor < 1e4 else "more than 10,000 (none at the beginning)"


LOSSES = (
    Finding(
        "F3-1",
        "When Lmax = 1 KB, … ACK loss does not occur at all for most TCP flows and only a few "
        "losses occur for a certain flow",
        "II, Fig. 3",
        lambda v: _at(v, "flows_without_loss", 1) > 10,
        told(
            "flows of 20 without a loss",
            of_sizes("flows_without_loss", 1),
            "largest loss rate, %",
            of_sizes("ack_loss_max", 2, scale=100),
        ),
        m.at_1,
        "fig3",
        lambda v: _at(v, "ack_loss_max", 1) < 0.01,
    ),
    Finding(
        "F3-2",
        "when Lmax = 2 KB, there is no remarkable difference in the TCP ACK loss rates among TCP "
        "flows, the loss rates range between 0 and 2.6%",
        "II, Fig. 3",
        lambda v: near(_at(v, "ack_loss_max", 2), 0.026, 1 / 3),
        told("largest loss rate, %", of_sizes("ack_loss_max", 2, scale=100)),
        m.at_2,
        "fig3",
        lambda v: _at(v, "ack_loss_max", 2) < 0.026,
        stated="0 / 2.6 %",
        ours=lambda v: told_as(".1%", _at(v, "ack_loss_min", 2), _at(v, "ack_loss_max", 2)),
    ),
    Finding(
        "F3-rises",
        "the deviation of loss rate, as well as its average value, increases significantly as Lmax "
        "increases",
        "II, Fig. 3",
        lambda v: all(
            rises(*(v.lmax(q, k) for k in _ends(v))) for q in ("ack_loss_mean", "ack_loss_sd")
        ),
        told(
            "mean, %",
            of_sizes("ack_loss_mean", 2, scale=100),
            "standard deviation, %",
            of_sizes("ack_loss_sd", 2, scale=100),
        ),
        m.rises,
        "fig3",
        opposite=lambda v: falls(*(v.lmax("ack_loss_mean", k) for k in _ends(v))),
    ),
    Finding(
        "F3-factors",
        "When Lmax is increased to 32 KB, the average and standard deviation of ACK loss rate "
        "increase "
        "by 63 and 22 times, respectively, compared to the case of Lmax = 1 KB",
        "II, Fig. 3",
        lambda v: (
            near(_factor(v, "ack_loss_mean"), 63, 1 / 3)
            and near(_factor(v, "ack_loss_sd"), 22, 1 / 3)
        ),
        lambda v: (
            f"from {100 * _at(v, 'ack_loss_mean', _ends(v)[0]):.3f} to "
            f"{100 * _at(v, 'ack_loss_mean', _ends(v)[1]):.2f} % (mean) and from "
            f"{100 * _at(v, 'ack_loss_sd', _ends(v)[0]):.3f} to "
            f"{100 * _at(v, 'ack_loss_sd', _ends(v)[1]):.2f} % (standard deviation), a factor of "
            f"{_told(_factor(v, 'ack_loss_mean'))} and {_told(_factor(v, 'ack_loss_sd'))}"
        ),
        m.factors,
        "fig3",
        lambda v: _factor(v, "ack_loss_mean") > 10 and _factor(v, "ack_loss_sd") > 10,
        stated="63 / 22",
        ours=lambda v: told_as(".1f", _factor(v, "ack_loss_mean"), _factor(v, "ack_loss_sd")),
    ),
    Finding(
        "F3-16",
        "when Lmax = 16 KB, 8 TCP flows suffer from small loss rate less than 2%, whereas 4 TCP "
        "flows "
        "suffer from serious loss rate exceeding 12%",
        "II, Fig. 3",
        lambda v: (
            abs(_at(v, "flows_under_2_percent", 16) - 8) <= 2
            and abs(_at(v, "flows_over_12_percent", 16) - 4) <= 2
        ),
        told(
            "flows below 2 %",
            of_sizes("flows_under_2_percent", 1),
            "above 12 %",
            of_sizes("flows_over_12_percent", 1),
        ),
        m.groups,
        "fig3",
        lambda v: (
            _at(v, "flows_under_2_percent", 16) >= 1 and _at(v, "flows_over_12_percent", 16) >= 1
        ),
        stated="8 / 4",
        ours=lambda v: told_as(".1f", *(_at(v, q, 16) for q in _EXTREMES)),
    ),
    Finding(
        "F3-32",
        "when Lmax = 32 KB, the minimum and maximum values of loss rate are 1.2% and 19.8%, "
        "respectively",
        "II, Fig. 3",
        lambda v: (
            near(_at(v, "ack_loss_min", 32), 0.012, 1 / 3)
            and near(_at(v, "ack_loss_max", 32), 0.198, 1 / 3)
        ),
        told(
            "smallest loss rate, %",
            of_sizes("ack_loss_min", 2, scale=100),
            "largest",
            of_sizes("ack_loss_max", 1, scale=100),
        ),
        m.at_32,
        "fig3",
        # The two are 16 apart; one of them alone says nothing of how flows differ.
        lambda v: _at(v, "ack_loss_max", 32) >= 10 * _at(v, "ack_loss_min", 32) > 0,
        stated="1.2 / 19.8 %",
        ours=lambda v: told_as(".1%", _at(v, "ack_loss_min", 32), _at(v, "ack_loss_max", 32)),
    ),
    Finding(
        "F3-reason",
        "the deviation in the TCP ACK loss rates shown in Fig. 3 degrades the fairness among TCP "
        "flows",
        "II, Fig. 3",
        lambda v: _degraded(v, v.sizes[-1]) and _related(v, v.sizes[-1]).mean < -0.5,
        told(
            "correlation of a flow's loss rate with its goodput",
            of_sizes("loss_goodput_correlation", 2),
            "index",
            of_sizes("jain", 3),
            f"criterion: below -0.5, and an index below {FAIR}, at the largest Lmax",
        ),
        m.reason,
        "mechanism",
        lambda v: _degraded(v, v.sizes[-1]) and less(_related(v, v.sizes[-1])),
        opposite=lambda v: more(_related(v, v.sizes[-1])),
    ),
)
