"""Closed forms of transports beside the simulator: PFTK, TACK's frequency and its window, theorems
on BBR; and the fluid over radio channels."""

from __future__ import annotations

from typing import Any

from acklab.fluid.beside import modelled
from acklab.fluid.responses import pftk, tack, tack_share
from acklab.fluid.scenario_case import case_of
from acklab.scenario import load
from acklab.validate.criteria import TRANSPORT_MODELS, Tolerance
from acklab.validate.measures import Measure, all_flows, fairness, first_flow
from acklab.validate.reference import Reference

#: Bits of payload in a packet of 1500 bytes, of TCP and of TACK.
_TCP, _TACK = 1448 * 8, 1434 * 8
#: Bits on a link.
_PACKET = 12_000
#: Of each cell; a model says some of them.
MEASURES: dict[str, Measure] = {
    "goodput": first_flow("goodput_warm_mbps"),
    "rtt": first_flow("rtt_p50_ms"),
    "jain": fairness,
    "frequency": first_flow("acks_per_s"),
    "sum": all_flows("goodput_warm_mbps"),
}


def rows(source: str) -> list[Reference]:
    """Every cell."""
    return [
        *(_pftk(source, rtt, p) for rtt in (40, 100) for p in (0.001, 0.003, 0.01, 0.03, 0.1)),
        *(_frequency(source, *of) for of in _PATHS),
        *(_window(source, part) for part in (0.9, 1.0, 1.1, 1.2, 4 / 3)),
        *(_bbr(source, cc, n) for cc in ("bbr1", "bbr2") for n in (2, 5)),
        *(_air(source, *of) for of in _CELLS),
    ]


def _row(
    source: str,
    keys: tuple[str, str, str],
    values: dict[str, float],
    scenario: dict[str, Any],
    criteria: dict[str, Tolerance],
) -> Reference:
    return Reference(
        source=source,
        keys=dict(zip(("controllers", "queue", "RTT"), keys, strict=True)),
        values={m: [values[m]] if m in values else [] for m in MEASURES},
        measures=MEASURES,
        criteria=criteria,
        scenarios=[scenario],
    )


def path(rtt: float, rate: float, link: dict[str, Any], *flows: dict[str, Any]) -> dict[str, Any]:
    """A minute over one bottleneck: `rtt` in ms, `rate` in Mbit/s, `link` its other keys."""
    return {
        "name": "beside-equations",
        "duration": "60 s",
        "warmup": "15 s",
        "node": [{"name": n} for n in ("sender", "router", "receiver")],
        "link": [
            {"a": "sender", "b": "router", "rate": "1 Gbit/s", "delay": "0 ms"},
            {
                "a": "router",
                "b": "receiver",
                "rate": f"{rate:g} Mbit/s",
                "delay": f"{rtt / 2:g} ms",
                **link,
            },
        ],
        "flow": [{"from": "sender", "to": "receiver", **flow} for flow in flows],
    }


def _pftk(source: str, rtt: int, p: float) -> Reference:
    """NewReno of Linux, whose growth counts bytes and whose RTO is 200 ms above the RTT."""
    base = rtt / 1e3
    rate = pftk(base, p, base + 0.2) * _TCP / 1e6
    scenario = path(rtt, 1000, {"queue": "10000 packets", "loss": p}, {"cc": "newreno"}) | {
        "duration": "300 s"
    }
    keys = ("PFTK", f"{p:.1%} loss", f"{rtt} ms")
    return _row(source, keys, {"goodput": rate}, scenario, {"goodput": TRANSPORT_MODELS["pftk"]})


#: Mbit/s and ms: below and above TACK's pivot of eight packets.
_PATHS = ((1, 10), (1, 40), (2, 20), (10, 10), (10, 40), (10, 100), (50, 40), (50, 100))


def _frequency(source: str, rate: int, rtt: int) -> Reference:
    """TACK, Eq 3, without a start-up of its own. The shortest RTT has a packet and a TACK on the
    line."""
    shortest = rtt / 1e3 + (_PACKET + 800) / (rate * 1e6)
    expected = tack(rate * 1e6 / _PACKET, shortest)
    flow = {"transport": {"name": "tack", "start_up": "tamed"}, "cc": "bbr1"}
    scenario = path(rtt, rate, {"queue": "1000 packets"}, flow)
    keys = ("TACK, Eq 3", f"{rate} Mbit/s", f"{rtt} ms")
    tolerance = TRANSPORT_MODELS["frequency"]
    return _row(source, keys, {"frequency": expected}, scenario, {"frequency": tolerance})


def _window(source: str, part: float) -> Reference:
    """A TACK flow whose receiver lets so large a part of the bandwidth-delay product in flight."""
    rate, rtt = 10.0, 100
    bdp = rate * 1e6 / _PACKET * (rtt / 1e3 + _PACKET / (rate * 1e6))
    most = int(part * bdp)
    expected = tack_share(most, bdp) * rate * _TACK / _PACKET
    flow = {
        "transport": {"name": "tack", "start_up": "tamed", "recv_buffer": most * _TACK // 8},
        "cc": "cubic",
    }
    scenario = path(rtt, rate, {"queue": "1000 packets"}, flow)
    keys = ("TACK, Eq 11", f"window {part:.2f} BDP", f"{rtt} ms")
    return _row(
        source, keys, {"goodput": expected}, scenario, {"goodput": TRANSPORT_MODELS["window"]}
    )


def _bbr(source: str, cc: str, flows: int) -> Reference:
    """Theorems of Scherrer et al., section 5, in a long buffer: BBRv1 has a queue of a
    bandwidth-delay product, BBRv2 one of (N - 1) / (4 N + 1)."""
    rate, rtt = 100.0, 40
    base = rtt + _PACKET / (rate * 1e3)
    queue = 1.0 if cc == "bbr1" else (flows - 1) / (4 * flows + 1)
    flow = {"cc": cc, "count": flows, "start_jitter": "1 s", "name": "f"}
    scenario = path(rtt, rate, {"queue": "10000 packets"}, flow)
    keys = (f"{flows} x {cc}", "theorem, long buffer", f"{rtt} ms")
    return _row(
        source, keys, {"rtt": base * (1 + queue)}, scenario, {"rtt": TRANSPORT_MODELS["theorem"]}
    )


_SINGLE: dict[str, Any] = {"ampdu": "off", "amsdu": "off"}
#: Controller, stations, direction, channel, what to call it.
_CELLS: tuple[tuple[str, int, str, dict[str, Any], str], ...] = tuple(
    (cc, n, direction, of, name)
    for cc in ("newreno", "cubic", "bbr1", "bbr3")
    for n, direction, of, name in (
        (1, "up", {}, "802.11n up"),
        (5, "up", {}, "802.11n up"),
        (2, "down", {}, "802.11n down"),
        (2, "up", _SINGLE, "802.11n up, no A-MPDU"),
        (2, "down", {"down": {"qdisc": "fq-codel"}}, "802.11n down, fq-codel"),
    )
)


def _air(source: str, cc: str, n: int, direction: str, of: dict[str, Any], name: str) -> Reference:
    """The fluid over a radio channel. Its RTT is shown and does not decide: who wins the air is
    chance there, which a fluid has not."""
    scenario = {
        "name": "beside-a-fluid-on-the-air",
        "duration": "40 s",
        "warmup": "15 s",
        "topology": {
            "preset": "wlan",
            "stations": n,
            "direction": direction,
            "wire": {"rate": "1 Gbit/s", "delay": "10 ms"},
        },
        "wifi": {"standard": "n", "mcs": 7, **of},
        "flow": [{"cc": cc, "count": n, "start_jitter": "100 ms"}],
    }
    case = case_of(load(scenario).resolved)
    found = modelled(case, case.runs(1)[0])
    values = {"sum": sum(f["goodput"] for f in found), "rtt": found[0]["rtt"]}
    keys = (f"{n} x {cc}", name, "20 ms")
    return _row(source, keys, values, scenario, {"sum": TRANSPORT_MODELS["air"]})
