"""Mistakes of the user: exit code 1 or 2, what is wrong, what would be right, and no traceback."""

import resource

import pytest

import acklab
from conftest import PATIENCE, SMALL_TOML

MISTAKES = {
    "unknown key": (("dealy", "0 s"), "dealy"),
    "impossible value": (("flow.0.cc", "qubic"), "did you mean `cubic`"),
    "negative delay": (("topology.bottleneck.delay", "-5 ms"), "topology.bottleneck.delay"),
    "zero rate": (("topology.bottleneck.rate", "0 Mbit/s"), "topology.bottleneck.rate"),
    "zero queue": (("topology.bottleneck.queue", "0 packets"), "topology.bottleneck.queue"),
    "tiny queue": (("topology.bottleneck.queue", "1 B"), "help: write at least"),
    "tiny buffer": (("tcp.recv_buffer", "1 B"), "help: the receive buffer"),
    "name elsewhere": (("name", "../../x"), "help: it names the result folder"),
    "no name": (("name", ""), "help: it names the result folder"),
    "endless series": (("sample_every", "1 ns"), "help: write"),
    "no unit": (("topology.bottleneck.delay", "5"), "unit"),
    "unknown parameter": (("flow.0.cc", '{ name = "cubic", gamma = 1 }'), "gamma"),
    "out of range": (("flow.0.cc", '{ name = "cubic", beta = 7 }'), "beta"),
    "no duration": (("duration", "0 s"), "duration"),
    "unknown node": (("flow.0.from", "nowhere"), "nowhere"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_scenario_with_a_mistake(name, small_file):
    (key, value), said = MISTAKES[name]
    with pytest.raises(acklab.ScenarioError) as e:
        acklab.load(small_file, overrides=[f"{key}={value}"])
    assert said in str(e.value)


def test_unconnected_nodes():
    with pytest.raises(acklab.ScenarioError, match=r"a.*c|c.*a"):
        acklab.load(
            {
                "duration": "1 s",
                "node": [{"name": n} for n in "abc"],
                "link": [{"a": "a", "b": "b", "rate": "1 Mbit/s"}],
                "flow": [{"from": "a", "to": "c"}],
            }
        )


def test_every_mistake_is_told_at_once(small):
    small["topology"]["bottleneck"]["rate"] = "fast"
    small["flow"][0]["cc"] = "qubic"
    with pytest.raises(acklab.ScenarioError) as e:
        acklab.load(small)
    assert "rate" in str(e.value)
    assert "qubic" in str(e.value)


def command_lines(tmp_path):
    broken = tmp_path / "broken.toml"
    broken.write_text(SMALL_TOML.replace("cubic", "qubic"))
    syntax = tmp_path / "syntax.toml"
    syntax.write_text("name = ")
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"name = '\xe9'")
    good = tmp_path / "good.toml"
    good.write_text(SMALL_TOML)
    a_file = tmp_path / "file"
    a_file.write_text("")
    return [
        (("frobnicate",), "frobnicate"),
        (("run",), "file"),
        (("run", "absent.toml"), "absent.toml"),
        (("run", tmp_path), "cannot read"),
        (("run", broken), "did you mean `cubic`"),
        (("run", syntax), "syntax.toml"),
        (("run", latin), "UTF-8"),
        (("run", good, "--set", "flow"), "KEY=VALUE"),
        (("run", good, "--set", "flow.0.cc=qubic"), "qubic"),
        (("run", good, "--seed", "-1"), "seed"),
        (("run", good, "--seed", "99999999999999999999999"), "0..2^64-1"),
        (("run", good, "--seed", "one"), "--seed"),
        (("run", good, "--out", a_file), "a file"),
        (("run", good, "--out", a_file / "sub"), "cannot write"),
        (("run", good, "--out", tmp_path), "will not replace"),
        (("list", "colours"), "colours"),
        (("reproduce", "ack-segregation"), "aggregation"),
        (("reproduce", "aggregation/table9"), "table1"),
        (("reproduce", "--out", a_file / "sub"), "cannot write"),
        (("validate", "ns3", "--out", a_file / "sub"), "cannot write"),
    ]


def test_command_lines_with_a_mistake(acklab_cli, tmp_path):
    for args, said in command_lines(tmp_path):
        done = acklab_cli(*args)
        assert done.returncode in (1, 2), (args, done)
        assert said in done.stderr + done.stdout, (args, done)
        assert "Traceback" not in done.stderr, (args, done)


@pytest.mark.parametrize("most", [100, 1500, 4000])
def test_a_full_disk_leaves_nothing(acklab_cli, acklab_process, small_file, tmp_path, most):
    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    earlier = acklab_cli("run", small_file, "--seed", 3, "--out", "earlier")
    assert earlier.returncode == 0, earlier.stderr
    before = {p.name: p.read_bytes() for p in (tmp_path / "earlier").iterdir()}
    # Some table is larger than each of the limits.
    assert max(map(len, before.values())) > 4000
    for out in ("new", "earlier"):
        done = acklab_process("run", small_file, "--out", out, preexec_fn=full)
        assert done.returncode == 1, done
        assert f"cannot write results to {tmp_path / out}" in done.stderr
        assert "Traceback" not in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["earlier", "small.toml"]
    assert {p.name: p.read_bytes() for p in (tmp_path / "earlier").iterdir()} == before


@pytest.mark.parametrize("cause", [OSError(28, "No space left on device"), OSError("odd")])
def test_a_folder_that_cannot_be_written_is_absent(tmp_path, cause):
    from acklab.folder import result_folder

    def write():
        with result_folder(tmp_path / "r") as folder:
            (folder / "half").write_text("x")
            raise cause

    with pytest.raises(acklab.OutputError, match=str(tmp_path / "r")):
        write()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("no space", "no space\n  help: choose"),
        (
            "parquet: File out of specification: No space left on device (os error 28)",
            "r: No space left on device\n  help: make room, or choose",
        ),
    ],
)
def test_what_polars_cannot_write_is_told(tmp_path, monkeypatch, said, told):
    import polars as pl

    from acklab.folder import result_folder
    from acklab.saving import parquet

    def full(*_, **__):
        raise pl.exceptions.ComputeError(said)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with (
        pytest.raises(acklab.OutputError, match=told),
        result_folder(tmp_path / "r") as folder,
    ):
        parquet(pl.DataFrame({"a": [1]}), folder / "a.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_single_file_is_complete_or_absent(tmp_path):
    from acklab.folder import write_atomically

    (tmp_path / "a").mkdir()
    with pytest.raises(acklab.OutputError, match="cannot write"):
        write_atomically(tmp_path / "a", "text")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_bug_is_ours_and_says_so(tmp_path):
    import subprocess
    import sys

    code = (
        "import acklab.scenario, acklab.cli, sys\n"
        "def broken(*a, **k): raise ZeroDivisionError('oops')\n"
        "acklab.scenario._core.load = broken\n"
        "acklab.scenario.load.__globals__['_core'] = type('C', (), "
        "{'load': staticmethod(broken), 'catalogue': staticmethod(lambda kind: []), "
        "'InvalidScenario': ValueError})\n"
        "sys.argv = ['acklab', 'run', 'x.toml']\n"
        "acklab.cli.main()\n"
    )
    (tmp_path / "x.toml").write_text(SMALL_TOML)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 70
    assert "ZeroDivisionError" in done.stderr
    assert "report" in done.stderr


@pytest.mark.parametrize("seed", [-1, 2**64, 2**70, 1.5, "one"])
def test_seeds_have_a_range(small, seed):
    scenario = acklab.load(small)
    with pytest.raises(acklab.AcklabError, match=r"help: .*0\.\.2\^64-1"):
        scenario.run(seed=seed)
    with pytest.raises(acklab.AcklabError, match=r"help: .*0\.\.2\^64-1"):
        acklab.run_many([(scenario, seed)])


@pytest.mark.parametrize("source", [None, 7, b"x.toml", ["x.toml"], {"name": object()}])
def test_what_is_no_scenario(source):
    with pytest.raises(acklab.AcklabError, match="help: give"):
        acklab.load(source)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"flow": [{}, {"start": float("nan")}]},
            "nan is no number that a scenario can have\\n  in <dict>: flow.1.start = nan",
        ),
        (
            {"wifi": {"space": {"ring": float("inf")}}},
            "inf is no number that a scenario can have\\n  in <dict>: wifi.space.ring = inf",
        ),
        (
            {"topology": {"stations": {1, 2}}},
            "the type set is not allowed in a scenario\\n  in <dict>: topology.stations = ",
        ),
    ],
)
def test_what_no_scenario_can_have_is_told_with_its_key(change, message):
    with pytest.raises(acklab.ScenarioError, match=message):
        acklab.load({"duration": "1 s", **change})


def test_an_override_that_is_no_number_is_told_with_its_key():
    wlan = {"duration": "1 s", "topology": {"preset": "wlan"}, "flow": [{}]}
    for value in (float("nan"), float("inf")):
        with pytest.raises(acklab.ScenarioError, match=r"wifi\.space\.ring"):
            acklab.load(wlan, overrides={"wifi.space.ring": value})


def test_jobs_must_be_positive(small):
    with pytest.raises(acklab.AcklabError, match="at least 1"):
        acklab.run_many([acklab.load(small)], jobs=0)


TACK = 'flow.0.transport={{ name = "tack", {} }}'
OF_TACK = {
    "beta": (TACK.format("beta = 1"), "flow.0.transport.beta = 1", "a whole number from 2 to 64"),
    "L": (TACK.format("l = 0"), "flow.0.transport.l = 0", "a whole number from 1 to 255"),
    "interval": (
        TACK.format('interval = { shortest = "2 s" }'),
        'flow.0.transport.interval.shortest = "2 s"',
        "help: ",
    ),
    "ack": ("flow.0.ack=delayed", 'flow.0.ack = "delayed"', "`beta`, `l` and `interval`"),
}


@pytest.mark.parametrize("name", OF_TACK)
def test_mistakes_with_tack_end_in_1_and_name_key_and_value(acklab_cli, small_file, name):
    override, place, right = OF_TACK[name]
    plain = ("--set", "flow.0.transport=tack") if name == "ack" else ()
    done = acklab_cli("run", small_file, *plain, "--set", override, "--out", "never")
    assert done.returncode == 1
    assert place in done.stderr
    assert right in done.stderr
    assert "Traceback" not in done.stderr


def test_what_tack_leaves_without_a_use_is_warned_of_and_run(acklab_cli, small_file):
    key = "topology.bottleneck.reverse.ack_filter"
    sets = (
        "flow.0.transport=tack",
        f"{key}=cake",
        "flow.0.cc={ name = 'newreno', growth = 'ns3' }",
    )
    done = acklab_cli("run", small_file, *(w for s in sets for w in ("--set", s)), "--out", "kept")
    assert done.returncode == 0, done.stderr
    assert f'in --set: {key} = "cake"\n  help: write "none"' in done.stderr
    assert 'help: write growth = "linux"' in done.stderr
