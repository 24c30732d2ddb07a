"""The same input gives the same bytes: twice, at any parallelism, in any process."""

import hashlib

import pytest

import acklab
from acklab.saving import save
from test_two_ways import EVERYTHING

SEEDS = range(1, 7)


def fingerprint(result, folder):
    folder.mkdir(parents=True)
    save(result, folder, command="test")
    assert (folder / "packets.parquet").exists()
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


def runs(small):
    del small["sample_every"]
    small["record"] = EVERYTHING
    scenarios = []
    for cc in ("cubic", "bbr3"):
        small["flow"][0]["cc"] = cc
        small["flow"][0]["start_jitter"] = "50 ms"
        small["topology"]["bottleneck"]["loss"] = 0.001
        scenarios.append(acklab.load(small))
    return [(s, seed) for s in scenarios for seed in SEEDS]


def test_parallelism_changes_nothing(small, tmp_path):
    pairs = runs(small)
    prints = [
        [
            fingerprint(r, tmp_path / f"{name}-{i}")
            for i, r in enumerate(acklab.run_many(pairs, jobs=jobs))
        ]
        for name, jobs in (("one", 1), ("four", 4), ("again", 1))
    ]
    assert prints[0] == prints[1] == prints[2]


def test_seeds_change_something(small):
    results = acklab.run_many(runs(small)[:3])
    assert len({r.flows["start_s"][0] for r in results}) == 3


def test_two_processes_write_the_same_bytes(acklab_process, small_file, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        done = acklab_process("run", small_file, "--seed", 3, "--out", "r", cwd=tmp_path / name)
        assert done.returncode == 0, done.stderr
    folders = [sorted((tmp_path / name / "r").iterdir()) for name in ("a", "b")]
    a, b = ({p.name: p.read_bytes() for p in folder} for folder in folders)
    assert a == b
    assert {"flows.parquet", "series.parquet"} <= set(a)


#: A whole study, and a table of another one whose runs are on the air, each with several seeds.
STUDIES = {
    "mine": ("--quick", "--seeds", 5),
    "aggregation/table4": ("--quick", "--seeds", 2),
}


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_writes_the_same_tables_at_any_parallelism(study, acklab_cli, tmp_path):
    assert acklab_cli("study", "new", "mine").returncode == 0
    for jobs in (1, 4):
        # The page names the folder that it is made in, so both have the same name.
        args = (*STUDIES[study], "--jobs", jobs, "--out", "out")
        assert acklab_cli("reproduce", study, *args).returncode == 0
        (tmp_path / "out").rename(tmp_path / f"j{jobs}")
    one, four = (
        {p.name: p.read_bytes() for p in (tmp_path / f"j{j}").rglob("*") if p.is_file()}
        for j in (1, 4)
    )
    assert one == four
    assert {"report.html", "claims.csv", "main.csv"} <= set(one) or study != "mine"
