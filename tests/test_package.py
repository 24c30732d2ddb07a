"""The package: quick to import, everything that it promises there."""

import subprocess
import sys

import acklab
from conftest import PATIENCE

HEAVY = ("polars", "matplotlib", "numpy", "scipy", "typer", "rich")


def loaded_after(statement):
    code = f"{statement}\nimport sys\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_importing_loads_nothing_heavy():
    assert loaded_after("import acklab; acklab.load") == []


def test_the_command_line_loads_no_frames_and_no_plots():
    heavy = loaded_after("import acklab.cli")
    assert {"polars", "matplotlib", "numpy", "scipy"}.isdisjoint(heavy)


def test_a_module_of_plots_and_a_name_within_one_are_found_alike():
    loaded_after("from acklab.plots import series, Choice; Choice()")


def test_metrics_and_plots_are_found_without_an_import_of_their_own():
    assert loaded_after("import acklab; acklab.metrics.DEFINITIONS") == []
    loaded_after("import acklab; acklab.metrics.jain; acklab.plots.KINDS")


def test_everything_promised_is_there():
    for name in acklab.__all__:
        assert getattr(acklab, name) is not None


def test_scenarios_from_python_values():
    from acklab import Flow, Link, describe, dumbbell

    pair = describe(
        "pair",
        duration="2 s",
        links=[Link(a="a", b="b", rate="5 Mbit/s", delay="5 ms", queue="20 packets")],
        flows=[Flow(src="a", dst="b", cc={"name": "cubic", "beta": 0.5})],
    )
    bell = dumbbell(
        "bell",
        duration="2 s",
        access=Link(rate="100 Mbit/s", delay="1 ms"),
        bottleneck=Link(rate="5 Mbit/s", delay="5 ms", queue="20 packets", loss=0.01),
        flows=[Flow(cc="newreno", tcp={"segment": 1000}), Flow(cc="bbr3")],
        pairs=2,
    )
    for spec in (pair, bell):
        result = acklab.load(spec).run()
        assert 1 < result.flows["goodput_mbps"].sum() < 5


def test_overrides_as_a_mapping(small):
    scenario = acklab.load(
        small,
        overrides={
            "flow.0.cc": {"name": "cubic", "beta": 0.5},
            "topology.bottleneck.loss": 0.01,
            "tcp.sack": False,
        },
    )
    assert "beta = 0.5" in scenario.resolved
    assert "sack = false" in scenario.resolved


def test_times_of_exchanges_are_null_without_exchanges(small):
    small["flow"].append({"name": "asks", "app": "request-response"})
    flows = acklab.load(small).run().flows
    for column in ("exchange_mean_ms", "exchange_max_ms"):
        bulk, asks = flows[column]
        assert bulk is None
        assert asks > 0
