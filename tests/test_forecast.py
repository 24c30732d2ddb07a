"""What a run will take: foreseen from its first part, said before it begins."""

import json
import shutil

import pytest

import acklab
from acklab.cli import forecast
from acklab.errors import OutputError
from acklab.source import read

EVERYTHING = ["record.packets=true", "record.acks=true", "record.events=true"]


@pytest.fixture
def busy(small):
    small["duration"] = "20 s"
    return small


def test_the_disk_is_foreseen(busy, tmp_path):
    scenario = acklab.load(busy, overrides=EVERYTHING)
    found = forecast.of(read(busy), EVERYTHING, scenario, 1)
    assert (found.measured_s, found.duration_s) == (1.0, 20.0)
    folder = scenario.run(1).save(tmp_path / "r")
    written = sum(p.stat().st_size for p in folder.glob("*.parquet"))
    # The first second has less traffic than the others, and small files compress worse.
    assert 0.3 < found.disk_bytes / written < 3
    frames = sum(f.estimated_size() for f in map(acklab.open(folder).table, ("packets", "acks")))
    assert 0.3 < found.memory_bytes / (forecast.MEMORY_PER_BYTE * frames) < 3


def test_a_part_in_which_nothing_can_run_is_no_mistake(busy):
    busy["flow"][0]["start"] = "15 s"
    scenario = acklab.load(busy, overrides=EVERYTHING)
    assert forecast.of(read(busy), EVERYTHING, scenario, 1).disk_bytes > 0


def test_a_part_that_is_recorded_takes_its_part(busy, tmp_path):
    whole = forecast.of(read(busy), EVERYTHING, acklab.load(busy, overrides=EVERYTHING), 1)
    late = [*EVERYTHING, "record.from=16 s", "record.until=18 s"]
    scenario = acklab.load(busy, overrides=late)
    found = forecast.of(read(busy), late, scenario, 1)
    assert found.measured_s == 1.0
    folder = scenario.run(1).save(tmp_path / "r")
    written = sum(p.stat().st_size for p in folder.glob("*.parquet"))
    assert 0.2 < found.disk_bytes / written < 4
    assert found.disk_bytes < whole.disk_bytes / 3


def test_a_dry_run_writes_nothing(acklab_cli, tmp_path):
    done = acklab_cli("run", "single-flow", "--record", "all", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "of memory and" in done.stdout
    done = acklab_cli("run", "single-flow", "--dry-run", "--json")
    assert json.loads(done.stdout)["duration_s"] == 30
    assert list(tmp_path.iterdir()) == []


def cost(**of):
    """A forecast of a run that is short and small but for `of`."""
    usual = {"seconds": 1.0, "memory_bytes": 1e6, "disk_bytes": 1e6}
    return forecast.Forecast(**{**usual, "measured_s": 1.0, "duration_s": 20.0, **of})


def test_small_runs_are_not_worth_a_line(tmp_path, capsys):
    forecast.warn(cost(), tmp_path / "r")
    assert capsys.readouterr().err == ""
    forecast.warn(cost(seconds=120.0), tmp_path / "r")
    assert capsys.readouterr().err.startswith("note: this takes about 2.0 min, 1.0 MB of memory")


def test_a_full_disk_is_foreseen(tmp_path):
    free = shutil.disk_usage(tmp_path).free
    said = r"there is no room for .* it needs about .* left\n  help"
    with pytest.raises(OutputError, match=said):
        forecast.warn(cost(disk_bytes=2.0 * free), tmp_path / "not" / "there")


def test_too_little_memory_is_a_warning(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(forecast, "_memory", lambda: 1e5)
    forecast.warn(cost(), tmp_path / "r")
    assert "warning: the run needs about 1.0 MB of memory, and 100 kB are free" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize("duration", ["300 ms", "12.5 s", "2 min"])
def test_a_duration_has_any_unit(small, duration):
    scenario = acklab.load({**small, "duration": duration})
    seconds = {"300 ms": 0.3, "12.5 s": 12.5, "2 min": 120.0}[duration]
    assert forecast._lengths(scenario)[0] == pytest.approx(seconds)
