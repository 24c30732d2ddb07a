"""Files that are sent: whole under their name or not at all, whatever happens on the way."""

import errno
import hashlib
import os
import random
import socket
import subprocess
import sys
import threading
import time

import pytest

from acklab.errors import AcklabError
from acklab.tack import PeerGone, Refused, TransferError, receive, send
from acklab.tack.messages import BLOCK, VERSION, Begin, End, Frames, Offer, Refusal, Resume
from acklab.tack.receiving import KEPT_EVERY, _reason
from acklab.tack.sending import WINDOW


class Plain:
    """A socket as a stream, which may break after some bytes or spoil one of them."""

    def __init__(self, sock, cut=None, spoil=None):
        self.sock, self.cut, self.spoil, self.sent = sock, cut, spoil, 0

    def readinto(self, buffer):
        return self.sock.recv_into(buffer)

    def write(self, data):
        data = bytes(data[: random.Random(self.sent).randint(1, 1 << 20)])
        if self.cut is not None and self.sent + len(data) > self.cut:
            self.sock.sendall(data[: self.cut - self.sent])
            self.sock.close()
            raise BrokenPipeError("cut")
        if self.spoil is not None and self.sent <= self.spoil < self.sent + len(data):
            at = self.spoil - self.sent
            data = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        self.sock.sendall(data)
        self.sent += len(data)
        return len(data)


def transfer(path, target, name=None, wrap=Plain, size="known", **options):
    """Sends `path` to `target`; what became of both ends."""
    ours, theirs = socket.socketpair()
    ends = {}

    def at_receiver():
        with theirs:
            try:
                ends["received"] = receive(Plain(theirs), target, **options)
            except (AcklabError, OSError) as e:
                ends["received"] = e

    thread = threading.Thread(target=at_receiver)
    thread.start()
    with ours, path.open("rb") as source:
        known = path.stat().st_size if size == "known" else size
        try:
            ends["sent"] = send(wrap(ours), source, name or path.name, known)
        except (AcklabError, OSError) as e:
            ends["sent"] = e
    thread.join(30)
    assert not thread.is_alive()
    return ends["sent"], ends["received"]


def made(path, size, seed=1):
    path.write_bytes(random.Random(seed).randbytes(size))
    return path


@pytest.fixture
def there(tmp_path):
    (tmp_path / "there").mkdir()
    return tmp_path / "there"


SIZES = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 77]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("known", ["known", None])
def test_a_file_arrives_whole(size, known, tmp_path, there):
    path = made(tmp_path / "a file", size)
    sent, received = transfer(path, there, size=known)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert (sent.digest, sent.size) == (received.digest, received.size) == (digest, size)
    assert received.path == there / "a file"
    assert received.path.read_bytes() == path.read_bytes()
    assert os.listdir(there) == ["a file"]


def test_more_than_the_window(tmp_path, there):
    path = tmp_path / "big"
    with path.open("wb") as file:
        for i in range(WINDOW // BLOCK + 30):
            file.write(bytes([i % 256]) * BLOCK)
    sent, received = transfer(path, there)
    assert sent.digest == received.digest
    assert received.size == path.stat().st_size > WINDOW + KEPT_EVERY


def test_the_same_file_again_sends_nothing(tmp_path, there):
    path = made(tmp_path / "f", 2 * BLOCK)
    transfer(path, there)
    sent, received = transfer(path, there, wrap=lambda s: Plain(s, cut=1000))
    assert (sent.size, received.resumed) == (2 * BLOCK, 2 * BLOCK)


def test_another_file_of_that_name_stays(tmp_path, there):
    made(there / "f", 2 * BLOCK, seed=2)
    before = (there / "f").read_bytes()
    for size in (2 * BLOCK, 50):
        path = made(tmp_path / "f", size)
        sent, received = transfer(path, there)
        assert isinstance(sent, Refused)
        assert "has another f already" in str(received)
        assert (there / "f").read_bytes() == before
    sent, received = transfer(path, there, overwrite=True)
    assert received.path.read_bytes() == path.read_bytes()
    assert os.listdir(there) == ["f"]


def test_cut_anywhere_it_goes_on_from_there(tmp_path, there):
    path = made(tmp_path / "f", 5 * BLOCK + 1234)
    rng = random.Random(3)
    had, cuts = 0, 0
    for _ in range(200):
        # The way is cut after ever other numbers of bytes, in headers too.
        cut = rng.choice([rng.randint(0, 300), rng.randint(300, 2 * BLOCK)])
        sent, received = transfer(path, there, wrap=lambda s, cut=cut: Plain(s, cut=cut))
        if not isinstance(sent, Exception):
            break
        assert isinstance(received, PeerGone)
        assert "the other end went away" in str(received)
        assert not (there / "f").exists()
        part = there / ".f.part"
        if part.exists():
            assert path.read_bytes().startswith(part.read_bytes())
            assert part.stat().st_size >= had
            had = part.stat().st_size
        cuts += 1
    assert cuts > 5
    assert received.resumed == had > 0
    assert received.path.read_bytes() == path.read_bytes()
    assert os.listdir(there) == ["f"]


def test_a_spoilt_byte_does_not_pass(tmp_path, there):
    path = made(tmp_path / "f", 4 * BLOCK)
    # Beyond the offer and the first message: in a digest, in data of the second block.
    for spoil in (200, BLOCK + 500, 3 * BLOCK):
        sent, received = transfer(path, there, wrap=lambda s, at=spoil: Plain(s, spoil=at))
        assert isinstance(received, TransferError)
        assert isinstance(sent, TransferError)
        assert not (there / "f").exists()
    sent, received = transfer(path, there)
    assert received.path.read_bytes() == path.read_bytes()


def test_what_is_left_of_another_file_is_not_used(tmp_path, there):
    made(there / ".f.part", BLOCK, seed=9)
    path = made(tmp_path / "f", 2 * BLOCK)
    _, received = transfer(path, there)
    assert (received.resumed, received.path.read_bytes()) == (0, path.read_bytes())
    # A longer rest is cut: it may begin as the file does.
    shorter = tmp_path / "g"
    shorter.write_bytes(path.read_bytes()[:BLOCK])
    (there / ".g.part").write_bytes(path.read_bytes())
    _, received = transfer(shorter, there)
    assert (received.resumed, received.path.read_bytes()) == (0, shorter.read_bytes())


def test_a_sender_is_not_told_of_a_beginning_that_it_chooses(there):
    made(there / ".f.part", 100)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        frames = Frames(Plain(ours))
        # One byte: 256 digests would tell which.
        frames.say(Offer(VERSION, "f", 1))
        ours.shutdown(socket.SHUT_WR)
        with pytest.raises(PeerGone):
            receive(Plain(theirs), there)
        assert frames.expect(Resume) == Resume(0, hashlib.sha256().hexdigest())
    assert (there / ".f.part").stat().st_size == 100


def test_a_link_is_replaced_and_not_followed(tmp_path, there):
    path = made(tmp_path / "f", 10)
    other = made(tmp_path / "other", 20, seed=2)
    before = other.read_bytes()
    for link in ("f", ".f.part"):
        (there / link).symlink_to(other)
    _, received = transfer(path, there, overwrite=True)
    assert isinstance(received, TransferError), "the unfinished file is a link"
    (there / ".f.part").unlink()
    _, received = transfer(path, there, overwrite=True)
    assert not received.path.is_symlink()
    assert (received.path.read_bytes(), other.read_bytes()) == (path.read_bytes(), before)


def test_more_than_was_offered_is_not_kept(there):
    data = b"hello"
    block = b"\2\0\0\0\x25" + hashlib.sha256(data).digest() + data
    told = conversation(there, Offer(VERSION, "f", 4), Begin(0), block)
    assert "more than the 4 bytes" in told
    assert (there / ".f.part").stat().st_size == 0


def test_what_the_other_end_writes_does_not_command_a_terminal(there):
    told = conversation(there, Refusal("no\x1b[2J\nhelp"))
    assert told == "no\N{REPLACEMENT CHARACTER}[2J\nhelp"


def test_a_file_that_changes_is_not_sent(tmp_path, there):
    path = made(tmp_path / "f", 2 * BLOCK)
    for size in (BLOCK, 3 * BLOCK):
        sent, received = transfer(path, there, size=size)
        assert "f changed while it was sent" in str(sent)
        assert isinstance(received, Refused)
        assert not (there / "f").exists()


def test_two_at_once_do_not_mix(tmp_path, there):
    path = made(tmp_path / "f", BLOCK)
    ours, theirs = socket.socketpair()
    done = threading.Event()

    def first():
        with pytest.raises(PeerGone):
            receive(Plain(theirs), there)
        done.set()

    threading.Thread(target=first).start()
    frames = Frames(Plain(ours))
    frames.say(Offer(VERSION, "f", BLOCK))
    frames.expect(Resume)
    sent, received = transfer(path, there)
    assert "another transfer of f is under way" in str(received)
    assert isinstance(sent, Refused)
    ours.close()
    assert done.wait(10)
    theirs.close()
    _, received = transfer(path, there)
    assert received.path.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    "name", [".", "..", "../f", "/etc/passwd", "a/b", "a\0b", ".profile", "x" * 255]
)
def test_a_sender_chooses_no_folder(name, tmp_path, there):
    path = made(tmp_path / "f", 10)
    sent, received = transfer(path, there, name=name)
    assert "no name that it could have" in str(received)
    assert isinstance(sent, Refused)
    assert os.listdir(there) == []
    assert sorted(os.listdir(tmp_path)) == ["f", "there"]


def test_the_receiver_chooses_the_name(tmp_path, there):
    path = made(tmp_path / "f", 10)
    _, received = transfer(path, there / "g", name="../f")
    assert received.path == there / "g"
    assert received.path.read_bytes() == path.read_bytes()


def conversation(there, *say):
    """Error of a receiver in `there` after these messages."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        frames = Frames(Plain(ours))
        for message in say:
            if isinstance(message, bytes):
                ours.sendall(message)
            else:
                frames.say(message)
        ours.shutdown(socket.SHUT_WR)
        with pytest.raises(TransferError) as raised:
            receive(Plain(theirs), there)
    return str(raised.value)


def test_who_speaks_otherwise_is_told_so(there):
    offer = Offer(VERSION, "f", 5)
    empty = hashlib.sha256().hexdigest()
    assert "speaks version 9" in conversation(there, Offer(9, "f", 5))
    assert "file transfer" in conversation(there, b"GET / HTTP/1.1\r\n\r\n")
    assert "file transfer" in conversation(there, b"\1\xff\xff\xff\xff")
    assert "cannot be read" in conversation(there, b"\1\0\0\0\2{}")
    assert "begins at byte 4" in conversation(there, offer, Begin(4))
    assert "sent end instead of begin" in conversation(there, offer, End(0, empty))
    assert "did not finish" in conversation(there, offer, Begin(0), End(3, empty))
    assert "not what the sender sent" in conversation(
        there, offer, Begin(0), b"\2\0\0\0\x25" + bytes(32) + b"hello"
    )
    assert not (there / "f").exists()


def test_a_folder_that_may_not_be_written(tmp_path, there):
    path = made(tmp_path / "f", 10)
    sent, received = transfer(path, tmp_path / "nowhere" / "f")
    assert "there is no folder" in str(received)
    assert isinstance(sent, Refused)
    (there / ".f.part").mkdir()
    sent, received = transfer(path, there)
    assert "cannot write" in str(received)
    assert str(sent) == str(received)


END = """
import resource, signal, socket, sys
from pathlib import Path
from acklab.errors import AcklabError
from acklab.tack import receive, send

class Plain:
    def __init__(self, sock): self.sock = sock
    def readinto(self, buffer): return self.sock.recv_into(buffer)
    def write(self, data): return self.sock.send(data)

what, path, fd, most = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
if most:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
sock = socket.socket(fileno=fd)
try:
    if what == "send":
        with path.open("rb") as source:
            print(send(Plain(sock), source, path.name, path.stat().st_size).digest)
    else:
        print(receive(Plain(sock), path).digest)
except AcklabError as e:
    sys.exit(f"error: {e}")
"""


def pair(path, there, most=0):
    """Processes that send and receive, and nobody else who has their stream."""
    ends = socket.socketpair()
    processes = []
    for end, what, where, limit in zip(
        ends, ("send", "receive"), (path, there), (0, most), strict=True
    ):
        fd = end.fileno()
        arguments = [what, str(where), str(fd), str(limit)]
        processes.append(
            subprocess.Popen(
                [sys.executable, "-c", END, *arguments],
                pass_fds=[fd],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    for end in ends:
        end.close()
    return processes


def test_killing_either_end_loses_and_doubles_no_byte(tmp_path, there):
    path = made(tmp_path / "f", 24 << 20)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    part = there / ".f.part"
    rng, killed = random.Random(5), 0
    for turn in range(40):
        sender, receiver = pair(path, there)
        had = part.stat().st_size if part.exists() else 0
        victim = (sender, receiver)[turn % 2]
        # Killed once some more has arrived: in the middle of a block as a rule.
        goal = had + rng.randint(1, 4 << 20)
        while victim.poll() is None and not (part.exists() and part.stat().st_size >= goal):
            if receiver.poll() is not None:
                break
            time.sleep(0.0005)
        if killed < 6 and victim.poll() is None:
            victim.kill()
            killed += 1
        said = [p.communicate(timeout=60) for p in (sender, receiver)]
        if sender.returncode == receiver.returncode == 0:
            break
        assert not (there / "f").exists()
        other = (receiver, sender)[turn % 2]
        assert other.returncode == 1, said
        assert "Traceback" not in said[1 - turn % 2][1], said
    assert [out.strip() for out, _ in said] == [digest, digest]
    assert killed >= 4
    assert (there / "f").read_bytes() == path.read_bytes()
    assert os.listdir(there) == ["f"]


def test_a_limit_of_the_disk_is_told_to_both(tmp_path, there):
    path = made(tmp_path / "f", 3 << 20)
    sender, receiver = pair(path, there, most=1 << 20)
    said = [p.communicate(timeout=60)[1] for p in (sender, receiver)]
    assert (sender.returncode, receiver.returncode) == (1, 1)
    assert all("the receiver cannot write the file: File too large" in text for text in said), said
    assert os.listdir(there) == [".f.part"]
    _, received = transfer(path, there)
    assert received.resumed > 0
    assert received.path.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "the receiver's disk is full\n  help: make room there"),
        (errno.EDQUOT, "the receiver's disk is full"),
        (errno.EACCES, "the receiver may not write /a/f\n  help: start the receiver in a folder"),
        (errno.EIO, "the receiver cannot write /a/f: Input/output error\n  help: choose"),
    ],
)
def test_reasons_say_what_to_do(number, says):
    assert _reason(OSError(number, os.strerror(number), "/a/f")).startswith(says)
