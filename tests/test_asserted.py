"""The commands that compile a core of their own begin in a clone where nothing was built."""

import same_results


def test_a_package_is_packed_where_nothing_was_before(tmp_path, monkeypatch):
    monkeypatch.setattr(same_results, "KEPT", tmp_path / "never")
    source = tmp_path / "python" / "acklab"
    source.mkdir(parents=True)
    (source / "__init__.py").write_text("")
    (source / "old.so").write_text("old")
    core = tmp_path / "lib_core.so"
    core.write_text("core")
    folder = tmp_path / "target" / "asserted" / "python"
    same_results.packed(tmp_path / "python", core, folder)
    same_results.packed(tmp_path / "python", core, folder)
    assert {p.name for p in (folder / "acklab").iterdir()} == {"__init__.py", "_core.abi3.so"}
    assert [p.name for p in folder.parent.iterdir()] == ["python"]
