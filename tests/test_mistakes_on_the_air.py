"""Mistakes on radio channels: who gave what, with its key, and what would be right."""

from pathlib import Path

import pytest

import acklab

SCENARIO = Path(__file__).parent.parent / "scenarios" / "wifi-hidden.toml"

#: A key, what it is set to, how the message shows that, and part of what it says would be right.
WRONG = [
    ("wifi.standard", "be", '"be"', "`ax`"),
    ("wifi.rate", "22 Mbit/s", '"22 Mbit/s"', "58.5, 65 Mbit/s"),
    ("wifi.rate", "1e300", "1e300", '"1e300 Mbit/s"'),
    ("wifi.mcs", "300", "300", "0 to 31"),
    ("wifi.mcs", "1e300", "1e300", "a smaller whole number"),
    ("wifi.streams", "-3", "-3", "1 to 4"),
    ("wifi.width", "80 MHz", '"80 MHz"', "20 MHz or 40 MHz"),
    ("wifi.guard_interval", "1600 ns", '"1600 ns"', "400 ns"),
    ("wifi.amsdu", "7935 B", '"7935 B"', '"4065 B" at most'),
    ("wifi.amsdu", "1e300 B", '"1e300 B"', "a size, such as"),
    ("wifi.receiver_amsdu", "5000 B", '"5000 B"', '"3839 B", "7935 B"'),
    ("wifi.ampdu", "64 KiB", '"64 KiB"', '"65535 B" at most'),
    ("wifi.block_ack_window", "0", "0", "1 to 64"),
    ("wifi.basic_rates", '["7 Mbit/s"]', '"7 Mbit/s"', "6, 9, 12, 18, 24, 36, 48 or 54"),
    ("wifi.basic_rates", "[]", "[]", "at least one of 6"),
    ("wifi.hidden", '[["sta0"]]', '["sta0"]', "write pairs"),
    ("wifi.hidden", '[["sta0", "sta9"]]', '"sta9"', "`sta1`"),
    ("wifi.bit_error_rate", "1e300", "1e300", "from 0 to 1"),
    ("wifi.lifetime", "1e300 s", '"1e300 s"', "a time, such as"),
    ("wifi.station.sta7.mcs", "3", "{ mcs = 3 }", "`sta1`"),
    ("wifi.station.sta1.mcs", "99", "99", "0 to 31"),
    ("wifi.down.queue", "0 packets", '"0 packets"', '"1 packet"'),
    ("wifi.down.ack_filter", '["tac", "aggregate"]', '"aggregate"', "leave one of them out"),
    ("wifi.down.ack_filter", '{ name = "tac", timeout = "-1 ms" }', '"-1 ms"', "not below zero"),
    ("wifi.down.ack_filter", '{ name = "tac", timeout = "61 s" }', '"61 s"', '"60 s"'),
    ("wifi.space", "{ ring = -1 }", "-1", "write metres"),
    ("wifi.space", "{ ring = nan }", "nan", "write metres"),
    ("wifi.space", "{ ring = 1, place = { sta0 = [1e300, 0] } }", "[1e300, 0]", "100000"),
    ("wifi.space", "{ ring = 1, place = { sta0 = { position = 5 } } }", "5", "[10, 0]"),
    ("topology.stations", "0", "0", "from 1 to 10000"),
    ("topology.stations", "10001", "10001", "from 1 to 10000"),
    ("flow.0.count", "0", "0", "at least 1"),
]


def told(*overrides: str) -> str:
    with pytest.raises(acklab.ScenarioError) as e:
        acklab.load(SCENARIO, overrides=overrides)
    return str(e.value)


@pytest.mark.parametrize(("key", "value", "shown", "right"), WRONG)
def test_one_mistake_with_its_place_its_value_and_what_is_right(key, value, shown, right):
    text = told(f"{key}={value}")
    assert text.count("error: ") == 1, text
    place, hint = text.split("\n")[1:]
    where, _, given = place.removeprefix("  in --set: ").partition(" = ")
    # A station that does not exist is not one of its keys.
    assert where.startswith(key) or key.startswith(where + "."), text
    assert given == shown, text
    assert hint.startswith("  help: "), text
    assert right in hint, text


def test_a_value_of_the_file_is_told_what_made_it_wrong():
    text = told("wifi.standard=b", "wifi.rate=22 Mbit/s", "duration=5 s")
    assert 'wifi-hidden.toml, line 15: wifi.ampdu = "16 KiB"' in text
    assert text.count("because of --set: wifi.standard = b") == 1
    assert "because of --set: duration" not in text
    assert "help: write 1, 2, 5.5 or 11 Mbit/s\n" in text + "\n"


def test_in_a_sweep_the_grid_is_named(acklab_cli):
    done = acklab_cli("sweep", SCENARIO, "--grid", "wifi.station.sta7.mcs=1,3", "--seeds", "1")
    assert done.returncode == 1
    assert "in the grid: wifi.station.sta7 = { mcs = 1 }" in done.stderr
    done = acklab_cli("sweep", SCENARIO, "--grid", "wifi.block_ack_window=64,4")
    assert done.returncode == 1
    assert "because of the grid: wifi.block_ack_window = 4" in done.stderr
    assert "--set" not in done.stderr
    done = acklab_cli("sweep", SCENARIO, "--set", "wifi.block_ack_window=4", "-g", "wifi.mcs=1,2")
    assert done.returncode == 1
    assert "because of --set: wifi.block_ack_window = 4" in done.stderr


@pytest.mark.parametrize(("key", "value"), [(w[0], w[1]) for w in WRONG[::6]])
def test_the_command_line_ends_with_1_and_without_a_traceback(acklab_cli, key, value):
    done = acklab_cli("run", SCENARIO, "--set", f"{key}={value}")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "value", [object(), [object()], {1}, 10**400], ids=["object", "list", "set", "huge"]
)
def test_what_no_scenario_can_have_is_told_with_its_key(value):
    with pytest.raises(acklab.ScenarioError, match=r"in <dict>: wifi\.mcs"):
        acklab.load({"duration": "1 s", "wifi": {"mcs": value}})
    with pytest.raises(acklab.ScenarioError, match=r"in --set: wifi\.mcs"):
        acklab.load(SCENARIO, overrides={"wifi.mcs": value})


def test_whoever_queues_per_station_can_load_the_whole_scenario_again(tmp_path):
    whole = acklab.load(SCENARIO, overrides=["wifi.qdisc=per-station"]).resolved
    file = tmp_path / "resolved.toml"
    file.write_text(whole)
    assert acklab.load(file).resolved == whole
