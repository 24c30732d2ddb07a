"""A radio channel of a scenario as a `Radio`, or the equation that it does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from acklab.fluid import access, contention, frames
from acklab.fluid import durations as air
from acklab.fluid.contention import Contender, Exchange
from acklab.fluid.domain import NoCaseError
from acklab.fluid.durations import Mode
from acklab.fluid.radio import Above, Lane, Radio, Source
from acklab.fluid.triggered import Triggered

_US = 1e-6
#: Disciplines above a device that the model knows.
_ABOVE = ("pfifo", "codel", "pie", "fq-codel")


@dataclass(frozen=True)
class Hop:
    """A flow's way over the channel: who sends its data and who receives them."""

    sender: str
    receiver: str
    #: Bytes of an IP packet, and of an ACK.
    packet: int
    ack: int
    #: Bits of payload in a packet.
    payload: float
    #: See `Lane`.
    every: float
    at_most: float
    bursts: bool


def radio_of(
    channel: Mapping[str, Any], hops: Sequence[Hop], number: Callable[[str], float]
) -> Radio | Triggered:
    """The channel as these flows, in their order, use it; `number` reads a value with its unit."""
    _must_be_plain(channel)
    ap = channel["ap"]
    ups = {h.sender != ap for h in hops}
    if len(ups) > 1:
        _no(
            channel,
            "Eq 8",
            "the share of the access point",
            "it sends data of some flows and ACKs of others from one queue",
            "let all flows go one way",
        )
    up = ups.pop()
    category = channel["category"]
    reader = _Reader(channel, category, number)
    sources: list[Source] = []
    answers: list[tuple[Contender, list[tuple[int, int]]]] = []
    by_sender: dict[str, dict[str, list[int]]] = {}
    for f, hop in enumerate(hops):
        by_sender.setdefault(hop.sender, {}).setdefault(hop.receiver, []).append(f)
    ofdma = channel.get("ofdma")
    if ofdma and ofdma["uplink"] and up:
        return _triggered(channel, hops, reader, ap, by_sender)
    hack = False
    for sender, receivers in by_sender.items():
        lanes = []
        for receiver, flows in receivers.items():
            station = sender if up else receiver
            way, back = (reader.way(station, d) for d in (("up", "down") if up else ("down", "up")))
            hop = hops[flows[0]]
            _must_be_alike(channel, [hops[f] for f in flows], f"flows from {sender} to {receiver}")
            hack = hack or bool(way["hack"])
            data = reader.exchange(way, hop.packet, sender)
            lanes.append(
                Lane(
                    flows=tuple(flows),
                    data=data,
                    acks=reader.exchange(back, hop.ack, receiver),
                    every=hop.every,
                    at_most=sum(hops[f].at_most for f in flows),
                    p_phy=reader.spoilt(way, hop.packet),
                    bursts=all(hops[f].bursts for f in flows),
                )
            )
        sources.append(reader.source(sender, ap, lanes))
    if not hack:
        served: dict[str, list[tuple[int, int]]] = {}
        for i, receivers in enumerate(by_sender.values()):
            for j, receiver in enumerate(receivers):
                served.setdefault(receiver, []).append((i, j))
        for receiver, of in served.items():
            single = sources[of[0][0]].lanes[of[0][1]].acks.most == 1
            p = 0.0
            if single:
                station = receiver if not up else list(by_sender)[of[0][0]]
                back = reader.way(station, "down" if up else "up")
                p = reader.spoilt(back, hops[0].ack)
            answers.append((Contender(reader.windows(receiver, ap), p), of))
    aifsn = {reader.edca(s, ap)["aifsn"] for s in (*by_sender, *(h.receiver for h in hops))}
    if len(aifsn) > 1:
        _no(
            channel,
            "Eq 7",
            "sigma",
            f"AIFSN differ ({', '.join(map(str, sorted(aifsn)))}), so that not all slots are open"
            " to all",
            "give all the same aifsn",
        )
    ack_lane = sources[0].lanes[0].acks
    return Radio(
        sources=sources,
        answers=answers,
        aifsn=aifsn.pop(),
        packet=8.0 * hops[0].packet,
        payload=hops[0].payload,
        tries=int(channel["retry_limit"]) + 1,
        merges=ack_lane.most > 1,
        holds=reader.limit(ap if up else hops[0].receiver, ap),
        life=reader.life,
    )


def _triggered(
    channel: Mapping[str, Any],
    hops: Sequence[Hop],
    reader: _Reader,
    ap: str,
    by_sender: Mapping[str, Mapping[str, Sequence[int]]],
) -> Triggered:
    """Uplink that the access point triggers."""
    of = channel["ofdma"]
    given = of.get("random_access")
    inside = given is not None and given["in"] == "data"
    if given is not None and not inside:
        _no(
            channel,
            "Eq 5",
            "r_A",
            "random access is for reports only, not for data",
            'set random_access.in to "data"',
        )
    if of["mu_edca"]["aifsn"] != 0:
        _no(
            channel,
            "Eq 7",
            "beta_j",
            "stations contend between triggers, which Eq 4 does not count",
            "set wifi.ofdma.mu_edca.aifsn = 0",
        )
    if of["single_user"] and given is None:
        _no(
            channel,
            "Eq 2",
            "s_A",
            "the access point calls nobody where more arrives if stations contend",
            "set wifi.ofdma.single_user = false",
        )
    if not of["always_poll"] and given is None and len(by_sender) > of["users"]:
        _no(
            channel,
            "Eq 2",
            "s_A",
            "a station that has told of no data is not called while others are",
            "set wifi.ofdma.always_poll = true, or random_access",
        )
    stations = list(by_sender)
    way = reader.way(stations[0], "up")
    hop = hops[0]
    _must_be_alike(channel, hops, "flows that are triggered")
    for other in stations[1:]:
        same = all(reader.way(other, d) == reader.way(stations[0], d) for d in ("up", "down"))
        if not same or reader.limit(other, ap) != reader.limit(stations[0], ap):
            _no(
                channel,
                "Eq 2",
                "T_r",
                f"{stations[0]} and {other} differ in mode, errors or queue, and a trigger has one"
                " length for all",
                "give all triggered stations the same",
            )
    width = round(float(str(way["width"]).split()[0]))
    users = of["users"]
    tones = _ru(width, users)
    guard = round(reader.number(of["guard_interval"]), 9)
    streams = int(way.get("streams", 1))
    rate = frames.rate(tones, int(way["mcs"]), streams, guard)
    subframe = air.DELIMITER + 4 * -(-air.mpdu(hop.packet) // 4)

    def lasts(n: int) -> float:
        return frames.he_tb(n * subframe, rate, streams, guard)

    most = 1
    while most < 256 and lasts(most + 1) <= air.LONGEST_PPDU * _US:
        most += 1
    units = given["units"] if given is not None else 0
    # A full trigger asks for the longest PPDU, of whole symbols; one for random access alone, for
    # one packet.
    if units == users:
        most = 1
    symbol = frames.HE_SYMBOL + guard
    longest = lasts(1) + symbol * ((air.LONGEST_PPDU * _US - lasts(1)) // symbol)
    each = (longest - lasts(1)) / (most - 1) if most > 1 else 0.0
    stages = (
        access.uora_stages(units, given["ocw_min"], given["ocw_max"], more=200) if given else ()
    )
    polls = bool(of["always_poll"])
    edca = reader.edca(ap, ap)
    return Triggered(
        stations=[tuple(f for own in by_sender[s].values() for f in own) for s in stations],
        users=users,
        units=units,
        stages=stages,
        tfr=frames.non_ht(frames.trigger(users, basic=False)) if polls else 0.0,
        bsr=frames.he_tb(frames.QOS_NULL, rate, streams, guard) if polls else 0.0,
        tf=frames.non_ht(frames.trigger(users, basic=True)),
        mb=frames.non_ht(frames.multi_block_ack(users, bitmap=-2)),
        fixed=lasts(1) - each,
        each=each,
        most=most,
        acks=reader.exchange(reader.way(stations[0], "down"), hop.ack, ap),
        waits=(air.SIFS + (edca["aifsn"] + edca["cw_min"] / 2) * air.SLOT) * _US,
        device=reader.limit(stations[0], ap),
        packet=8.0 * hop.packet,
        payload=hop.payload,
        p_phy=reader.spoilt(way, hop.packet),
        every=hop.every,
        life=reader.life,
    )


def _ru(width: int, users: int) -> int:
    """Tones of the largest RU of which so many fill a channel (27.3.2)."""
    most = {996: {80: 1}, 484: {40: 1, 80: 2}, 242: {20: 1, 40: 2, 80: 4}}
    most |= {106: {20: 2, 40: 4, 80: 8}, 52: {20: 4, 40: 8, 80: 16}, 26: {20: 9, 40: 18, 80: 37}}
    for tones, counts in most.items():
        if users <= counts.get(width, 0):
            return tones
    raise NoCaseError(
        f"Eq 2: s_A: {users} RUs do not fit into {width} MHz\n  help: fewer wifi.ofdma.users"
    )


def _no(channel: Mapping[str, Any], equation: str, symbol: str, why: str, right: str) -> None:
    raise NoCaseError(f"{channel['name']}: {equation}: {symbol}: {why}\n  help: {right}")


def _must_be_alike(channel: Mapping[str, Any], hops: Sequence[Hop], whose: str) -> None:
    """A PPDU has packets of one size, and one rule when they are acknowledged."""
    for what, of in (
        ("sizes of packets", {h.packet for h in hops}),
        ("sizes of ACKs", {h.ack for h in hops}),
        ("numbers of packets for an ACK", {h.every for h in hops}),
    ):
        if len(of) > 1:
            _no(
                channel,
                "Eq 3",
                "n",
                f"{whose} have different {what} ({', '.join(f'{x:g}' for x in sorted(of))}), and"
                " the equation has one",
                "give them one transport, segment size and ACK policy",
            )


def _must_be_plain(of: Mapping[str, Any]) -> None:
    if of.get("hidden"):
        _no(
            of,
            "Eq 5",
            "gamma",
            "some stations do not hear each other, and a slot of Eq 7 is one for all",
            "without `hidden` the model knows the channel",
        )
    if "space" in of:
        _no(
            of,
            "Eq 6",
            "p_phy",
            "it follows from places and motion, and is no constant",
            "set `bit_error_rate` instead of `space`",
        )
    if of["standard"] not in ("n", "ac", "ax"):
        _no(
            of,
            "Eq 3",
            "T_r",
            f"802.11{of['standard']} has no mode here",
            "the model knows n, ac and ax",
        )
    ofdma = of.get("ofdma")
    if isinstance(ofdma, Mapping) and ofdma["downlink"]:
        _no(
            of,
            "Eq 2",
            "s_A",
            "it counts RUs of the uplink; the paper has no equation for downlink OFDMA",
            "set wifi.ofdma.downlink = false, or no ofdma",
        )


@dataclass(frozen=True)
class _Reader:
    channel: Mapping[str, Any]
    category: str
    number: Callable[[str], float]

    @property
    def life(self) -> float:
        """Seconds until a packet in a queue is given up."""
        life = str(self.channel["lifetime"])
        return float("inf") if life == "none" else self.number(life)

    def way(self, station: str, direction: str) -> Mapping[str, Any]:
        """The keys of a station's direction."""
        of: Mapping[str, Any] = self.channel[direction]
        own = self.channel.get("station", {}).get(station, {})
        return {**of, **own.get(direction, {})}

    def _sender(self, name: str, ap: str) -> Mapping[str, Any]:
        """The keys of a sender: queue, discipline, windows."""
        if name == ap:
            down: Mapping[str, Any] = self.channel["down"]
            return down
        own = self.channel.get("station", {}).get(name, {})
        return {**self.channel["up"], **{k: v for k, v in own.items() if k not in ("up", "down")}}

    def edca(self, name: str, ap: str) -> Mapping[str, Any]:
        """Windows and AIFSN of a sender."""
        of = self._sender(name, ap)["edca"]
        return dict(of.get(self.category, of))

    def windows(self, name: str, ap: str) -> tuple[int, ...]:
        """CWmin + 1 and so on, once for each attempt."""
        of = self.edca(name, ap)
        if "txop" in of and self.number(of["txop"]) > 0:
            _no(
                self.channel,
                "Eq 3",
                "t_d",
                "a TXOP holds several exchanges, and Eq 3 has one PPDU",
                "set the category's txop to 0 s",
            )
        if of["cw_max"] == 0:
            _no(
                self.channel,
                "Eq 4",
                "W_0",
                f"{name} waits for no slot before any attempt, so that two who have data never get"
                " one through",
                "set cw_max to 1 or more",
            )
        found = [of["cw_min"] + 1]
        while len(found) <= self.channel["retry_limit"]:
            found.append(min(2 * found[-1], of["cw_max"] + 1))
        return tuple(found)

    def limit(self, name: str, ap: str) -> float:
        """Packets that a sender's queue holds."""
        return self._limit(self._sender(name, ap), 1500)

    def _limit(self, of: Mapping[str, Any], packet: int) -> float:
        count, _, unit = str(of["queue"]).partition(" ")
        return float(count) if unit.startswith("packet") else self.number(str(of["queue"])) / packet

    def spoilt(self, way: Mapping[str, Any], packet: int) -> float:
        """Part of the MPDUs that the channel spoils."""
        if way.get("errors", "none") != "none":
            _no(
                self.channel,
                "Eq 6",
                "p_phy",
                f"errors = {way['errors']!r} follows from the signal",
                "set bit_error_rate",
            )
        bits = 8 * air.mpdu(packet)
        spoilt = float(1 - (1 - way.get("bit_error_rate", 0.0)) ** bits)
        if spoilt > 1 - 1e-6:
            _no(
                self.channel,
                "Eq 6",
                "p_phy",
                f"it is {spoilt:.7f}: of {bits} bits one is always wrong",
                f"set bit_error_rate below {1 / bits:.0e}",
            )
        return spoilt

    def exchange(self, way: Mapping[str, Any], packet: int, sender: str) -> Exchange:
        """A PPDU of packets of so many bytes, and its answer."""
        if way["rate_control"]["name"] != "fixed":
            _no(
                self.channel,
                "Eq 3",
                "T_r",
                f"{sender} changes its mode ({way['rate_control']['name']})",
                "set mcs instead of rate_control",
            )
        for key, what in (("amsdu", "an MPDU holds several packets"), ("reverse_grant", "RDG")):
            if way[key] not in ("off", False):
                _no(self.channel, "Eq 3", "s_h", what, f"without {key} the model knows the channel")
        streams = int(way.get("streams", 1))
        standard = self.channel["standard"]
        mcs = int(way["mcs"]) % 8 if standard == "n" else int(way["mcs"])
        guard = round(self.number(way["guard_interval"]) * 1e9)
        width = round(float(str(way["width"]).split()[0]))
        mode = Mode(standard, mcs, width, guard, streams)
        basic = mode.control_rate
        # "always" is a limit of no bytes.
        whole = way["rts"] == "always" or str(way["rts"]).startswith("0 ")
        rts, alone = contention.rts_cts(basic) if whole else (None, 0.0)
        if not whole and way["rts"] != "off":
            _no(
                self.channel,
                "Eq 7",
                "T_c",
                "RTS announces only long frames, so that collisions have two lengths",
                'set rts to "always" or "off"',
            )
        one = air.mpdu(packet)
        if way["ampdu"] == "off":
            answer = (air.SIFS + air.legacy(basic, air.ACK)) * _US
            fixed = mode.duration(one) * _US + answer
            return Exchange(fixed, 0.0, 1, answer, rts, alone)
        limit = round(self.number(way["ampdu"]))
        window = int(way["block_ack_window"])
        longest = air.longest_exchange(mode, packet, limit, window)
        answer = (air.SIFS + longest.answer) * _US
        first = mode.duration(air.DELIMITER + one) * _US
        n = longest.mpdus
        # Symbols are whole: between one MPDU and the most it is a line.
        each = (longest.data * _US - first) / (n - 1) if n > 1 else 0.0
        return Exchange(first - each + answer, each, n, answer, rts, alone)

    def source(self, sender: str, ap: str, lanes: Sequence[Lane]) -> Source:
        """A sender of data with its queue."""
        of = self._sender(sender, ap)
        qdisc = of["qdisc"] if isinstance(of["qdisc"], Mapping) else {"name": of["qdisc"]}
        name, packet = qdisc["name"], 1500
        contender = Contender(
            self.windows(sender, ap), lanes[0].p_phy if lanes[0].data.most == 1 else 0.0
        )
        if name == "shared":
            return Source(sender, contender, lanes, self._limit(of, packet))
        if name == "per-station":
            # AQL: as much airtime as a receiver may have in the device (net/mac80211/tx.c).
            high, low = self.number(qdisc["aql_high"]), self.number(qdisc["aql_low"])
            crowded = len(lanes) * high > self.number(qdisc["aql_threshold"])
            time = low if crowded else high
            lanes = [replace(x, device=time / (x.data.each or x.data.lasts(1))) for x in lanes]
            above = Above(
                "fq-codel",
                self._limit(of, packet),
                self.number(qdisc["target"]),
                self.number(qdisc["interval"]),
            )
            return Source(
                sender,
                contender,
                lanes,
                self._limit(of, packet),
                per_lane=True,
                above=above,
                airtime=bool(qdisc["airtime_fairness"]),
            )
        if name not in _ABOVE:
            _no(
                self.channel,
                "Eqs 18 to 24",
                "s_i",
                f"{sender} has the queue {name}",
                f"the model knows shared, per-station, {', '.join(_ABOVE)} there",
            )
        above = Above(
            name,
            self._limit(of, packet),
            self.number(qdisc.get("target", "5 ms")),
            self.number(qdisc.get("interval", "100 ms")),
        )
        return Source(sender, contender, lanes, float(of["device_queue"]), above=above)
