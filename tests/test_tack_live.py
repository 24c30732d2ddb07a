"""TACK between processes: files, services and measurements, and what can go wrong with them."""

import asyncio
import hashlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import acklab.tack
from acklab.errors import AcklabError

GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "tack-live.md"


@pytest.fixture(autouse=True)
def own_keys(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def acklab_(*words, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "acklab", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def ended(process, seconds=60):
    out, err = process.communicate(timeout=seconds)
    assert "Traceback" not in err, err
    return process.returncode, out, err


def listening(process):
    """The address at which a server says that it listens, and the options for the other side."""
    first, second = process.stdout.readline(), process.stdout.readline()
    assert "listening at" in first, process.stderr.read()
    port = re.search(r":(\d+)\. On", first)[1]
    key = second.split()[-1]
    return f"127.0.0.1:{port}", key


def stop(process):
    process.send_signal(signal.SIGINT)
    assert ended(process)[0] == 130


def made(path, size, seed=1):
    path.write_bytes(random.Random(seed).randbytes(size))
    return path


def test_a_file_arrives_and_both_show_its_checksum(tmp_path):
    path = made(tmp_path / "a file", 3_000_000)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (tmp_path / "in").mkdir()
    receiver = acklab_("tack", "recv", "--listen", "127.0.0.1:0", "--out", tmp_path / "in")
    at, key = listening(receiver)
    code, sent, _ = ended(acklab_("tack", "send", path, "--to", at, "--key", key))
    assert code == 0
    assert f"SHA-256 {digest}" in sent
    code, received, _ = ended(receiver)
    assert code == 0
    assert f"SHA-256 {digest}" in received
    assert (tmp_path / "in" / "a file").read_bytes() == path.read_bytes()


def test_the_standard_input_arrives(tmp_path):
    path = made(tmp_path / "f", 700_000)
    receiver = acklab_("tack", "recv", "--listen", "127.0.0.1:0", "--out", tmp_path / "g")
    at, _ = listening(receiver)
    with path.open("rb") as source:
        assert ended(acklab_("tack", "send", "-", "--to", at, stdin=source))[0] == 0
    assert ended(receiver)[0] == 0
    assert (tmp_path / "g").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("victim", ["sender", "receiver"])
def test_killed_in_the_middle_it_goes_on_from_there(victim, tmp_path):
    path = made(tmp_path / "f", 60_000_000)
    target, part = tmp_path / "g", tmp_path / ".g.part"
    # Room for a port of one's own: a receiver that comes again listens where the first did.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{probe.getsockname()[1]}"
    receive = ("tack", "recv", "--listen", at, "--out", target)
    receiver = acklab_(*receive)
    listening(receiver)
    sender = acklab_("tack", "send", path, "--to", at)
    while not (part.exists() and part.stat().st_size > 5_000_000):
        assert sender.poll() is None, sender.stderr.read()
        time.sleep(0.001)
    killed = sender if victim == "sender" else receiver
    killed.kill()
    killed.wait()
    had = part.stat().st_size
    assert had < path.stat().st_size
    assert not target.exists()
    if victim == "receiver":
        sender.kill()
        sender.communicate()
        receiver = acklab_(*receive)
        listening(receiver)
    code, out, _ = ended(acklab_("tack", "send", path, "--to", at), 120)
    assert code == 0
    assert "were there before" in out
    assert ended(receiver, 120)[0] == 0
    assert target.read_bytes() == path.read_bytes()
    assert not part.exists()


def test_who_connects_and_says_nothing_does_not_keep_others_out(tmp_path):
    path = made(tmp_path / "data.bin", 100_000)
    receiver = acklab_("tack", "recv", "--listen", "127.0.0.1:0", "--out", tmp_path / "in.bin")
    at, key = listening(receiver)
    with acklab.tack.connect(at, key) as silent:
        code, _, err = ended(acklab_("tack", "send", path, "--to", at, "--key", key))
        assert code == 0, err
        with pytest.raises(OSError, match=r"broke the connection off|went away"):
            silent.read()
        silent.abort()
    assert ended(receiver)[0] == 0
    assert (tmp_path / "in.bin").read_bytes() == path.read_bytes()


def test_wrong_keys_and_absent_servers_are_told(tmp_path):
    path = made(tmp_path / "f", 10)
    receiver = acklab_("tack", "recv", "--listen", "127.0.0.1:0", "--out", tmp_path / "g")
    at, _ = listening(receiver)
    code, _, err = ended(acklab_("tack", "send", path, "--to", at, "--key", "ab" * 32))
    assert code == 1
    assert "has another key" in err
    assert "help:" in err
    stop(receiver)
    code, _, err = ended(acklab_("tack", "send", path, "--to", at))
    assert code == 1
    assert "nobody answered" in err
    assert not (tmp_path / "g").exists()


def test_mistakes_are_told_before_anything_happens(tmp_path):
    def refused(*words, ends_with=1):
        code, out, err = ended(acklab_("tack", *words))
        assert (code, out) == (ends_with, "")
        return err

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        err = refused("recv", "--listen", f"127.0.0.1:{port}")
        assert f"UDP port {port} is in use" in err
    assert "does not have that address" in refused("recv", "--listen", "192.0.2.1:8225")
    assert "No such file" in refused("send", tmp_path / "absent")
    assert "not a regular file" in refused("send", tmp_path)
    assert "is no address" in refused("recv", "--listen", "localhost:x")
    assert "no host called" in refused("perf", "--to", "no.such.host.invalid")
    assert "neither a key nor a file" in refused("recv", "--key", "abc")
    assert "a public key" in refused("recv", "--key", "ab" * 32)
    assert "--listen, for TCP clients" in refused("proxy", ends_with=2)
    (tmp_path / "k").write_text("private 12\n")
    assert "64 hexadecimal digits" in " ".join(refused("recv", "--key", tmp_path / "k").split())


def test_keys(tmp_path):
    path = tmp_path / "keys" / "k"
    code, out, _ = ended(acklab_("tack", "keygen", path))
    assert code == 0
    assert path.stat().st_mode & 0o777 == 0o600
    assert acklab.tack.Key.read(str(path)).public.hex() in out
    code, _, err = ended(acklab_("tack", "keygen", path))
    assert code == 1
    assert "there is a file" in err
    assert repr(acklab.tack.Key.secret()) == "Key(shared)"


def test_a_service_over_two_proxies(tmp_path):
    service = socket.create_server(("127.0.0.1", 0))
    port = service.getsockname()[1]

    def echo():
        while True:
            try:
                tcp, _ = service.accept()
            except OSError:
                return
            threading.Thread(target=copy, args=(tcp,), daemon=True).start()

    def copy(tcp):
        with tcp:
            while data := tcp.recv(65536):
                tcp.sendall(data)

    threading.Thread(target=echo, daemon=True).start()
    there = acklab_("tack", "proxy", "--serve", "127.0.0.1:0", "--to", f"127.0.0.1:{port}")
    at, key = listening(there)
    here = acklab_("tack", "proxy", "--listen", "127.0.0.1:0", "--to", at, "--key", key)
    entrance = int(here.stdout.readline().rsplit(":", 1)[1])
    data = random.Random(2).randbytes(2_000_000)

    def exchange():
        with socket.create_connection(("127.0.0.1", entrance), timeout=30) as tcp:
            threading.Thread(
                target=lambda: (tcp.sendall(data), tcp.shutdown(socket.SHUT_WR)), daemon=True
            ).start()
            back = b""
            while more := tcp.recv(65536):
                back += more
            return back

    got = []
    threads = [threading.Thread(target=lambda: got.append(exchange())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert got == [data] * 3
    # Without the service the client's connection breaks; it does not just end.
    service.shutdown(socket.SHUT_RDWR)
    service.close()
    with (
        pytest.raises(ConnectionResetError),  # it may come before the connection is used
        socket.create_connection(("127.0.0.1", entrance), timeout=30) as tcp,
    ):
        tcp.recv(1)
    for proxy in (here, there):
        stop(proxy)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_measurement(reverse):
    server = acklab_("tack", "perf", "--listen", "127.0.0.1:0", "--once")
    at, key = listening(server)
    words = ["--to", at, "--key", key, "-t", "0.5", "-P", "2", "--json"]
    code, out, err = ended(acklab_("tack", "perf", *words, *["--reverse"] * reverse))
    if code:
        server.kill()
    assert code == 0, err + server.communicate()[0]
    found = json.loads(out)
    assert ended(server)[0] == 0
    assert len(found["sent"]) == len(found["received"]) == 2
    for sent, received in zip(found["sent"], found["received"], strict=True):
        assert sent["bytes"] == received["bytes"] > 0
        assert sent["report"]["data_packets"] > 0 < received["report"]["tacks_sent"]
    assert found["goodput_mbps"] > 0


def test_streams_of_asyncio():
    data = random.Random(3).randbytes(3_000_000)

    async def main():
        at = asyncio.get_running_loop().create_future()

        async def echo(connection):
            while more := await connection.read():
                await connection.write(more)
            connection.finish()
            await connection.close()

        server = asyncio.create_task(
            acklab.tack.serve(echo, "127.0.0.1:0", ready=lambda s: at.set_result(s.address))
        )
        host, port = await at

        async def client():
            connection = await acklab.tack.open_connection(f"{host}:{port}")

            async def write():
                await connection.write(data)
                connection.finish()

            writing = asyncio.create_task(write())
            back = b""
            while more := await connection.read():
                back += more
            await writing
            await connection.close()
            return back

        got = await asyncio.wait_for(asyncio.gather(*(client() for _ in range(3))), 60)
        server.cancel()
        return got

    assert asyncio.run(main()) == [data] * 3


def test_a_read_hears_ctrl_c():
    with acklab.tack.listen("127.0.0.1:0") as server:
        host, port = server.address
        connection = acklab.tack.connect(f"{host}:{port}")
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            connection.read()


def test_twins_agree(tmp_path):
    path = tmp_path / "twin.toml"
    path.write_text(re.search(r"```toml\n(.*?)```", GUIDE.read_text(), re.S)[1])
    code, out, _ = ended(acklab_("twin", path, "--out", tmp_path / "t"))
    assert code == 0
    rows = (tmp_path / "t" / "twin.csv").read_text().splitlines()[1:]
    found = {row.split(",")[1]: float(row.split(",")[-1]) for row in rows}
    # How closely depends on what else the machine does. Where the network itself was in time, so
    # were the ends mostly; on an idle machine goodput is within 0.5 %.
    in_time = float(re.search(r"([0-9]+) us \(99 of 100\)", out)[1]) < 300
    if in_time:
        assert abs(found["goodput"]) < 0.3, out
        assert 0 <= found["least RTT"] < 0.1, out
    assert (tmp_path / "t" / "twin.svg").stat().st_size > 1000
    assert "us late" in out


def test_only_tack_runs_live():
    code, _, err = ended(acklab_("twin", "single-flow"))
    assert code == 1
    assert "flow.0 of 'single-flow' cannot run live" in err


def test_every_command_of_the_guide(tmp_path):
    """In the order of the page. Servers run until the commands after them have ended."""
    made(tmp_path / "data.bin", 500_000)
    service = socket.create_server(("127.0.0.1", 8080))
    blocks = re.findall(r"```(\w+)\n(.*?)```", GUIDE.read_text(), re.S)
    tool = f"{sys.executable} -m acklab"
    servers = []
    ran = 0
    for kind, text in blocks:
        if kind == "toml":
            (tmp_path / "twin.toml").write_text(text)
        elif kind == "python":
            exec(compile(text, "guide", "exec"), {})
        elif kind == "sh":
            ran += 1
            command = text.strip().replace("acklab ", f"{tool} ", 1)
            process = subprocess.Popen(
                ["bash", "-o", "pipefail", "-c", command if "|" in command else f"exec {command}"],
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            waits = re.search(r"recv|proxy|perf --listen", text)
            if waits:
                servers.append(process)
                assert re.search("listening at|clients connect", process.stdout.readline())
            else:
                code, out, err = ended(process, 90)
                assert code == 0, (text, out, err)
    service.close()
    for process in servers:
        if " recv " in process.args[-1]:
            assert ended(process)[0] == 0
        else:
            stop(process)
    assert ran >= 12
    for name in ("inbox.bin", "copy.bin", "guarded.bin"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "data.bin").read_bytes()


def test_a_connection_of_the_library_says_what_is_wrong():
    with pytest.raises(AcklabError, match="nobody answered"):
        acklab.tack.connect("127.0.0.1:9", acklab.tack.Key.secret(), patience=0.5)
