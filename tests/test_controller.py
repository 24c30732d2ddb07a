"""Congestion controllers written in Python."""

import pytest

import acklab
from acklab import CongestionController
from conftest import PATIENCE


class Aimd(CongestionController):
    """One segment per round trip up, half down."""

    def __init__(self, init):
        super().__init__(init)
        self.window = init.initial_cwnd
        self.credit = 0

    def on_ack(self, ack):
        if ack.may_grow and ack.cwnd_limited:
            self.credit += ack.newly_delivered * self.mss
            self.window += self.credit // self.window
            self.credit %= self.window

    def on_loss(self, loss):
        self.window = max(self.window // 2, 2 * self.mss)

    def on_rto(self, rto):
        self.window = self.mss

    def cwnd(self):
        return self.window

    def state(self):
        return "avoidance"


def with_controller(small, cls, **changes):
    small["flow"][0]["cc"] = "mine"
    small |= changes
    return acklab.load(small, controllers={"mine": cls})


def test_it_drives_a_flow(small):
    result = with_controller(small, Aimd, duration="10 s").run()
    flow = result.flows.row(0, named=True)
    assert flow["cc"] == "mine"
    assert 6 < flow["goodput_mbps"] < 10
    assert flow["retransmissions"] > 0
    assert set(result.series["state"].to_list()) <= {"avoidance", ""}


@pytest.mark.parametrize("name", ["cubic", "reno"])
def test_the_place_of_a_built_in_one_must_be_asked_for(small, name):
    small["flow"][0]["cc"] = name
    with pytest.raises(acklab.AcklabError, match=f"'{name}'.*(?s:.*)replace=True"):
        acklab.load(small, controllers={name: Aimd})
    replaced = acklab.load(small, controllers={name: Aimd}, replace=True).run()
    assert "avoidance" in replaced.series["state"].to_list()


def test_it_is_as_deterministic_as_the_others(small):
    scenario = with_controller(small, Aimd)
    results = acklab.run_many([(scenario, s) for s in (1, 2, 1, 2)], jobs=4)
    assert results[0].series.equals(results[2].series)
    assert results[1].series.equals(results[3].series)


def test_it_can_pace(small):
    class Paced(CongestionController):
        needs_pacing = True

        def cwnd(self):
            return 100 * self.mss

        def pacing_rate(self):
            return 4e6

    result = with_controller(small, Paced, duration="10 s").run()
    assert result.flows["sent_mbps"][0] == pytest.approx(4, rel=0.06)
    assert result.flows["retransmissions"][0] == 0


def test_what_it_raises_is_the_users_mistake_with_its_line(small):
    class Broken(Aimd):
        def on_ack(self, ack):
            raise KeyError("window")

    with pytest.raises(acklab.ControllerError) as e:
        with_controller(small, Broken).run()
    assert "KeyError: 'window'" in str(e.value)
    assert 'raise KeyError("window")' in str(e.value)
    assert "test_controller.py" in str(e.value)
    assert isinstance(e.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("method", "value"),
    [("cwnd", -1), ("cwnd", 1.5), ("cwnd", None), ("ssthresh", "x"), ("pacing_rate", 0)],
)
def test_answers_that_make_no_sense_are_refused(small, method, value):
    broken = type("Broken", (Aimd,), {method: lambda self: value})
    with pytest.raises(acklab.ControllerError, match=rf"{method}\(\) returned"):
        with_controller(small, broken).run()


def test_raising_in_the_constructor_is_told_too(small):
    class Broken(CongestionController):
        def __init__(self, init):
            raise RuntimeError("no")

    with pytest.raises(acklab.ControllerError, match="RuntimeError: no"):
        with_controller(small, Broken).run()


def test_only_controllers_are_taken(small):
    with pytest.raises(acklab.AcklabError, match="CongestionController"):
        with_controller(small, dict)


def test_a_program_that_raises_leaves_nothing(tmp_path):
    import subprocess
    import sys

    from conftest import SMALL

    program = tmp_path / "program.py"
    program.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "import acklab\n"
        "from acklab.cli.guard import guarded\n"
        "from acklab.folder import result_folder\n"
        "from acklab.saving import save\n"
        "class Broken(acklab.CongestionController):\n"
        "    def on_ack(self, ack): 1 / 0\n"
        "    def cwnd(self): return 14480\n"
        f"spec = {SMALL!r}\n"
        "spec['flow'][0]['cc'] = 'mine'\n"
        "def go():\n"
        "    with result_folder(Path('results')) as folder:\n"
        "        save(acklab.load(spec, controllers={'mine': Broken}).run(), folder, 'x')\n"
        "sys.exit(guarded(go))\n"
    )
    done = subprocess.run(
        [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 1, done
    assert "ZeroDivisionError" in done.stderr
    assert "program.py:8" in done.stderr
    assert "Traceback" not in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["program.py"]
