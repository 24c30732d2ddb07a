"""Settings of TACK that the loader calls without effect have none, and have one elsewhere.

Two runs differ in one setting alone, on a path that loses, reorders and loses feedback. All packets
of both are compared, with the setting that leaves the first without effect, and without it.
"""

import pytest

import acklab


def packets(tack, cc, rate):
    scenario = {
        "name": "idle",
        "duration": "3 s",
        "topology": {
            "preset": "dumbbell",
            "bottleneck": {
                "rate": rate,
                "delay": "20 ms",
                "queue": "30 packets",
                "loss": 0.02,
                "reorder": {"probability": 0.02, "delay": "3 ms"},
                "reverse": {"loss": 0.1},
            },
        },
        "flow": [{"transport": {"name": "tack", **tack}, "cc": cc}],
        "record": {"packets": True},
    }
    loaded = acklab.load(scenario)
    result = loaded.run(seed=1)
    return (
        result.packets.hash_rows().sum(),
        result.tack_contents.hash_rows().sum(),
        "\n".join(loaded.warnings),
    )


def same(key, values, rest, cc, rate="8 Mbit/s"):
    (*one, told), (*other, _) = (packets({**rest, key: value}, cc, rate) for value in values)
    return one == other, told


#: Setting, two values of it, what leaves it without effect, and what gives it one.
SETTINGS = [
    ("q", (1, 64), {}, {"blocks": "adaptive"}),
    ("iack_copies", (1, 3), {"iack": False}, {}),
    ("settle", ("never", "always"), {"iack": False, "unacked": "all", "start_up": "tamed"}, {}),
    (
        "settle",
        ("never", "always"),
        {"iack": False, "unacked": "all", "start_up": "tamed"},
        {"iack": False, "start_up": "tamed"},
    ),
    ("unacked", ("reported", "all"), {"settle": "never"}, {"settle": "always"}),
    ("unacked", ("reported", "all"), {"settle": "never"}, {"settle": "always", "iack": False}),
    ("owd", ("smoothed", "raw"), {"timing": "legacy"}, {}),
    ("owd", ("smoothed", "raw"), {"timing": "newest"}, {}),
    ("owd_gain", (2, 32), {"timing": "legacy"}, {}),
    ("owd_gain", (2, 32), {"owd": "raw"}, {}),
    ("start_up_packets", (10, 500), {"start_up": "tamed"}, {}),
    (
        "delayed",
        ("25 ms", "100 ms"),
        {"thin": "interval", "interval": {"longest": "20 ms"}},
        {"l": 8},
    ),
]

#: The same of controllers.
CONTROLLERS = [
    (
        "rate_samples",
        ("sender", "receiver"),
        ["newreno", "linuxreno", "cubic", "vegas", "fixed", "rate"],
        "bbr1",
    ),
    ("undo", (False, True), ["bbr-tack", "fixed", "rate"], "cubic"),
    ("initial_window", (4, 40), ["fixed", "rate"], "cubic"),
]


@pytest.mark.parametrize(("key", "values", "idle", "busy"), SETTINGS)
def test_a_setting_without_effect_moves_no_packet(key, values, idle, busy):
    still, told = same(key, values, idle, "cubic")
    assert still
    assert f"`{key}` has no effect" in told
    still, told = same(key, values, busy, "cubic")
    assert not still
    assert told == ""


@pytest.mark.parametrize("key", ["theta", "theta_unit"])
def test_bw_is_read_by_adaptive_lists_and_in_start_up_alone(key):
    values = (1, 100) if key == "theta" else ("rtt", "interval")
    tamed = {"start_up": "tamed"}
    still, told = same(key, values, tamed, "cubic")
    assert still
    assert f"`{key}` has no effect" in told
    # theta counts where the rate varies, and Eq. 6 asks for more than one block.
    adaptive = {**tamed, "blocks": "adaptive", "q": 0, "ack_loss_period": 10}
    more = {} if key == "theta" else {"theta": 10}
    still, told = same(key, values, {**adaptive, **more}, "cubic", "50 Mbit/s")
    assert not still
    assert told == ""


@pytest.mark.parametrize(("key", "values", "deaf", "other"), CONTROLLERS)
def test_a_controller_that_does_not_hear_moves_no_packet(key, values, deaf, other):
    for cc in deaf:
        still, told = same(key, values, {}, cc)
        assert still, cc
        assert f"`{key}` has no effect with cc" in told
    assert not same(key, values, {}, other)[0]
