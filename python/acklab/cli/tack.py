"""`acklab tack`: files, TCP services and measurements over TACK."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, cast

import typer

from acklab.cli.helping import Command, Group
from acklab.cli.output import printing, quiet, tell, tell_event, tell_lines

if TYPE_CHECKING:
    from io import BufferedReader

    from acklab.tack import Connection, Received, Recorder
    from acklab.tack.keys import Key
    from acklab.tack.messages import Done, Offer
    from acklab.tack.perf import Measured

app = typer.Typer(
    cls=Group,
    help="Use TACK on a real network: send files, carry TCP services, measure.",
    no_args_is_help=True,
)

Server = Annotated[
    str,
    typer.Option("--to", metavar="HOST[:PORT]", help="The other end. Default port: 8225."),
]
ServerKey = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="KEY",
        help="The server's public key, 64 digits that it shows, or a file of `acklab tack keygen`. "
        "Default: your own, for a server that you run.",
    ),
]
OwnKey = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help="A file of `acklab tack keygen`. Default: your own key pair, made when needed.",
    ),
]
Qlog = Annotated[
    Path | None,
    typer.Option(
        "--qlog",
        metavar="DIR",
        help="Keep a result folder there: qlog, and the tables that plots, reports and comparisons "
        "of simulated runs read.",
    ),
]
Listen = Annotated[
    str,
    typer.Option("--listen", metavar="[HOST]:PORT", help="Where to listen, UDP. Default: :8225."),
]


@app.command(cls=Command)
@printing
def send(
    file: Annotated[str, typer.Argument(help="The file, or - for the standard input.")],
    to: Server = "localhost",
    key: ServerKey = None,
    name: Annotated[
        str | None, typer.Option("--name", help="What the receiver calls it. Default: its name.")
    ] = None,
    qlog: Qlog = None,
) -> None:
    """Send a file to `acklab tack recv`. If it breaks off, the same command goes on from there."""
    from acklab.tack import connect
    from acklab.tack import send as send_file

    called = name or ("stdin" if file == "-" else Path(file).name)
    with (
        _opened(file) as (source, size),
        _keeping(qlog, "send") as kept,
        connect(to, key, record=kept and kept.recorder) as connection,
    ):
        began = monotonic()
        with _Bar(called) as bar:
            done = send_file(connection, source, called, size, lambda at: bar.show(at, size))
        _say_sent(connection, called, done, monotonic() - began, bar.first)
        if kept:
            kept.recorder.add("file", connection, sends=True)
            kept.where = f"to {to}"


@app.command(cls=Command)
@printing
def recv(
    out: Annotated[
        Path, typer.Option("--out", metavar="PATH", help="A folder, or the name of the file.")
    ] = Path(),
    listen: Listen = "",
    key: OwnKey = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a file of that name.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Go on with further files, until Ctrl-C.")
    ] = False,
    qlog: Qlog = None,
) -> None:
    """Receive a file from `acklab tack send`.

    It gets its name when it is complete and its checksum is right. What has arrived of an
    unfinished file stays in .NAME.part, and the next transfer goes on from there.
    """
    from acklab.errors import AcklabError, UsageError
    from acklab.tack import PeerGone, TackError, receive
    from acklab.tack import listen as listen_at
    from acklab.tack.addresses import shown
    from acklab.tack.receiving import check_target

    if keep and qlog:
        raise UsageError("--qlog keeps one transfer, and --keep goes on: give one of them")
    check_target(out)
    mine = _own(key)
    with (
        _keeping(qlog, "recv") as kept,
        listen_at(listen, mine, record=kept and kept.recorder) as listener,
    ):
        _say_listening(listener.address, mine, "send FILE")
        for connection in listener:
            began = monotonic()
            try:
                with connection, _Bar("") as bar:
                    received = receive(
                        connection,
                        out,
                        overwrite=overwrite,
                        progress=bar.show_offer,
                        give_up=connection.abort,
                    )
                    _let_go(connection)
            except PeerGone as e:
                gone = str(e).splitlines()[0]
                said = f"{gone}; waiting for the sender to come again"
                tell_event({"event": "gone", "text": gone}, said)
                continue
            except (AcklabError, TackError) as e:
                if not keep:
                    raise
                typer.echo(f"error: {e}", err=True)
                continue
            _say_received(received, monotonic() - began)
            if kept:
                kept.recorder.add("file", connection, sends=False)
                kept.where = f"from {shown(connection.peer)}"
            if not keep:
                return


@app.command(cls=Command)
@printing
def proxy(
    listen: Annotated[
        str | None,
        typer.Option("--listen", metavar="[HOST]:PORT", help="Where TCP clients connect."),
    ] = None,
    serve: Annotated[
        str | None,
        typer.Option("--serve", metavar="[HOST]:PORT", help="Where the other proxy connects."),
    ] = None,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="HOST:PORT",
            help="With --listen the other proxy; with --serve the TCP service.",
        ),
    ] = "localhost",
    key: ServerKey = None,
    qlog: Annotated[
        Path | None,
        typer.Option(
            "--qlog",
            metavar="DIR",
            help="Keep a result folder of each connection there, DIR/0001 and so on, with qlog.",
        ),
    ] = None,
) -> None:
    """Carry a TCP service over TACK: a proxy here for its clients, and one there beside it."""
    from acklab.errors import UsageError
    from acklab.tack import Recorder
    from acklab.tack import listen as listen_at
    from acklab.tack.addresses import resolve, shown
    from acklab.tack.proxy import Keeping, enter, leave, listen_tcp

    def told(line: str) -> None:
        if not quiet():
            typer.echo(line, err=True)

    if (listen is None) == (serve is None):
        raise UsageError(
            "a proxy needs either --listen, for TCP clients, or --serve, for the other proxy\n"
            "  help: acklab tack proxy --listen :8080 --to SERVER --key KEY\n"
            "        acklab tack proxy --serve :8225 --to localhost:80"
        )
    recorder = None if qlog is None else Recorder("proxy")
    keeping = None
    if recorder is not None and qlog is not None:
        keeping = Keeping(recorder, qlog, _command(), enters=serve is None)
    if serve is not None:
        at = resolve(to, "localhost", 0, stream=True)
        if at[1] == 0:
            raise UsageError(f"--to {to} needs the port of the TCP service, such as {to}:80")
        mine = _own(key)
        with listen_at(serve, mine, record=recorder) as listener:
            _say_listening(listener.address, mine, "proxy --listen :PORT")
            leave(listener, at, told, keeping)
    else:
        assert listen is not None
        far = resolve(to, "localhost")
        with listen_tcp(resolve(listen, "127.0.0.1", 0, stream=True)) as tcp:
            host, port = tcp.getsockname()[:2]
            at_ = shown((host, port))
            tell_event({"event": "listening", "at": at_}, f"TCP clients connect to {at_}")
            enter(tcp, shown(far), key, told, keeping)


@app.command(cls=Command)
@printing
def perf(
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="HOST[:PORT]", help="The server: another `acklab tack perf`."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--time", "-t", min=0.1, max=3600, help="How long to send, seconds.")
    ] = 10.0,
    streams: Annotated[
        int, typer.Option("--streams", "-P", min=1, max=128, help="Connections at once.")
    ] = 1,
    reverse: Annotated[
        bool, typer.Option("--reverse", "-R", help="The server sends, and this end receives.")
    ] = False,
    listen: Listen = "",
    key: ServerKey = None,
    once: Annotated[
        bool, typer.Option("--once", "-1", help="As a server: end after one test.")
    ] = False,
    qlog: Qlog = None,
) -> None:
    """Measure a path with TACK. Without --to it is the server, which takes part in tests."""
    from acklab.errors import UsageError
    from acklab.tack import listen as listen_at
    from acklab.tack.perf import measure, serve

    if to is None:
        if qlog:
            raise UsageError(
                "--qlog keeps what the end with --to sees\n"
                "  help: give it there; with --reverse that end receives"
            )
        mine = _own(key)
        with listen_at(listen, mine) as listener:
            _say_listening(listener.address, mine, "perf")
            serve(
                listener, lambda line: tell_event({"event": "test", "text": line}, line), once=once
            )
        return
    with _keeping(qlog, "perf") as kept, _Bar("measuring") as bar:
        found = measure(
            to,
            key,
            seconds=seconds,
            streams=streams,
            reverse=reverse,
            progress=bar.add,
            recorder=kept.recorder if kept else None,
        )
        if kept:
            kept.where = f"with {to}"
    tell(lambda: _summed(found), lambda: _show(found))


@app.command(cls=Command)
@printing
def keygen(
    file: Annotated[
        Path | None, typer.Argument(help="Where to keep it. Default: your own key pair.")
    ] = None,
    shared: Annotated[
        bool,
        typer.Option("--shared", help="One key for both ends, instead of a server's key pair."),
    ] = False,
) -> None:
    """Make a key, and show what the other end needs."""
    from acklab.errors import UsageError
    from acklab.tack import Key
    from acklab.tack.keys import own_path

    if shared and file is None:
        raise UsageError("a shared key needs a file\n  help: acklab tack keygen --shared link.key")
    key = Key.secret() if shared else Key.pair()
    path = file or own_path()
    key.write(path)
    public = None if key.public is None else key.public.hex()
    if public is not None:
        said = f"key pair in {path}; clients need the public key\n{public}"
    else:
        said = f"shared key in {path}; copy the file to the other end over a safe way"
    tell_lines({"file": path, "public": public}, said)


@dataclass
class _Kept:
    """Records that become a result folder."""

    recorder: Recorder
    where: str = ""


@contextmanager
def _keeping(folder: Path | None, name: str) -> Iterator[_Kept | None]:
    """Something to record with, whose result is in `folder` in the end; that it can be written is
    proved before."""
    from acklab.cli.guard import kept
    from acklab.folder import result_folder
    from acklab.tack.recorded import Recorder, write

    if folder is None:
        yield None
        return
    with result_folder(folder) as scratch:
        made = _Kept(Recorder(name))
        yield made
        result = made.recorder.result(made.where)
        write(result, scratch, _command())
    kept(folder)
    more = f"; {result.missed} packets behind the first million are not in it"
    typer.echo(f"results: {folder}{more if result.missed else ''}", err=True)


def _command() -> str:
    """The command that was given."""
    import shlex

    return shlex.join(["acklab", *sys.argv[1:]])


@contextmanager
def _opened(file: str) -> Iterator[tuple[BufferedReader, int | None]]:
    """The file and its size; of the standard input nobody knows it."""
    from acklab.errors import AcklabError

    if file == "-":
        yield cast("BufferedReader", sys.stdin.buffer), None
        return
    path = Path(file)
    try:
        if path.exists() and not path.is_file():
            raise OSError(0, "it is not a regular file")
        source = path.open("rb")
    except OSError as e:
        raise AcklabError(
            f"cannot send {file}: {e.strerror or e}\n"
            "  help: give the path of a file, or - for the standard input"
        ) from None
    with source:
        yield source, os.fstat(source.fileno()).st_size


class _Bar:
    """A progress bar on standard error, if that is a terminal."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        err = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=err,
            transient=True,
            disable=quiet() or not err.is_terminal,
        )
        self._task = self._bar.add_task(name, total=None)
        #: Bytes that were there at the beginning.
        self.first: int | None = None

    def show(self, at: int, size: int | None) -> None:
        """So many bytes of so many."""
        if self.first is None:
            self.first = at
            self._bar.reset(self._task, completed=at, total=size)
        self._bar.update(self._task, completed=at)

    def show_offer(self, offer: Offer, at: int) -> None:
        """So many bytes of what is offered."""
        if self.first is None:
            self._bar.update(self._task, description=offer.name)
        self.show(at, offer.size)

    def add(self, more: int) -> None:
        """So many bytes more."""
        self._bar.advance(self._task, more)

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def _own(key: str | None) -> Key:
    from acklab.tack import Key
    from acklab.tack.keys import own

    mine = own() if key is None else Key.read(key)
    # A mistake is reported before anything is listened to.
    _ = mine.of_server
    return mine


def _say_listening(address: tuple[str, int], key: Key, command: str) -> None:
    from acklab.tack.addresses import shown

    host, port = address
    here = "THIS-HOST" if host in ("0.0.0.0", "::") else shown((host, port)).rpartition(":")[0]
    what = key.public.hex() if key.shared is None and key.public is not None else "KEY-FILE"
    there = f"acklab tack {command} --to {here}:{port} --key {what}"
    tell_event(
        {"event": "listening", "at": shown(address), "command": there},
        f"listening at {shown(address)}. On the other side:",
        f"  {there}",
    )


def _let_go(connection: Connection) -> None:
    """Gives the last word time to arrive."""
    try:
        connection.close()
    except OSError:
        # The file is complete, whatever becomes of the connection.
        return


def _say_sent(
    connection: Connection, name: str, done: Done, seconds: float, first: int | None
) -> None:
    report = connection.report()
    moved = done.size - (first or 0)
    tell_lines(
        {"event": "sent", "name": name, "bytes": done.size, "bytes_before": done.size - moved}
        | {"seconds": seconds, "sha256": done.digest, "report": report},
        f"sent {name}: {_amount(done.size, moved, seconds)}",
        f"{report['data_packets']} packets, {report['retransmissions']} of them again,"
        f" {report['acks_received']} acknowledgements",
        f"SHA-256 {done.digest}",
    )


def _say_received(received: Received, seconds: float) -> None:
    moved = received.size - received.resumed
    tell_event(
        {"event": "received", "file": received.path, "bytes": received.size}
        | {"bytes_before": received.resumed, "seconds": seconds, "sha256": received.digest},
        f"received {received.path}: {_amount(received.size, moved, seconds)}",
        f"SHA-256 {received.digest}",
    )


def _amount(size: int, moved: int, seconds: float) -> str:
    from rich.filesize import decimal

    before = f", of which {decimal(size - moved)} were there before" if moved != size else ""
    return f"{decimal(size)}{before}, {seconds:.1f} s, {moved * 8e-6 / seconds:.1f} Mbit/s"


def _summed(of: Measured) -> dict[str, object]:
    return {"goodput_mbps": of.goodput_mbps, "sent": of.sent, "received": of.received}


def _show(of: Measured) -> None:
    from rich.table import Table

    from acklab.cli.show import console

    table = Table(title=f"{of.goodput_mbps:.1f} Mbit/s of payload", title_justify="left")
    for column in ("stream", "Mbit/s", "packets", "again", "TACKs", "IACKs", "RTT", "least RTT"):
        table.add_column(column, justify="right", no_wrap=True)
    for i, (sent, received) in enumerate(zip(of.sent, of.received, strict=True)):
        s, r = sent.report, received.report
        rate = received.bytes * 8e-6 / received.seconds if received.seconds else 0.0
        least = "" if s["min_rtt_ms"] is None else f"{s['min_rtt_ms']:.2f} ms"
        table.add_row(
            str(i),
            f"{rate:.1f}",
            str(s["data_packets"]),
            str(s["retransmissions"]),
            str(r["tacks_sent"]),
            str(r["iacks_sent"]),
            f"{s['srtt_ms']:.2f} ms",
            least,
        )
    console().print(table)
