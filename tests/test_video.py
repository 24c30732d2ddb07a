"""Video over a stream and over packets: what a user sees of it."""

import pytest

import acklab


def scenario(transport, *, rate="8 Mbit/s", loss=0.0, line="20 Mbit/s", **more):
    app = {"kind": "video", "rate": rate, "fps": 50, "gop": 25, **more}
    return {
        "name": "video",
        "duration": "10 s",
        "topology": {
            "preset": "dumbbell",
            "pairs": 1,
            "bottleneck": {"rate": line, "delay": "5 ms", "loss": loss, "queue": "1000 packets"},
        },
        "flow": [{"name": "v", "transport": transport, "app": app}],
    }


def run(*args, seed=1, **more):
    return acklab.load(scenario(*args, **more)).run(seed=seed).flows.row(0, named=True)


@pytest.mark.parametrize("transport", ["tcp", "tack", "rtp"])
def test_on_a_path_with_room_the_picture_never_stops(transport):
    flow = run(transport)
    assert (flow["video_rebuffering"], flow["video_stalls"]) == (0, 0)
    assert (flow["video_frame_loss"], flow["video_macroblock_loss"]) == (0, 0)
    assert flow["goodput_mbps"] == pytest.approx(8, rel=0.05)
    wall = flow["video_startup_ms"] / 1000 + flow["video_played_s"] + flow["video_stalled_s"]
    assert wall == pytest.approx(10)
    assert flow["video_latency_mean_ms"] >= flow["video_delay_p50_ms"] > 5


@pytest.mark.parametrize("transport", ["tcp", "tack"])
def test_a_stream_on_too_narrow_a_path_stalls_by_what_is_missing(transport):
    flow = run(transport, line="5 Mbit/s")
    # The part that is shown is the part that arrives, at the rate of the video.
    assert flow["video_rebuffering"] == pytest.approx(1 - flow["goodput_mbps"] / 8, abs=0.05)
    assert (flow["video_frame_loss"], flow["video_macroblock_loss"]) == (0, 0)


def test_packets_that_are_lost_damage_the_picture():
    flow = run("rtp", loss=0.01)
    assert flow["retransmissions"] == 0
    assert flow["datagram_loss"] == pytest.approx(0.01, abs=0.005)
    assert flow["video_macroblock_loss"] > flow["datagram_loss"], "damage stays until an I frame"
    assert 0 < flow["video_frame_loss"] < 1
    sent = flow["data_segments"]
    assert 0 <= sent - flow["datagrams_received"] - flow["datagrams_lost"] < 100, "in flight"


def test_the_same_seed_shows_the_same():
    assert run("rtp", loss=0.02, seed=4) == run("rtp", loss=0.02, seed=4)
    assert run("rtp", loss=0.02, seed=4) != run("rtp", loss=0.02, seed=5)


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        ({"transport": "rtp"}, 'write app = "video"'),
        ({"transport": "cbr", "app": "video"}, "knows no frames"),
        ({"app": {"kind": "video", "rate": "0 bit/s"}}, "needs a rate"),
        ({"app": {"kind": "video", "fps": 0}}, "from 1 to 1000"),
        ({"app": {"kind": "video", "i_frame": 0.5}}, "from 1 to 1000"),
        ({"app": {"kind": "video", "rate": "100 bit/s"}}, "less than a byte"),
    ],
)
def test_mistakes_are_named(flow, said):
    spec = scenario("tcp")
    spec["flow"] = [{"name": "v", **flow}]
    with pytest.raises(acklab.ScenarioError, match=said):
        acklab.load(spec)
