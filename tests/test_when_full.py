"""Data that an application writes into a full send buffer wait, or are lost and counted."""

import pytest

import acklab

#: A burst of 1000 chunks of 1000 bytes, one each millisecond, and then nothing.
BURST = 1_000_000
#: Of payload, in the profile of the RFCs; Linux counts overhead too and grows with the window.
SEND_BUFFER = 64_000

TOML = """
duration = "20 s"
[topology]
preset = "dumbbell"
[topology.bottleneck]
rate = "1 Mbit/s"
delay = "10 ms"
queue = "1000 packets"
[tcp]
profile = "rfc"
send_buffer = "64 kB"
[[flow]]
app = { kind = "on-off", rate = "8 Mbit/s", on = "1 s", off = "1 h", chunk = "1 kB" }
"""


def flow(tmp_path, more=""):
    path = tmp_path / "burst.toml"
    path.write_text(TOML.replace(" }\n", f"{more} }}\n"))
    return acklab.load(path).run().flows.to_dicts()[0]


@pytest.mark.parametrize("said", ["", ', when_full = "keep"'])
def test_what_is_kept_arrives_later(said, tmp_path):
    kept = flow(tmp_path, said)
    # 8 Mbit of payload over 1 Mbit/s take more than 8 s, of which the burst is one.
    assert kept["received_bytes"] == BURST
    assert kept["app_dropped_bytes"] is None


def test_what_is_lost_is_counted(tmp_path):
    lost = flow(tmp_path, ', when_full = "drop"')
    assert lost["received_bytes"] + lost["app_dropped_bytes"] == BURST
    # The buffer, and what the line takes in the second that the burst lasts: 125 kB with headers.
    assert SEND_BUFFER <= lost["received_bytes"] <= SEND_BUFFER + 125_000


def test_a_buffer_with_room_loses_nothing(tmp_path):
    path = tmp_path / "roomy.toml"
    text = TOML.replace(" }\n", ', when_full = "drop" }\n').replace("64 kB", "2 MB")
    path.write_text(text)
    roomy = acklab.load(path).run().flows.to_dicts()[0]
    assert (roomy["received_bytes"], roomy["app_dropped_bytes"]) == (BURST, 0)


def test_nobody_else_has_the_column_filled():
    text = TOML.partition("[[flow]]")[0] + "[[flow]]\n"
    import tomllib

    bulk = acklab.load(tomllib.loads(text)).run()
    assert bulk.flows["app_dropped_bytes"].to_list() == [None]
