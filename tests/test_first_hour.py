"""First steps of a user: a new scenario, and the doctor."""

import json

import pytest

import acklab
from acklab.cli import doctor
from acklab.cli.new import Template, scenario


@pytest.mark.parametrize("template", list(Template))
def test_a_new_scenario_runs_and_meets_its_expectations(acklab_cli, tmp_path, template):
    file = tmp_path / "my first.toml"
    done = acklab_cli("new", file, "--template", template.value)
    assert done.returncode == 0, done.stderr
    loaded = acklab.load(file)
    assert loaded.name == "my-first"
    verdicts = loaded.run().expectations()
    assert verdicts
    assert all(v.met for v in verdicts)


@pytest.mark.parametrize("template", list(Template))
def test_a_new_scenario_explains_its_keys(tmp_path, template):
    lines = scenario(template, tmp_path / "a.toml").splitlines()
    assert sum("#" in line for line in lines) >= 10


def test_a_file_that_exists_is_not_replaced_unless_asked(acklab_cli, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text("mine")
    done = acklab_cli("new", file)
    assert done.returncode == 1
    assert "--force" in done.stderr
    assert file.read_text() == "mine"
    assert acklab_cli("new", file, "--force").returncode == 0
    assert file.read_text() != "mine"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("mine", "Your own question"),
        ("first-look", "A first look"),
        ("sweep-and-mechanism", "From a"),
    ],
)
def test_a_new_notebook_is_one_of_those_that_come_with_it(acklab_cli, tmp_path, name, title):
    file = tmp_path / f"{name}.ipynb"
    assert acklab_cli("new", file).returncode == 0
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    assert "".join(cells[0]["source"]).startswith(f"# {title}")
    assert any(cell.get("outputs") for cell in cells)


@pytest.mark.parametrize(("name", "hint"), [("a.txt", "a.toml"), (".", "is a folder")])
def test_a_name_that_cannot_be_is_told(acklab_cli, tmp_path, name, hint):
    done = acklab_cli("new", tmp_path / name)
    assert done.returncode == 1
    assert hint in done.stderr


def test_the_doctor_finds_nothing_wrong_here(acklab_cli, tmp_path):
    done = acklab_cli("doctor", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stdout
    assert "WRONG" not in done.stdout
    assert not (tmp_path / "out").exists()


def test_the_doctor_finds_what_stands_beside_the_interpreter(tmp_path, monkeypatch):
    tool = tmp_path / "flent"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    said = {f.what: f for f in doctor.findings(tmp_path / "out")}
    assert said["flent"] == doctor.Finding(doctor.State.FINE, "flent", str(tool))
    assert said["tshark"].state is doctor.State.ABSENT


def test_the_doctor_finds_what_is_wrong(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "EXPECTED_BPS", 1e6)
    (tmp_path / "file").write_text("")
    wrong = [f for f in doctor.findings(tmp_path / "file" / "out") if f.state is doctor.State.WRONG]
    assert [f.what for f in wrong] == ["a run", "results"]


@pytest.mark.parametrize("template", list(Template))
def test_what_the_template_says_of_samples_goes_with_every_option(acklab_cli, tmp_path, template):
    file = tmp_path / "a.toml"
    file.write_text(scenario(template, file))
    assert "sample_every" not in file.read_text()
    off = file.read_text().replace('every = "10 ms"', 'every = "off"')
    short = ("--set", "duration=2 s", "--set", "warmup=0 s")
    for text in (file.read_text(), off):
        file.write_text(text)
        for more in (["--record", "all"], ["--record", "series"], ["--flent"], ["--qlog"]):
            done = acklab_cli("run", file, *short, *more)
            assert done.returncode == 0, done.stderr
    off = acklab_cli("run", file, *short)
    assert off.returncode == 0
    assert acklab_cli("plot", "out/a", "series").returncode == 1
