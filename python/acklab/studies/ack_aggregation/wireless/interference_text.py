"""What the interference table says: whom hiding costs what, and what RTS gives and takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acklab.studies.ack_aggregation.figures import CC_NAMES
from acklab.studies.ack_aggregation.wireless import wlan
from acklab.studies.ack_aggregation.wireless.wlan import Numbers

if TYPE_CHECKING:
    import polars as pl

HOW_NAMES = {
    "none": "no aggregation",
    "amsdu": "A-MSDU",
    "ampdu-8k": "A-MPDU of 8 KB",
    "ampdu": "A-MPDU of 64 KB",
}
#: Without these an MPDU has seven transmissions, with them up to 500 ms.
BLOCK_ACK = ("ampdu-8k", "ampdu")
OPEN = {"alone": "one station", "heard": "two that hear each other"}


def text(table: pl.DataFrame) -> str:
    """What hiding costs, whom, why; what RTS gives and takes."""
    f = Numbers(table)
    return "\n\n".join([_rates(f), _hidden(f), _fate(f), _advice(f)])


def _rates(f: Numbers) -> str:
    """Sum and worse station, by controller and way of aggregating."""
    columns = (("heard", "off"), ("heard", "always"), ("hidden", "off"), ("hidden", "always"))
    rows = []
    for cc in f.values["cc"]:
        for how in f.values["aggregation"]:
            cells = [
                " ".join(
                    form.format(f.mean(quantity, cc, how, *c))
                    for quantity, form in (("goodput_mbps", "{:.1f}"), ("worse_mbps", "({:.1f})"))
                )
                for c in columns
            ]
            rows.append([f"{CC_NAMES[cc]}, {HOW_NAMES[how]}", *cells])
    head = ["", "heard", "heard, RTS", "hidden", "hidden, RTS"]
    return (
        "**Two stations that send all they can**: sum of the goodputs, Mbit/s, and in brackets "
        f"the worse station's.\n\n{wlan.grid(head, rows)}"
    )


def _hidden(f: Numbers) -> str:
    """Collisions by way of aggregating, in CUBIC's numbers."""
    rows = []
    for how in f.values["aggregation"]:
        q = {
            n: f.mean(n, "cubic", how, "hidden", "off")
            for n in ("collision_share", "retries_share", "given_up_share", "timeouts", "jain")
        }
        rows.append(
            [
                HOW_NAMES[how],
                f"{q['collision_share']:.0%}",
                f"{q['retries_share']:.0%}",
                f"{q['given_up_share']:.2%}",
                f"{q['timeouts']:.1f}",
                f"{q['jain']:.2f}",
            ]
        )
    head = ["", "air in collisions", "repeated MPDUs", "segments given up", "timeouts", "Jain"]
    return (
        "**Hidden stations.** Neither hears that the other is sending, and backoff is too short to "
        "keep the two apart. Of two PPDUs that overlap the second is lost, and of the first what "
        "is overlapped: single MPDUs of an A-MPDU, otherwise all of it. CUBIC without RTS:\n\n"
        f"{wlan.grid(head, rows)}"
    )


def _fate(f: Numbers) -> str:
    """Who starves and who shares the misery, if the numbers have it so."""
    kinds: dict[bool, list[str]] = {True: [], False: []}
    for how in f.values["aggregation"]:
        kinds[how in BLOCK_ACK].append(how)

    def all_of(quantity: str, block_ack: bool) -> list[float]:
        return [f.mean(quantity, "cubic", how, "hidden", "off") for how in kinds[block_ack]]

    parts = []
    if max(all_of("jain", False)) < min(all_of("jain", True)) and min(
        all_of("timeouts", False)
    ) > max(all_of("timeouts", True)):
        shares = " and ".join(f"{jain:.2f}" for jain in all_of("jain", True))
        parts.append(
            "Without block ack an MPDU is given up after seven transmissions and TCP waits for its "
            "timer, which leaves the air to the other station: one has nearly all, and the sum "
            "hardly suffers. Under block ack an MPDU is repeated for up to 500 ms (a request for a "
            "block ack seven times), so both go on and go on colliding, with less for both and "
            f"shares that are more even (Jain {shares}: {_names(kinds[True])})."
        )
    long, short = (
        f("goodput_mbps", "cubic", how, "hidden", "off") for how in ("ampdu", "ampdu-8k")
    )
    if wlan.above(short, long):
        parts.append(
            f"The longer the PPDU, the worse: A-MPDUs of 64 KB leave {long.mean:.1f}, those of "
            f"8 KB {short.mean:.1f} Mbit/s."
        )
    return "**Who is hit.** " + (" ".join(parts) or "The seeds do not tell.")


def _names(hows: list[str]) -> str:
    return ", ".join(HOW_NAMES[how] for how in hows)


def _advice(f: Numbers) -> str:
    """Where RTS pays, what it costs, what is best with hidden stations."""
    helps: list[tuple[str, str]] = []
    open_: list[tuple[str, str]] = []
    for cc in f.values["cc"]:
        for how in f.values["aggregation"]:
            better = any(
                wlan.above(
                    f(quantity, cc, how, "hidden", "always"), f(quantity, cc, how, "hidden", "off")
                )
                for quantity in ("goodput_mbps", "worse_mbps")
            )
            (helps if better else open_).append((cc, how))
    told = (
        f"**Advice.** With hidden stations RTS/CTS raises the sum or the worse station's goodput "
        f"beyond the doubt of the seeds in {len(helps)} of {len(helps) + len(open_)} cases."
    )
    return " ".join(s for s in (told, _best(f), _price(f), _gain(f)) if s)


def _best(f: Numbers) -> str:
    """The way of aggregating with most goodput among hidden stations."""
    found = [
        (f.mean("goodput_mbps", "cubic", how, "hidden", rts), how, rts)
        for how in f.values["aggregation"]
        for rts in f.values["rts"]
    ]
    most, how, rts = max(found)
    worse = f.mean("worse_mbps", "cubic", how, "hidden", rts)
    with_ = "with RTS" if rts == "always" else "without RTS"
    return (
        f"Most goodput there, with CUBIC, has {HOW_NAMES[how]} {with_}: {most:.1f} Mbit/s, "
        f"{worse:.1f} of them the worse station's."
    )


def _price(f: Numbers) -> str:
    """What RTS costs where nobody is hidden."""
    costs = _changes(f, lower=True)
    if not costs:
        return ""
    factor, cc, how, neighbour = min(costs)
    return (
        f"Where nobody is hidden it costs up to {1 - factor:.0%} ({CC_NAMES[cc]}, "
        f"{HOW_NAMES[how]}, {OPEN[neighbour]}): RTS and CTS take the same time whatever the "
        "access carries."
    )


def _gain(f: Numbers) -> str:
    """What RTS gives where nobody is hidden: short collisions instead of long ones."""
    gains = _changes(f, lower=False)
    if not gains:
        return ""
    factor, cc, how, neighbour = max(gains)
    before, after = (f.mean("collision_share", cc, how, neighbour, rts) for rts in f.values["rts"])
    return (
        f"It can pay even there, by up to {factor - 1:.0%} ({CC_NAMES[cc]}, {HOW_NAMES[how]}, "
        f"{OPEN[neighbour]}): collisions, with the access point's TCP ACKs as well, took "
        f"{before:.0%} of the air without and {after:.1%} with RTS, for what collides is short."
    )


def _changes(f: Numbers, lower: bool) -> list[tuple[float, str, str, str]]:
    """Goodput with RTS over that without, where nobody is hidden and the seeds tell."""
    found = []
    for cc in f.values["cc"]:
        for how in f.values["aggregation"]:
            for neighbour in OPEN:
                off, on = (f("goodput_mbps", cc, how, neighbour, r) for r in ("off", "always"))
                if wlan.above(off, on) if lower else wlan.above(on, off):
                    found.append((on.mean / off.mean, cc, how, neighbour))
    return found
