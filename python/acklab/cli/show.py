"""Tables and progress bars for the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from acklab.cli.show_air import airtime, ofdma, stations
from acklab.cli.show_classes import classes
from acklab.cli.show_table import MOST_ROWS, close, number, shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from acklab.results import Result

#: Where there is no terminal: in a log, a line as seldom as this is enough.
_SILENCE_S = 10


def console() -> Console:
    """Standard output; as wide as it takes when it is not a terminal.

    Brackets are no markup: names of flows and texts such as `[wifi]` are shown as they are.
    """
    from rich.console import Console

    width = None if sys.stdout.isatty() else 180
    return Console(width=width, highlight=False, markup=False)


@contextmanager
def progress(name: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, or a line now and then if that is no terminal.

    Call it to advance.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    from acklab.cli.guard import check_signals
    from acklab.cli.output import quiet

    err = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Remaining(),
        console=err,
        transient=True,
        disable=quiet() or not err.is_terminal,
    )
    task = bar.add_task(name, total=None)

    began = said = monotonic()
    before = 0

    def advance(done: int, total: int) -> None:
        nonlocal before, said
        check_signals()
        if (
            not (err.is_terminal or quiet())
            and monotonic() - said >= _SILENCE_S
            and before < done < total
        ):
            said = monotonic()
            left = (said - began) * (total - done) / (done - before)
            print(f"{name}: {done}/{total} runs, about {left:.0f} s left", file=sys.stderr)
        if bar.tasks[task].total is None:
            # Runs that were there before must not count as speed.
            before = done
            bar.reset(task, completed=done, total=total)
        bar.update(task, completed=done)

    with bar:
        yield advance


def summary(result: Result) -> None:
    """The flows and the links of a run as tables."""
    from rich.table import Table

    out = console()
    flows = Table(title=f"{result.scenario.name}, seed {result.seed}", title_justify="left")
    flows.add_column("flow")
    named = _names_transports(result)
    if named:
        flows.add_column("transport")
    flows.add_column("cc")
    for head in ("goodput\nMbit/s", "retrans.\nsegments", "timeouts", "cwnd mean\npackets"):
        flows.add_column(head, justify="right")
    for head in ("RTT p50\nms", "RTT p95\nms", "one-way\ndelay\np50 ms", "one-way\ndelay\np95 ms"):
        flows.add_column(head, justify="right")
    for head in ("segments\nper ACK", "complete\ns", "lost\n%"):
        flows.add_column(head, justify="right")
    for f in result.flows.head(MOST_ROWS).iter_rows(named=True):
        lost = f["datagram_loss"]
        flows.add_row(
            f["flow"],
            *([f["transport"]] if named else []),
            f["cc"],
            f"{f['goodput_mbps']:.3f}",
            str(f["retransmissions"]),
            str(f["rtos"]),
            number(f["cwnd_mean_packets"], 1),
            number(f["rtt_p50_ms"], 2),
            number(f["rtt_p95_ms"], 2),
            number(f["owd_p50_ms"], 2),
            number(f["owd_p95_ms"], 2),
            number(f["segments_per_ack"], 2),
            number(f["completion_s"], 3),
            number(None if lost is None else 100 * lost, 2),
        )
    close(flows, result.flows.height, "flows")
    shown(flows, out)
    if named or len(result.airtime):
        shown(feedback(result), out)
    links = Table()
    links.add_column("link")
    for head in ("busy\n%", "sent\npackets", "dropped\npackets", "ACKs seen", "ACKs dropped"):
        links.add_column(head, justify="right")
    for row in result.links.head(MOST_ROWS).iter_rows(named=True):
        links.add_row(
            row["link"],
            f"{100 * row['utilisation']:.1f}",
            str(row["packets_out"]),
            str(row["dropped"]),
            number(row["acks_seen"], 0),
            number(row["acks_dropped"], 0),
        )
    close(links, result.links.height, "links")
    shown(links, out)
    for line in filters(result):
        out.print(line, markup=False, highlight=False)
    for table in classes(result, out):
        shown(table, out)
    if len(result.airtime):
        shown(airtime(result), out)
        shown(stations(result), out)
    if (triggered := ofdma(result)) is not None:
        shown(triggered, out)


def filters(result: Result) -> list[str]:
    """A line for each ACK filter: how many ACKs it passed, and whether its timer released them."""
    lines: list[str] = []
    for row in result.links.iter_rows(named=True):
        if len(lines) < MOST_ROWS and row["acks_seen"] and row["acks_passed"]:
            one_in = row["acks_seen"] / row["acks_passed"]
            timer = row["acks_by_timer"] or 0
            told = f"{row['link']}: the ACK filter passed one ACK in {one_in:.1f}"
            share = f"; its timer released {100 * timer / row['acks_passed']:.0f} % of them"
            lines.append(told + share * bool(timer))
    return lines


def _names_transports(result: Result) -> bool:
    """Whether not everything is TCP."""
    return any(t != "tcp" for t in result.flows["transport"])


def feedback(result: Result) -> Table:
    """Feedback of the flows' receivers, and its cost, a row per flow."""
    from rich.table import Table

    rows = result.flows
    table = Table()
    table.add_column("feedback")
    for head in ("ACKs sent", "of them\nIACKs", "data packets", "ACKs\nper RTT", "on the air\nms"):
        table.add_column(head, justify="right")
    for f in rows.head(MOST_ROWS).iter_rows(named=True):
        table.add_row(
            f["flow"],
            str(f["acks_sent"]),
            number(f["iacks_sent"], 0),
            str(f["data_segments"]),
            number(f["acks_per_rtt"], 1),
            number(f["feedback_airtime_ms"], 2),
        )
    close(table, rows.height, "flows")
    return table
