"""Beyond the thesis: what its future work asks for, on a wireless network of one's own stations.

Section 5.3 of the thesis: "idealized channel conditions without mobility, interference, or
jitter", and "fairness in MAC-layer aggregation scenarios has not been systematically evaluated,
... particularly for multi-flow and multi-user wireless scenarios".

Stations upload through an access point to a server behind 100 Mbit/s and 2 ms, over the thesis's
channel. All run the Linux set-up: its buffers grow, so the network limits a flow and not a socket
buffer, and the channel keeps to the standard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from acklab.build import Flow, Link
from acklab.stacks import STACKS
from acklab.stats import AMOUNT, SHARE, Estimate, estimate
from acklab.studies.ack_aggregation.cells import SETUPS
from acklab.studies.ack_aggregation.wireless.cells import AGGREGATIONS, BOTH, CHANNEL
from acklab.studies.study import Outcome
from acklab.studies.values import airtime

if TYPE_CHECKING:
    import polars as pl

    from acklab.results import Result

START_S = 1
#: As Table 4's, with the A-MSDUs that the standard lets into A-MPDUs.
CHANNELS: Mapping[str, Mapping[str, str]] = {
    **AGGREGATIONS,
    "both": {**AGGREGATIONS["both"], **BOTH[False]},
}


def scenario(
    controllers: Sequence[str],
    channel: Mapping[str, Any],
    seconds: int,
    stations: int | None = None,
    **more: Any,
) -> dict[str, Any]:
    """One upload per controller: each from a station of its own, or all over `stations`."""
    setup, stack = SETUPS["linux"], STACKS["linux"]
    src, dst = (None, None) if stations is None else ("sta0", "server")
    jitter = setup.start_jitter
    flows = [
        Flow(cc=setup.cc(cc), app="bulk", src=src, dst=dst, start_jitter=jitter).spec()
        for cc in controllers
    ]
    return {
        "name": "ack-aggregation-wlan",
        "start": f"{START_S} s",
        "duration": f"{seconds} s",
        "topology": {
            "preset": "wlan",
            "stations": stations or len(controllers),
            "wire": Link(rate="100 Mbit/s", delay="2 ms", overhead=stack.overhead).spec(),
        },
        "wifi": {**CHANNEL, **channel},
        "flow": flows,
        "tcp": setup.tcp(),
        **more,
    }


#: How a quantity is read from a run; `None` where there is none.
Quantity = Callable[["Result"], float | None]


def table(outcomes: Sequence[Outcome], quantities: Mapping[str, Quantity]) -> pl.DataFrame:
    """A row per cell and quantity: mean over seeds, and its interval."""
    import polars as pl

    rows = []
    for o in outcomes:
        for name, of in quantities.items():
            values = [v for r in o.results if (v := of(r)) is not None]
            if values:
                rows.append({**o.keys, "quantity": name, **row(name, values)})
    return pl.DataFrame(rows, infer_schema_length=None)


def row(quantity: str, values: Sequence[float]) -> dict[str, float | int]:
    """The columns of an estimate; shares and Jain's indices end at 1."""
    share = "jain" in quantity or quantity.endswith("share")
    e = estimate(values, within=SHARE if share else AMOUNT)
    return {"value": e.mean, "ci_low": e.low, "ci_high": e.high, "n": e.n}


class Numbers:
    """A table's numbers by quantity and keys, the latter in the order of its columns."""

    def __init__(self, table: pl.DataFrame) -> None:
        keys = table.columns[: table.columns.index("quantity")]
        self._of = {
            (r["quantity"], *(r[k] for k in keys)): Estimate(
                r["value"], r["ci_low"], r["ci_high"], r["n"]
            )
            for r in table.iter_rows(named=True)
        }
        #: Values that each key has, in the table's order.
        self.values = {k: table[k].unique(maintain_order=True).to_list() for k in keys}

    def __call__(self, quantity: str, *keys: str | int) -> Estimate:
        """The estimate of a cell."""
        return self._of[quantity, *keys]

    def mean(self, quantity: str, *keys: str | int) -> float:
        """The mean alone."""
        return self._of[quantity, *keys].mean

    def has(self, quantity: str, *keys: str | int) -> bool:
        """Whether there is such a cell; quick runs have fewer."""
        return (quantity, *keys) in self._of


def above(a: Estimate, b: Estimate) -> bool:
    """Whether the seeds tell that `a` is more than `b`: their intervals are apart."""
    return a.low > b.high


def words(names: Sequence[str]) -> str:
    """A, B and C."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: words to the left in the first column, numbers to the right."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def senders(r: Result) -> pl.DataFrame:
    """The stations without the access point, which stands first and sends ACKs."""
    return r.stations[1:]


def retries_share(r: Result) -> float:
    """MPDUs of the stations that were repetitions."""
    sent = senders(r)
    return float(sent["retries"].sum()) / max(float(sent["mpdus"].sum()), 1)


def mpdus_per_ppdu(r: Result) -> float:
    """MPDUs that a station sends at once."""
    sent = senders(r)
    return float(sent["mpdus"].sum()) / max(float(sent["data_ppdus"].sum()), 1)


def given_up_share(r: Result) -> float:
    """Segments that the MAC of a station gave up, of those that TCP sent."""
    gone = senders(r).select("drops_retry_limit", "drops_lifetime_expired").sum().row(0)
    return float(sum(gone)) / max(float(r.flows["data_segments"].sum()), 1)


def retransmitted_share(r: Result) -> float:
    """Segments that TCP sent again, of all that it sent."""
    again = float(r.flows["retransmissions"].sum())
    return again / max(float(r.flows["data_segments"].sum()), 1)


def share(r: Result, use: str) -> float:
    """Part of the time after the start that the air had this use."""
    spent = airtime(r)[use]
    before = START_S if use == "idle" else 0
    return (spent - before) / (sum(airtime(r).values()) - START_S)


def ack_drops(r: Result) -> float:
    """ACKs that the access point dropped: no room, retries or lifetime used up."""
    drops = [c for c in r.stations.columns if c.startswith("drops_")]
    return float(sum(r.stations.select(drops).row(0)))
