"""Why two flows share as they do: from the traces, in words with numbers."""

from __future__ import annotations

from collections.abc import Callable

from acklab.studies.ack_aggregation import references
from acklab.studies.ack_aggregation.evidence import Evidence
from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.mechanisms import handshake
from acklab.studies.ack_aggregation.why import shown

#: A flow has starved if it got less than this, Mbit/s.
STARVED_MBPS = 0.1
ALL = (1, 2, 4, 8, 16)


def _both(
    e: Evidence, quantity: str, stack: str, pair: str, ratio: int, digits: int = 1, scale: float = 1
) -> str:
    """A quantity of the pair's first and second flow."""
    values = (e.why.at(f"pairs/{quantity}", stack, pair, ratio, flow=f) for f in (0, 1))
    return " and ".join(shown(v * scale, digits) for v in values)


def starved(*pairs: str) -> Callable[[Evidence], str]:
    """One flow's SYN-ACK dropped for the other's."""
    return lambda e: _starved(e, pairs)


def _starved(e: Evidence, pairs: tuple[str, ...]) -> str:
    cells = [(p, r) for p in pairs for r in ALL if r > 1]
    lone = [
        (p, r)
        for p, r in cells
        if min(e.why.at("pairs/mbps", "thesis", p, r, flow=f) for f in (0, 1)) < STARVED_MBPS
    ]
    never = [
        (p, r)
        for p, r in lone
        if min(e.why.at("pairs/data_segments", "thesis", p, r, flow=f) for f in (0, 1)) == 0
    ]
    dropped = [
        e.why.at("pairs/syn_acks_dropped", "thesis", p, r, flow=f) for p, r in lone for f in (0, 1)
    ]
    text = (
        "Inferred set-up: one counter for both flows and only the last ACK kept, so one flow's "
        f"SYN-ACK is dropped for the other's. Of {len(cells)} traced cells with aggregation "
        f"{len(lone)} have a flow below 0.1 Mbit/s, in {len(never)} it never sent a data segment"
    )
    if lone:
        text += f", and up to {max(dropped):.0f} of a flow's SYN-ACKs were dropped"
        pair, ratio = lone[0]
        text += (
            f" ({pair} at {ratio}:1: data segments "
            f"{_both(e, 'data_segments', 'thesis', pair, ratio, 0)}, SYN-ACKs dropped "
            f"{_both(e, 'syn_acks_dropped', 'thesis', pair, ratio, 0)})"
        )
    return f"{text}. There 0.5 says that one flow ran alone, not how controllers share."


def identical(e: Evidence) -> str:
    """Equal flows lose alike."""
    parts = []
    for pair in ("bbr3-bbr3", "cubic-cubic"):
        name = CC_NAMES[pair.split("-")[0]]
        for stack, text in (("ns3", "ns-3 stack"), ("linux", "Linux")):
            parts.append(
                f"{name}, {text}: lost {_both(e, 'lost_share', stack, pair, 8, 2, 100)} %, reduced "
                f"{_both(e, 'reductions_per_min', stack, pair, 8, 0)} times a minute, windows "
                f"{_both(e, 'window_packets', stack, pair, 8, 0)}"
            )
    return (
        "Both flows meet the same queue and the same filter, which counts per flow as stated; at "
        f"8:1 they lose and reduce alike. {'; '.join(parts)}. "
        f"{_starved(e, ('bbr3-bbr3', 'cubic-cubic'))}"
    )


def cubic_recovers(e: Evidence) -> str:
    """Nothing to recover with."""
    w = e.why
    at_16 = references.ns3_thesis_fairness("cubic-cubic", 16)
    return (
        "An index that rises again needs two flows that are equally slow. Ours are not: inferred "
        f"set-up, 16:1, {_both(e, 'mbps', 'thesis', 'cubic-cubic', 16, 2)} Mbit/s, SYN-ACKs "
        "dropped "
        f"{_both(e, 'syn_acks_dropped', 'thesis', 'cubic-cubic', 16, 0)}, the same as at 8:1; and "
        "a single CUBIC does not stall, its longest silence between ACKs is "
        f"{w.say('acks/silence_ms', 'thesis', 'cubic', 16, 0)} ms. As stated both have "
        f"{_both(e, 'mbps', 'ns3', 'cubic-cubic', 8, 2)} Mbit/s at 8:1. ns-3.44 in the inferred "
        f"set-up: {'no run' if at_16 is None else f'{at_16:.3f}'} at 16:1 (thesis 0.942)."
    )


def vegas_pair(e: Evidence) -> str:
    """Two bases."""
    return (
        "Two flows of Vegas share by their bases. Inferred set-up, 2:1: first RTT "
        f"{_both(e, 'first_srtt_ms', 'thesis', 'vegas-vegas', 2, 0)} ms, base "
        f"{_both(e, 'base_ms', 'thesis', 'vegas-vegas', 2)} ms, window "
        f"{_both(e, 'window_packets', 'thesis', 'vegas-vegas', 2, 0)} packets, "
        f"{_both(e, 'mbps', 'thesis', 'vegas-vegas', 2, 2)} Mbit/s: who had to repeat its SYN has "
        "no 48 ms from a handshake and takes its own queue for the path. At 1:1 the bases are "
        f"{_both(e, 'base_ms', 'thesis', 'vegas-vegas', 1)} ms, and which of 48 and 49 a start "
        "gets is a matter of its phase; so 1:1 is not perfectly fair over our starts either. As "
        f"stated: {_both(e, 'base_ms', 'ns3', 'vegas-vegas', 8)} ms, "
        f"{_both(e, 'mbps', 'ns3', 'vegas-vegas', 8, 2)} Mbit/s at 8:1."
    )


def _yields(e: Evidence, stack: str, pair: str, ratio: int) -> str:
    """How Vegas reckons beside another flow; it is the pair's second."""
    window = e.why.at("pairs/window_packets", stack, pair, ratio, flow=1)
    now = e.why.at("pairs/srtt_ms", stack, pair, ratio, flow=1)
    base = e.why.at("pairs/base_ms", stack, pair, ratio, flow=1)
    return (
        f"RTT {shown(now)} ms over a base of {shown(base)}, window {shown(window)} packets, "
        f"{shown(window * (1 - base / now))} reckoned as queued"
    )


def yields(pair: str) -> Callable[[Evidence], str]:
    """Vegas gives way."""
    other = CC_NAMES[pair.split("-")[0]]

    def text(e: Evidence) -> str:
        return (
            f"Vegas takes {other}'s queue for its own and gives way, at 1:1 as at 8:1: it wants "
            "two to four packets queued. ns-3 stack, "
            f"1:1: {_yields(e, 'ns3', pair, 1)}; 8:1: {_yields(e, 'ns3', pair, 8)}. Linux, 8:1: "
            f"{_yields(e, 'linux', pair, 8)}. {other} and Vegas: "
            f"{_both(e, 'mbps', 'ns3', pair, 8, 2)} Mbit/s (ns-3 stack), "
            f"{_both(e, 'mbps', 'linux', pair, 8, 2)} (Linux). {_starved(e, (pair,))}"
        )

    return text


def _side(e: Evidence, stack: str, pair: str, ratio: int) -> str:
    return (
        f"lost {_both(e, 'lost_share', stack, pair, ratio, 2, 100)} %, reduced "
        f"{_both(e, 'reductions_per_min', stack, pair, ratio, 0)} times a minute, windows "
        f"{_both(e, 'window_packets', stack, pair, ratio, 0)}, "
        f"{_both(e, 'mbps', stack, pair, ratio, 2)} Mbit/s"
    )


def bbr_pushes(pair: str) -> Callable[[Evidence], str]:
    """BBRv3 against a loss-based flow."""
    other = CC_NAMES[pair.split("-")[1]]

    def text(e: Evidence) -> str:
        return (
            f"Behind one BDP of queue both lose packets, but only {other} keeps its window down "
            "for "
            "it, where BBRv3's follows its model. BBRv3 and "
            f"{other}, ns-3 stack, 1:1: {_side(e, 'ns3', pair, 1)}; 8:1: "
            f"{_side(e, 'ns3', pair, 8)}."
            f" Linux, 1:1: {_side(e, 'linux', pair, 1)}; 8:1: {_side(e, 'linux', pair, 8)}. Behind "
            "the deep queue of the inferred set-up few are lost and the loss-based flow fills its "
            f"buffer: 1:1, lost {_both(e, 'lost_share', 'thesis', pair, 1, 2, 100)} %, windows "
            f"{_both(e, 'window_packets', 'thesis', pair, 1, 0)}, "
            f"{_both(e, 'mbps', 'thesis', pair, 1, 2)} Mbit/s. {_starved(e, (pair,))}"
        )

    return text


def by_growth(e: Evidence) -> str:
    """CUBIC against NewReno."""
    pair = "cubic-newreno"

    def grow(stack: str, ratio: int) -> str:
        return (
            f"{_both(e, 'growth_packets_per_s', stack, pair, ratio)} packets/s, "
            f"{_both(e, 'mbps', stack, pair, ratio, 2)} Mbit/s"
        )

    return (
        "CUBIC is cut to 0.7 and NewReno to 0.5, so NewReno has to regrow faster. CUBIC and "
        f"NewReno, ns-3 stack, 1:1: {grow('ns3', 1)}; 8:1: {grow('ns3', 8)}: there NewReno grows "
        "by "
        "the ACK and CUBIC by the clock, so aggregation decides for CUBIC. Linux's NewReno counts "
        f"segments and keeps up, 1:1: {grow('linux', 1)}; 8:1: {grow('linux', 8)}. "
        f"{_starved(e, (pair,))}"
    )


def low_ratios(e: Evidence) -> str:
    """Who is unfair to whom at 1:1."""
    return (
        "The thesis's own table has 6 of 12. At 1:1 there is no aggregation to blame. Vegas gives "
        f"way: beside CUBIC (ns-3 stack) {_yields(e, 'ns3', 'cubic-vegas', 1)}. BBRv3 pushes: "
        f"beside CUBIC {_side(e, 'ns3', 'bbr3-cubic', 1)} (ns-3 stack), "
        f"{_side(e, 'linux', 'bbr3-cubic', 1)} (Linux)."
    )


def without_vegas(e: Evidence) -> str:
    """BBRv3 against loss-based flows at 1:1."""
    return (
        "It hangs on the queue's depth and the stack, not on the ratio. 1:1, BBRv3 and CUBIC: "
        f"{_side(e, 'ns3', 'bbr3-cubic', 1)} (ns-3 stack); {_side(e, 'linux', 'bbr3-cubic', 1)} "
        f"(Linux); {_side(e, 'thesis', 'bbr3-cubic', 1)} (inferred, deep queue: few lost and "
        "CUBIC's buffer fills it). BBRv3 and NewReno: "
        f"{_side(e, 'ns3', 'bbr3-newreno', 1)} (ns-3 stack); "
        f"{_side(e, 'linux', 'bbr3-newreno', 1)} (Linux)."
    )


def loss_based(e: Evidence) -> str:
    """As stated BBRv3 wins, in the inferred set-up who shakes hands first."""
    return (
        "As stated BBRv3 wins against both where ACKs are aggregated. BBRv3 and CUBIC, 8:1: "
        f"{_side(e, 'ns3', 'bbr3-cubic', 8)} (ns-3 stack), {_side(e, 'linux', 'bbr3-cubic', 8)} "
        "(Linux). "
        + _starved(e, ("bbr3-cubic", "bbr3-newreno", "bbr3-vegas", "cubic-vegas", "newreno-vegas"))
    )


def summary(e: Evidence) -> str:
    """What the poster's conclusion is made of."""
    w = e.why

    def parts(cc: str) -> str:
        return " + ".join(
            w.say(f"throughput/idle_{part}_s", "thesis", cc, 8, 2)
            for part in ("handshake", "start", "later")
        )

    return (
        "A lost handshake, a starved one, and 3 s taken for an RTT; not aggregation as such. "
        "Inferred set-up, 8:1, idle seconds in handshake + start + later: BBRv3 "
        f"{parts('bbr3')}, CUBIC {parts('cubic')}. As stated, where the SYN-ACK passes: BBRv3 "
        f"{w.row('throughput/idle_later_s', 'ns3', 'bbr3')} s later, CUBIC "
        f"{w.row('throughput/idle_later_s', 'ns3', 'cubic')} s. More retransmissions of BBRv3 are "
        f"real as stated: {w.row('loss/dropped_probing', 'ns3', 'bbr3', 0)} drops in PROBE_BW_UP. "
        f"{_starved(e, ('bbr3-bbr3', 'cubic-cubic'))}"
    )


def newreno_robust(e: Evidence) -> str:
    """As stated yes; the thesis's own table says no."""
    w = e.why
    return (
        "The thesis's own Table 2 has 0.5 from 4:1 on. As stated two flows of NewReno lose and "
        f"grow alike: 8:1, {_side(e, 'ns3', 'newreno-newreno', 8)} (ns-3 stack), "
        f"{_side(e, 'linux', 'newreno-newreno', 8)} (Linux), and alone it idles "
        f"{w.row('throughput/idle_later_s', 'ns3', 'newreno', 2)} s once full. "
        f"{_starved(e, ('newreno-newreno',))} {handshake(e)}"
    )


def less_favoured(e: Evidence) -> str:
    """Vegas loses, BBRv3 does not."""
    return (
        "Vegas and BBRv3 have opposite fates. Vegas takes the other's queue for its own and gives "
        f"way: beside CUBIC at 8:1 {_yields(e, 'ns3', 'cubic-vegas', 8)}, CUBIC and Vegas "
        f"{_both(e, 'mbps', 'ns3', 'cubic-vegas', 8, 2)} Mbit/s (ns-3 stack), "
        f"{_both(e, 'mbps', 'linux', 'cubic-vegas', 8, 2)} (Linux). BBRv3 keeps its window "
        f"through losses: beside NewReno at 8:1 {_side(e, 'ns3', 'bbr3-newreno', 8)} (ns-3 "
        f"stack), {_side(e, 'linux', 'bbr3-newreno', 8)} (Linux). "
        f"{_starved(e, ('bbr3-cubic', 'bbr3-newreno', 'cubic-vegas', 'newreno-vegas'))}"
    )


def fairness_retained(e: Evidence) -> str:
    """Equal flows of any of them lose alike."""
    same = ("newreno-newreno", "cubic-cubic", "bbr3-bbr3")
    sides = "; ".join(
        f"{CC_NAMES[p.split('-')[0]]} {_side(e, 'ns3', p, 8)} (ns-3 stack), "
        f"{_side(e, 'linux', p, 8)} (Linux)"
        for p in same
    )
    return (
        "The thesis's own Table 2 has NewReno at 0.5 from 4:1 on, where CUBIC has 0.977 and BBRv3 "
        f"0.924. As stated equal flows share alike, whichever they are. At 8:1: {sides}. "
        f"{_starved(e, same)}"
    )
