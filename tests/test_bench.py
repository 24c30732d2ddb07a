"""`acklab bench`: one page, served to this machine alone, with the scenario in its address."""

import base64
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import zlib

import pytest

from acklab import bench
from acklab.bench import server as serving
from acklab.cli.guard import INTERRUPTED
from acklab.errors import AcklabError
from acklab.places import find

PAGE = (
    '<!doctype html><head><meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; connect-src 'none'\"></head><p>ACK µ</p>"
).encode()


@contextlib.contextmanager
def served(content=PAGE, port=0):
    with bench.Server(content, port) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def asked(server, path="/", method="GET", host=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request(method, path, headers={"Host": host or server.names[0]})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def unpacked(address):
    """The fields of a fragment, unpacked."""
    fields = dict(part.split("=", 1) for part in address.partition("#")[2].split("&"))

    def text(field):
        packed = base64.urlsafe_b64decode(field + "=" * (-len(field) % 4))
        return zlib.decompress(packed, -zlib.MAX_WBITS).decode()

    return {name: text(field) for name, field in fields.items()}


def test_the_page_comes_with_its_policy_and_nothing_else_is_there():
    with served() as server:
        answer, body = asked(server)
        assert (answer.status, body) == (200, PAGE)
        policy = answer.headers["Content-Security-Policy"]
        assert policy == "default-src 'none'; connect-src 'none'; frame-ancestors 'none'"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        answer, body = asked(server, method="HEAD")
        assert (answer.status, answer.headers["Content-Length"], body) == (200, str(len(PAGE)), b"")
        for path in ("/../../__init__.py", "/scenarios/", "//etc/passwd", "/index.html/x"):
            assert asked(server, path)[0].status == 404
        assert asked(server, method="POST")[0].status == 501


def test_a_page_of_another_name_gets_nothing():
    with served() as server:
        port = server.server_port
        assert asked(server, host=f"localhost:{port}")[0].status == 200
        for name in (f"evil.example:{port}", "127.0.0.1:1", "127.0.0.1"):
            answer, body = asked(server, host=name)
            assert answer.status == 421
            assert PAGE not in body


def test_it_listens_to_this_machine_alone():
    with served() as server:
        assert server.server_address[0] == "127.0.0.1"


def test_a_port_that_is_taken_is_told():
    with served() as server, pytest.raises(AcklabError, match="somebody else listens there"):
        bench.Server(PAGE, server.server_port)


def test_the_scenario_and_what_it_names_are_in_the_address():
    path = find("cellular")
    fields = unpacked(bench.address("http://x/", bench.scenario_of(path)))
    assert fields["toml"] == path.read_text()
    trace = (path.parent / "traces" / "steps.up").read_text()
    assert json.loads(fields["files"]) == {"traces/steps.up": trace}


def test_a_scenario_that_is_wrong_travels_too(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text("name = µ\n")
    fields = unpacked(bench.address("http://x/", bench.scenario_of(path)))
    assert fields == {"toml": "name = µ\n"}


LINK = bench.address("http://127.0.0.1:8000/", bench.Scenario('name = "µ"\n'))


def test_a_shared_link_or_its_fragment_opens_at_this_page():
    fragment = LINK.partition("#")[2]
    for link in (LINK, f"#{fragment}", f"file:///bench/index.html#{fragment}"):
        assert bench.address("http://x/", bench.fragment_of(link)) == f"http://x/#{fragment}"
    whole = f"{fragment}&pin={fragment.removeprefix('toml=')}&seeds=5&pinseeds=100&film=12.5"
    assert bench.fragment_of(f"#{whole}") == whole


def test_what_is_no_link_is_none():
    for words in ("single-flow", "a#b.toml", "http://x/", "C#toml=x"):
        assert bench.fragment_of(words) is None


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("#", "holds no scenario"),
        ("http://x/#seeds=5", "holds no scenario"),
        (LINK[:-4], "`toml` cannot be unpacked"),
        ("#toml=%22", "`toml` cannot be unpacked"),
        (f"{LINK}&pin=AAAA", "`pin` cannot be unpacked"),
        (f"{LINK}&colour=red", "'colour', which the bench does not know"),
        (f"{LINK}&seeds=0", "write a number from 1 to 100, such as 5"),
        (f"{LINK}&pinseeds=101", "write a number from 1 to 100, such as 5"),
        (f"{LINK}&film=soon", "write seconds, such as 12.5"),
    ],
)
def test_a_damaged_link_is_told(link, said):
    with pytest.raises(AcklabError, match=re.escape(said)):
        bench.fragment_of(link)


def test_the_command_takes_a_link_and_tells_a_damaged_one(acklab_cli):
    done = acklab_cli("bench", LINK[:-4], "--no-open")
    assert (done.returncode, "the link is damaged" in done.stderr) == (1, True)


def test_no_scenario_no_fragment():
    assert bench.address("http://x/", None) == "http://x/"


def test_what_no_address_can_hold_is_told():
    noise = base64.b64encode(os.urandom(200_000)).decode()
    with pytest.raises(AcklabError, match="drop the file onto the page"):
        bench.address("http://x/", bench.Scenario(noise))


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_told(tmp_path, content):
    path = tmp_path / "x.toml"
    if content:
        path.write_bytes(content)
    with pytest.raises(AcklabError, match=r"cannot read .*x\.toml"):
        bench.scenario_of(path)


def test_a_page_that_is_not_built_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(serving, "BUILT", tmp_path / "index.html")
    with pytest.raises(AcklabError, match="make web"):
        bench.page()


@pytest.mark.parametrize("asked_for", ["cake", "link"])
def test_the_command_serves_until_ctrl_c(tmp_path, asked_for):
    """The page of the test takes the place of the built one."""
    built = tmp_path / "index.html"
    built.write_bytes(PAGE)
    link = bench.address("http://elsewhere/", bench.scenario_of(find("cake")))
    words = link if asked_for == "link" else asked_for
    program = (
        "import pathlib, sys; from acklab.bench import server; from acklab import cli; "
        f"server.BUILT = pathlib.Path({str(built)!r}); "
        f"sys.argv = ['acklab', 'bench', {words!r}, '--no-open']; cli.main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, bufsize=1
    )
    try:
        first = process.stdout.readline()
        root, _, fragment = first.split()[-1].partition("#")
        connection = http.client.HTTPConnection(
            root.removeprefix("http://").rstrip("/"), timeout=10
        )
        connection.request("GET", "/")
        assert connection.getresponse().read() == PAGE
        assert unpacked(f"#{fragment}")["toml"] == find("cake").read_text()
        assert "Ctrl-C" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == INTERRUPTED
    finally:
        process.kill()
        process.stdout.close()
