"""A server for one page, on the loopback interface alone."""

from __future__ import annotations

import errno
import re
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from acklab.errors import AcklabError

HOST = "127.0.0.1"

#: Where `make web` leaves the page.
BUILT = Path(__file__).resolve().parent.parent / "data" / "bench" / "index.html"

_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"')


def page() -> bytes:
    """The page as `make web` built it."""
    try:
        return BUILT.read_bytes()
    except OSError:
        raise AcklabError(
            f"the page of the bench is missing: {BUILT} is not there\n"
            "  help: run `make web` in the clone; a wheel that was built after that has the page"
        ) from None


class Server(ThreadingHTTPServer):
    """Serves a page at `/` until it is closed. Port 0 is any that is free."""

    daemon_threads = True

    def __init__(self, content: bytes, port: int = 0) -> None:
        self.content = content
        self.headers = _headers(content.decode())
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as e:
            taken = getattr(e, "errno", None) == errno.EADDRINUSE
            why = "somebody else listens there" if taken else str(e)
            raise AcklabError(
                f"cannot serve the page at port {port}: {why}\n"
                "  help: without --port acklab takes a port that is free"
            ) from None

    @property
    def root(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of this machine for browsers: a page of another name would pose as it."""
        return (f"{HOST}:{self.server_port}", f"localhost:{self.server_port}")


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD of the page, and nothing else."""

    server: Server
    server_version = "acklab"
    sys_version = ""

    def do_GET(self) -> None:
        self._answer(with_content=True)

    def do_HEAD(self) -> None:
        self._answer(with_content=False)

    def _answer(self, *, with_content: bool) -> None:
        if self.headers.get("Host") not in self.server.names:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        elif self.path.partition("?")[0] not in ("/", "/index.html"):
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            self.send_response(HTTPStatus.OK)
            for name, value in self.server.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if with_content:
                self.wfile.write(self.server.content)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads a log of one page."""


def _headers(text: str) -> dict[str, str]:
    """The page's own policy, which it cannot say all of, and what else keeps it to itself."""
    own = _POLICY.search(text)
    policy = own[1] if own else "default-src 'none'"
    return {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Length": str(len(text.encode())),
        "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
