"""An end of a transfer that does not run for 30 s, as when a laptop sleeps."""

import signal
import socket
import time

import pytest

from test_tack_live import acklab_, ended, listening, made, own_keys  # noqa: F401


@pytest.mark.parametrize("sleeper", ["sender", "receiver"])
def test_a_transfer_outlasts_a_suspended_end(sleeper, tmp_path):
    path = made(tmp_path / "f", 60_000_000)
    target, part = tmp_path / "g", tmp_path / ".g.part"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{probe.getsockname()[1]}"
    receiver = acklab_("tack", "recv", "--listen", at, "--out", target)
    listening(receiver)
    sender = acklab_("tack", "send", path, "--to", at)
    while not (part.exists() and part.stat().st_size > 2_000_000):
        assert sender.poll() is None, sender.stderr.read()
        time.sleep(0.001)
    asleep = sender if sleeper == "sender" else receiver
    asleep.send_signal(signal.SIGSTOP)
    try:
        assert part.exists(), "it was over before: nothing is tested"
        time.sleep(30)
        assert not target.exists()
    finally:
        asleep.send_signal(signal.SIGCONT)
    code, out, err = ended(sender, 120)
    assert code == 0, err
    assert "were there before" not in out, "one connection carried all of it"
    assert ended(receiver, 120)[0] == 0
    assert target.read_bytes() == path.read_bytes()
    assert not part.exists()
